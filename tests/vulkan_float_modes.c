// What a device is asked for that treats floats of 16, 32 and 64 bits together: a mode for all of them, or
// none where it lacks one.
#include "check.h"
#include "device.h"

#ifdef LG_HAVE_VULKAN

#include "vulkan/vk_private.h"

static PFN_vkGetPhysicalDeviceProperties2 real_properties;
static VkShaderFloatControlsIndependence denorm, rounding;
static VkBool32 of_16, of_64; // whether there are modes for these widths

// The driver's answer, with other properties of floats in it.
static VKAPI_ATTR void VKAPI_CALL say(VkPhysicalDevice device, VkPhysicalDeviceProperties2 *out)
{
    real_properties(device, out);
    for (VkBaseOutStructure *s = out->pNext; s; s = s->pNext) {
        if (s->sType != VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES)
            continue;
        VkPhysicalDeviceVulkan12Properties *p = (VkPhysicalDeviceVulkan12Properties *)(void *)s;
        p->denormBehaviorIndependence = denorm;
        p->roundingModeIndependence = rounding;
        p->shaderDenormPreserveFloat32 = p->shaderRoundingModeRTEFloat32 = VK_TRUE;
        p->shaderDenormPreserveFloat16 = p->shaderRoundingModeRTEFloat16 = of_16;
        p->shaderDenormPreserveFloat64 = p->shaderRoundingModeRTEFloat64 = of_64;
    }
}

static void test_modes(lg_vk *vk)
{
    static const VkShaderFloatControlsIndependence all[] = {
        VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_32_BIT_ONLY,
        VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL, VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE};
    real_properties = vk->fn.vkGetPhysicalDeviceProperties2;
    vk->fn.vkGetPhysicalDeviceProperties2 = say;
    for (int i = 0; i < 36; i++) {
        denorm = all[i % 3], rounding = all[i / 3 % 3], of_16 = i / 9 % 2, of_64 = i / 18;
        const bool wide = of_16 && of_64;
        const bool denorm_together = i % 3 == 2, rounding_together = i / 3 % 3 == 2;
        lg_vk_physical told;
        lg_error error = {LG_OK, ""};
        CHECK(!lg_vk_physical_read(vk, vk->physical.handle, 0, &told, &error), "%s", error.message);
        CHECK(told.denorm_all == denorm_together && told.rounding_all == rounding_together,
              "%d and %d: %d and %d for all widths", denorm, rounding, told.denorm_all,
              told.rounding_all);
        CHECK(told.limits.denorm_preserve == (!denorm_together || wide) &&
                  told.limits.rounding_rte == (!rounding_together || wide),
              "%d and %d, 16 bits %d, 64 bits %d: %d and %d", denorm, rounding, (int)of_16,
              (int)of_64, told.limits.denorm_preserve, told.limits.rounding_rte);
    }
    vk->fn.vkGetPhysicalDeviceProperties2 = real_properties;
}

int main(void)
{
    lg_vk *vk = NULL;
    lg_error error = {LG_OK, ""};
    if (test_wants_vulkan() &&
        !device_vk(WITH_REF(lg_context_params, it.device = LG_DEVICE_VULKAN), NULL, &vk, &error))
        test_modes(vk);
    else
        check_skip(error.message[0] ? error.message : "Vulkan is turned off");
    lg_vk_destroy(&vk);
    return check_finish("vulkan_float_modes");
}

#else

int main(void)
{
    check_skip("this build has no Vulkan");
    return check_finish("vulkan_float_modes");
}

#endif

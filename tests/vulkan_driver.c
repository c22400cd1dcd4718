// A driver that was loaded is not loaded anew: NVIDIA's can be loaded some thirty times in a process.
#include "check.h"
#include "core/module.h"
#include "device.h"
#include "vulkan/vk.h"

static lg_error error;

static void test_instances(void)
{
    lg_device_info all[8];
    lg_vk *vk = NULL;
    size_t count = 0, loaded = 0;
    for (int i = 0; i < 40; i++) {
        NEED(lg_vk_list(all, 8, &count, NULL, &error) == LG_OK && count > 0, "%d: %s", i,
             error.message);
        loaded = i ? loaded : lg_modules_loaded();
        CHECK(lg_modules_loaded() == loaded, "%d: %zu libraries, %zu before", i,
              lg_modules_loaded(), loaded);
    }
    NEED(!lg_vk_create(WITH_REF(lg_context_params, it.device = LG_DEVICE_VULKAN), NULL, NULL, &vk,
                       &error),
         "%s", error.message);
    const size_t with = lg_modules_loaded();
    lg_vk_destroy(&vk);
    CHECK(lg_modules_loaded() == with, "%zu libraries, %zu with a device", lg_modules_loaded(),
          with);
}

int main(void)
{
    lg_device_info all[8];
    size_t count = 0;
    if (test_wants_vulkan() && lg_vk_list(all, 8, &count, NULL, &error) == LG_OK && count > 0)
        test_instances();
    else
        check_skip(test_wants_vulkan() ? "no Vulkan device" : "Vulkan is turned off");
    return check_finish("vulkan_driver");
}

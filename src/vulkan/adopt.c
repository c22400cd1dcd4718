// A device that the application has made and lends, and what it is to be made with.
#include "vulkan/vk_private.h"

#include <lumagraph/vulkan.h>

#include <stdio.h>
#include <unistd.h>

// ---- what to enable -----------------------------------------------------------------------------

typedef struct needs {
    lg_vulkan_needs shown; // first: both have one address
    lg_vk_feature_chain chain;
    const char *extensions[LG_COUNT(((lg_vk_physical *)0)->extensions)];
} needs;

static lg_status check_api(uint32_t api, lg_error *error)
{
    if (api >= VK_API_VERSION_1_2)
        return LG_OK;
    return lg_fail(error, LG_ERROR_DEVICE,
                   "the instance is for Vulkan %u.%u; 1.2 is needed in VkApplicationInfo",
                   VK_API_VERSION_MAJOR(api), VK_API_VERSION_MINOR(api));
}

static lg_status open_instance(lg_vk *vk, PFN_vkGetInstanceProcAddr get_proc_addr,
                               VkInstance instance, uint32_t api, lg_error *error)
{
    vk->fn.vkGetInstanceProcAddr = get_proc_addr;
    vk->instance = instance;
    vk->api = LG_MIN(api, VK_API_VERSION_1_3);
    return lg_vk_load_instance_functions(vk, false, error);
}

static lg_status fill_needs(lg_vk *vk, VkPhysicalDevice physical, needs *out, lg_error *error)
{
    lg_vk_physical p;
    const lg_status status = lg_vk_physical_read(vk, physical, 0, &p, error);
    if (status)
        return status;
    if (p.reason[0])
        return lg_fail(error, LG_ERROR_DEVICE, "%.180s is not usable: %.200s", p.info.name,
                       p.reason);
    lg_vk_features_fill(&p, &out->chain);
    for (uint32_t i = 0; i < p.extension_count; i++)
        out->extensions[i] = p.extensions[i];
    out->shown = (lg_vulkan_needs){.features = &out->chain.base,
                                   .extensions = out->extensions,
                                   .extension_count = p.extension_count,
                                   .family = p.queue_family};
    return LG_OK;
}

lg_status lg_vulkan_needs_create(PFN_vkGetInstanceProcAddr get_proc_addr, VkInstance instance,
                                 VkPhysicalDevice physical, uint32_t api,
                                 const lg_vulkan_needs **out, lg_error *error)
{
    if (!get_proc_addr || !instance || !physical || !out)
        return lg_fail_null(error, "vkGetInstanceProcAddr, an instance, a physical device, and a "
                                   "place for what it needs");
    lg_status status = check_api(api, error);
    if (status)
        return status;
    lg_vk *vk = lg_alloc(sizeof *vk);
    needs *made = lg_alloc(sizeof *made);
    if (!vk || !made)
        status = lg_fail_memory(error, sizeof *vk, "what a device needs");
    if (!status)
        status = open_instance(vk, get_proc_addr, instance, api, error);
    if (!status)
        status = fill_needs(vk, physical, made, error);
    lg_free(vk);
    if (status)
        lg_free(made);
    else
        *out = &made->shown;
    return status;
}

void lg_vulkan_needs_destroy(const lg_vulkan_needs **handle)
{
    if (!handle)
        return;
    lg_free((void *)(uintptr_t)*handle);
    *handle = NULL;
}

// ---- the device ---------------------------------------------------------------------------------

static lg_status check_device(const lg_vulkan_device *d, lg_error *error)
{
    if (d->size != sizeof *d)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "lg_vulkan_device.size is %zu; it is sizeof(lg_vulkan_device), %zu", d->size,
                       sizeof *d);
    if (!d->get_proc_addr || !d->instance || !d->physical || !d->device ||
        (d->extension_count && !d->extensions))
        return lg_fail_null(error, "get_proc_addr, instance, physical, device, or extensions of "
                                   "lg_vulkan_device");
    if (!d->lock != !d->unlock)
        return lg_fail(error, LG_ERROR_ARGUMENT, "lock and unlock of lg_vulkan_device go together");
    return check_api(d->api, error);
}

static lg_status find_index(lg_vk *vk, VkPhysicalDevice physical, int *out, lg_error *error)
{
    VkPhysicalDevice *devices;
    uint32_t count;
    const lg_status status = lg_vk_physical_devices(vk, &devices, &count, error);
    if (status)
        return status;
    *out = -1;
    for (uint32_t i = 0; i < count; i++)
        if (devices[i] == physical)
            *out = (int)i;
    lg_free(devices);
    if (*out < 0)
        return lg_fail(error, LG_ERROR_ARGUMENT, "the physical device is not of that instance");
    return LG_OK;
}

static lg_status copy_terms(lg_vk *vk, const lg_vulkan_device *d, lg_error *error)
{
    vk->adopted = lg_alloc(sizeof *vk->adopted);
    if (!vk->adopted)
        return lg_fail_memory(error, sizeof *vk->adopted, "a device of the application");
    *vk->adopted = (lg_vk_adopted){.extensions = d->extensions,
                                   .extension_count = d->extension_count,
                                   .family = d->family,
                                   .queue = d->queue,
                                   .transfer_family = d->transfer_family,
                                   .transfer_queue = d->transfer_queue,
                                   .lock = d->lock,
                                   .unlock = d->unlock,
                                   .priv = d->priv};
    lg_vk_features_read(d->features, &vk->adopted->features);
    return LG_OK;
}

lg_status lg_vk_take_device(lg_vk *vk, const lg_vulkan_device *d, lg_error *error)
{
    int index = -1;
    lg_status status = check_device(d, error);
    if (!status)
        status = copy_terms(vk, d, error);
    if (!status)
        status = open_instance(vk, d->get_proc_addr, d->instance, d->api, error);
    if (!status)
        status = find_index(vk, d->physical, &index, error);
    if (!status)
        status = lg_vk_physical_read(vk, d->physical, index, &vk->physical, error);
    if (status)
        return status;
    vk->adopted->extensions = NULL; // they were read
    vk->adopted->extension_count = 0;
    if (vk->physical.reason[0])
        return lg_fail(error, LG_ERROR_DEVICE,
                       "this device of %.140s cannot be used: %.200s; lg_vulkan_needs_create tells "
                       "what to enable",
                       vk->physical.info.name, vk->physical.reason);
    vk->device = d->device;
    if (!lg_vk_load_device_functions(vk))
        return lg_fail(error, LG_ERROR_DEVICE, "the driver of %s lacks functions of Vulkan 1.2",
                       vk->physical.info.name);
    return lg_vk_lanes_create(vk, error);
}

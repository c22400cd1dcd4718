// Lists Vulkan devices without creating one.
#include "vulkan/vk_private.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static lg_status list(lg_vk *vk, lg_device_info *out, size_t capacity, size_t *count,
                      lg_error *error)
{
    VkPhysicalDevice *devices;
    uint32_t found;
    lg_status status = lg_vk_load(vk, NULL, error);
    if (!status)
        status = lg_vk_physical_devices(vk, &devices, &found, error);
    if (status)
        return status;
    const size_t wanted = LG_MIN((size_t)found, capacity);
    lg_device_info *infos = lg_alloc_array(wanted, sizeof *infos);
    if (!infos)
        status = lg_fail_memory(error, wanted * sizeof *infos, "a list of Vulkan devices");
    for (uint32_t i = 0; i < wanted && !status; i++) {
        lg_vk_physical physical;
        status = lg_vk_physical_read(vk, devices[i], (int)i, &physical, error);
        if (!status)
            infos[i] = physical.info;
    }
    if (!status && wanted)
        memcpy(out, infos, wanted * sizeof *infos);
    lg_free(infos);
    lg_free(devices);
    if (!status)
        *count = found;
    return status;
}

lg_status lg_vk_list(lg_device_info *out, size_t capacity, size_t *count, char *why,
                     lg_error *error)
{
    lg_vk *vk = lg_alloc(sizeof *vk);
    if (!vk)
        return lg_fail_memory(error, sizeof *vk, "a list of Vulkan devices");
    vk->process = (int)getpid();
    lg_error trouble = {0};
    lg_status status = list(vk, out, capacity, count, &trouble);
    lg_vk_destroy(&vk);
    if (why)
        snprintf(why, 256, "%.255s", trouble.message);
    if (status == LG_ERROR_DEVICE) { // no loader or no driver: an empty list with a line why
        *count = 0;
        return LG_OK;
    }
    if (status && error)
        *error = trouble;
    if (!status && why && *count == 0)
        snprintf(why, 256, "the Vulkan loader works but there is no Vulkan device here");
    return status;
}

// Memory and semaphores that other devices, processes and interfaces use too, by file descriptors.
#include "vulkan/vk_private.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define MEMORY_KIND    VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT
#define SEMAPHORE_KIND VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT

bool lg_vk_memory_is_shareable(const lg_vk *vk, VkPhysicalDevice handle)
{
    const VkPhysicalDeviceExternalBufferInfo info = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO,
        .usage = LG_VK_BUFFER_USAGE,
        .handleType = MEMORY_KIND,
    };
    VkExternalBufferProperties found = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};
    vk->fn.vkGetPhysicalDeviceExternalBufferProperties(handle, &info, &found);
    const VkExternalMemoryFeatureFlags both =
        VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT;
    const VkExternalMemoryFeatureFlags has = found.externalMemoryProperties.externalMemoryFeatures;
    return (has & both) == both && !(has & VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT);
}

bool lg_vk_semaphore_is_shareable(const lg_vk *vk, VkPhysicalDevice handle)
{
    const VkSemaphoreTypeCreateInfo timeline = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
        .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
    };
    const VkPhysicalDeviceExternalSemaphoreInfo info = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO,
        .pNext = &timeline,
        .handleType = SEMAPHORE_KIND,
    };
    VkExternalSemaphoreProperties found = {.sType =
                                               VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES};
    vk->fn.vkGetPhysicalDeviceExternalSemaphoreProperties(handle, &info, &found);
    const VkExternalSemaphoreFeatureFlags both =
        VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT;
    return (found.externalSemaphoreFeatures & both) == both;
}

// ---- memory -------------------------------------------------------------------------------------

// A buffer with memory of the kind that devices compute in. next: the export, or the import.
static VkResult back(lg_vk *vk, size_t size, const void *next, lg_vk_allocation *a)
{
    const VkExternalMemoryBufferCreateInfo external = {
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
        .handleTypes = MEMORY_KIND,
    };
    const VkResult result = lg_vk_raw_buffer(vk, size, &external, &a->buffer);
    if (result)
        return result;
    // Both sides ask the same driver the same question, so that both choose the same type and size.
    VkMemoryRequirements need;
    vk->fn.vkGetBufferMemoryRequirements(vk->device, a->buffer, &need);
    const uint32_t type = lg_vk_memory_type(vk, need.memoryTypeBits, LG_VK_DEVICE);
    if (type == UINT32_MAX)
        return VK_ERROR_INVALID_EXTERNAL_HANDLE;
    return lg_vk_back_buffer(vk, a, need.size, type, false, next);
}

static lg_status check(const lg_vk *vk, lg_error *error)
{
    if (vk->lost)
        return lg_vk_fail_lost(vk, error);
    if (vk->physical.memory_fd && vk->fn.vkGetMemoryFdKHR)
        return LG_OK;
    return lg_fail(
        error, LG_ERROR_UNSUPPORTED,
        "%s cannot share memory: there is no VK_KHR_external_memory_fd for buffers, or it "
        "is not enabled",
        vk->physical.info.name);
}

lg_status lg_vk_buffer_create_shared(lg_vk *vk, size_t size, lg_vk_buffer **out, lg_error *error)
{
    const lg_status status = check(vk, error);
    if (status)
        return status;
    const VkExportMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
        .handleTypes = MEMORY_KIND,
    };
    lg_vk_allocation a = {0};
    if (!vk->physical.limits.hardware && size > vk->physical.limits.max_allocation)
        return lg_vk_fail_size(vk, size, VK_ERROR_OUT_OF_DEVICE_MEMORY, error);
    const VkResult result = back(vk, size, &info, &a);
    if (!result)
        return lg_vk_buffer_of(vk, &a, size, LG_VK_BUFFER_SHARED, out, error);
    lg_vk_release(vk, &a);
    return lg_vk_fail_size(vk, size, result, error);
}

lg_status lg_vk_buffer_export(lg_vk *vk, const lg_vk_buffer *buffer, int *fd, lg_error *error)
{
    const lg_status status = check(vk, error);
    if (status)
        return status;
    if (!buffer->priv->shared)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "memory that was not made for it is not shared: lg_image_create_shared");
    const VkMemoryGetFdInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR,
        .memory = buffer->priv->memory,
        .handleType = MEMORY_KIND,
    };
    int made = -1;
    const VkResult result = LG_VK_CALL(vk, vkGetMemoryFdKHR, vk->device, &info, &made);
    if (result)
        return vk->lost ? lg_vk_fail_lost(vk, error)
                        : lg_vk_fail(error, "vkGetMemoryFdKHR", result);
    *fd = made;
    return LG_OK;
}

// The driver takes what it imports, even where a later step fails: it gets a duplicate.
lg_status lg_vk_buffer_import_fd(lg_vk *vk, int fd, size_t size, lg_vk_buffer **out,
                                 lg_error *error)
{
    lg_status status = check(vk, error);
    if (status)
        return status;
    const int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (own < 0)
        return lg_fail(error, LG_ERROR_ARGUMENT, "%d is no open file descriptor", fd);
    const VkImportMemoryFdInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR,
        .handleType = MEMORY_KIND,
        .fd = own,
    };
    lg_vk_allocation a = {0};
    const VkResult result = back(vk, size, &info, &a);
    if (!a.memory)
        close(own);
    if (!result)
        status = lg_vk_buffer_of(vk, &a, size, LG_VK_BUFFER_IMPORTED, out, error);
    else
        lg_vk_release(vk, &a);
    if (result == VK_ERROR_INVALID_EXTERNAL_HANDLE)
        return lg_fail(error, LG_ERROR_ARGUMENT, "descriptor %d is not memory that %s has exported",
                       fd, vk->physical.info.name);
    return result ? lg_vk_fail_size(vk, size, result, error) : status;
}

// ---- semaphores -----------------------------------------------------------------------------------

static VkSemaphore handle_of(uint64_t semaphore)
{
    VkSemaphore handle;
    memcpy(&handle, &semaphore, sizeof handle);
    return handle;
}

lg_status lg_vk_semaphore_create(lg_vk *vk, uint64_t *out, lg_error *error)
{
    if (vk->lost)
        return lg_vk_fail_lost(vk, error);
    const VkExportSemaphoreCreateInfo shared = {
        .sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO,
        .handleTypes = SEMAPHORE_KIND,
    };
    const VkSemaphoreTypeCreateInfo timeline = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
        .pNext = vk->physical.semaphore_fd ? &shared : NULL,
        .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
    };
    const VkSemaphoreCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
        .pNext = &timeline,
    };
    VkSemaphore made = VK_NULL_HANDLE;
    const VkResult result = LG_VK_CALL(vk, vkCreateSemaphore, vk->device, &info, NULL, &made);
    if (result)
        return lg_vk_fail(error, "vkCreateSemaphore", result);
    lg_vk_count(vk, 1);
    *out = 0;
    memcpy(out, &made, sizeof made);
    return LG_OK;
}

// Mesa's thread of a queue looks at the semaphores that a submission has waited for once more behind its end.
// It has done so when the next submission has ended.
static bool is_unused(lg_vk *vk)
{
    lg_vk_lane *lane = vk->lanes;
    return vk->lost ? lg_vk_idle(vk)
                    : !lg_vk_sync(vk, NULL, 0, true, NULL) &&
                          !lg_vk_wait_value(vk, lane, lane->submitted, lane->work, NULL);
}

void lg_vk_semaphore_destroy(lg_vk *vk, uint64_t semaphore)
{
    if (lg_vk_is_forked(vk) || !is_unused(vk)) // a device that hangs may still signal it
        return;
    vk->fn.vkDestroySemaphore(vk->device, handle_of(semaphore), NULL);
    lg_vk_count(vk, -1);
}

static lg_status check_semaphores(const lg_vk *vk, lg_error *error)
{
    if (vk->lost)
        return lg_vk_fail_lost(vk, error);
    if (vk->physical.semaphore_fd && vk->fn.vkGetSemaphoreFdKHR && vk->fn.vkImportSemaphoreFdKHR)
        return LG_OK;
    return lg_fail(error, LG_ERROR_UNSUPPORTED,
                   "%s cannot share semaphores: there is no VK_KHR_external_semaphore_fd for "
                   "timelines, or it is not enabled",
                   vk->physical.info.name);
}

lg_status lg_vk_semaphore_export(lg_vk *vk, uint64_t semaphore, int *fd, lg_error *error)
{
    const lg_status status = check_semaphores(vk, error);
    if (status)
        return status;
    const VkSemaphoreGetFdInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR,
        .semaphore = handle_of(semaphore),
        .handleType = SEMAPHORE_KIND,
    };
    int made = -1;
    const VkResult result = LG_VK_CALL(vk, vkGetSemaphoreFdKHR, vk->device, &info, &made);
    if (result)
        return lg_vk_fail(error, "vkGetSemaphoreFdKHR", result);
    *fd = made;
    return LG_OK;
}

lg_status lg_vk_semaphore_import(lg_vk *vk, int fd, uint64_t *out, lg_error *error)
{
    lg_status status = check_semaphores(vk, error);
    if (status)
        return status;
    const int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (own < 0)
        return lg_fail(error, LG_ERROR_ARGUMENT, "%d is no open file descriptor", fd);
    uint64_t made = 0;
    status = lg_vk_semaphore_create(vk, &made, error);
    if (status) {
        close(own);
        return status;
    }
    const VkImportSemaphoreFdInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR,
        .semaphore = handle_of(made),
        .handleType = SEMAPHORE_KIND,
        .fd = own,
    };
    const VkResult result = LG_VK_CALL(vk, vkImportSemaphoreFdKHR, vk->device, &info);
    if (result) {
        close(own);
        lg_vk_semaphore_destroy(vk, made);
        return lg_vk_fail(error, "vkImportSemaphoreFdKHR", result);
    }
    *out = made;
    return LG_OK;
}

lg_status lg_vk_semaphore_wait(lg_vk *vk, lg_vk_point point, double seconds, bool *reached,
                               lg_error *error)
{
    if (vk->lost)
        return lg_vk_fail_lost(vk, error);
    const VkSemaphore semaphore = handle_of(point.semaphore);
    const VkSemaphoreWaitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
        .semaphoreCount = 1,
        .pSemaphores = &semaphore,
        .pValues = &point.value,
    };
    const double most = 1e9; // seconds, so that nanoseconds fit
    const VkResult result = LG_VK_CALL(vk, vkWaitSemaphores, vk->device, &info,
                                       (uint64_t)(LG_MIN(LG_MAX(seconds, 0.0), most) * 1e9));
    if (result && result != VK_TIMEOUT)
        return lg_vk_fail(error, "vkWaitSemaphores", result);
    *reached = result == VK_SUCCESS;
    return LG_OK;
}

lg_status lg_vk_semaphore_signal(lg_vk *vk, lg_vk_point point, lg_error *error)
{
    if (vk->lost)
        return lg_vk_fail_lost(vk, error);
    uint64_t now = 0;
    VkResult result =
        LG_VK_CALL(vk, vkGetSemaphoreCounterValue, vk->device, handle_of(point.semaphore), &now);
    if (result)
        return lg_vk_fail(error, "vkGetSemaphoreCounterValue", result);
    if (point.value <= now)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "a semaphore at %llu cannot be signalled to %llu: values grow",
                       (unsigned long long)now, (unsigned long long)point.value);
    const VkSemaphoreSignalInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
        .semaphore = handle_of(point.semaphore),
        .value = point.value,
    };
    result = LG_VK_CALL(vk, vkSignalSemaphore, vk->device, &info);
    return result ? lg_vk_fail(error, "vkSignalSemaphore", result) : LG_OK;
}

// Device memory: a VkBuffer with memory behind it, mapped where the host needs it, and its address.
#include "vulkan/vk_private.h"

static bool has_flags(const lg_vk *vk, uint32_t type, VkMemoryPropertyFlags with,
                      VkMemoryPropertyFlags without)
{
    const VkMemoryPropertyFlags flags = vk->physical.memory.memoryTypes[type].propertyFlags;
    return (flags & with) == with && !(flags & without);
}

// Types come in the driver's order of preference; mapped memory is always coherent, so that a host
// pointer needs no flushes.
uint32_t lg_vk_memory_type(const lg_vk *vk, uint32_t allowed, lg_vk_memory memory)
{
    enum {
        LOCAL = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
        MAPPED = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
        CACHED = VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
        NEVER = VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT | VK_MEMORY_PROPERTY_PROTECTED_BIT,
    };
    static const struct {
        int with, without;
    } wishes[LG_VK_MEMORIES][3] = {
        [LG_VK_DEVICE] = {{LOCAL, NEVER | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT},
                          {LOCAL, NEVER},
                          {0, NEVER}},
        [LG_VK_UPLOAD] = {{MAPPED, NEVER | LOCAL}, {MAPPED, NEVER}, {MAPPED, NEVER}},
        [LG_VK_READBACK] = {{MAPPED | CACHED, NEVER | LOCAL},
                            {MAPPED | CACHED, NEVER},
                            {MAPPED, NEVER}},
    };
    for (size_t wish = 0; wish < 3; wish++)
        for (uint32_t i = 0; i < vk->physical.memory.memoryTypeCount; i++)
            if ((allowed >> i & 1) && has_flags(vk, i, (uint32_t)wishes[memory][wish].with,
                                                (uint32_t)wishes[memory][wish].without))
                return i;
    return UINT32_MAX;
}

void lg_vk_release(lg_vk *vk, const lg_vk_allocation *a)
{
    if (a->buffer) {
        vk->fn.vkDestroyBuffer(vk->device, a->buffer, NULL);
        lg_vk_count(vk, -1);
    }
    if (a->memory) {
        vk->fn.vkFreeMemory(vk->device, a->memory, NULL);
        lg_vk_count(vk, -1);
    }
}

VkResult lg_vk_raw_buffer(lg_vk *vk, size_t size, const void *next, VkBuffer *out)
{
    // Buffers are used by all queues without transfers of ownership, which costs buffers nothing.
    const uint32_t families[] = {vk->physical.queue_family, vk->physical.copy_family};
    const bool shared = vk->physical.copy_queues > 0 && families[0] != families[1];
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .pNext = next,
        .size = size,
        .usage = LG_VK_BUFFER_USAGE,
        .sharingMode = shared ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE,
        .queueFamilyIndexCount = shared ? 2 : 0,
        .pQueueFamilyIndices = shared ? families : NULL,
    };
    const VkResult result = LG_VK_CALL(vk, vkCreateBuffer, vk->device, &info, NULL, out);
    if (!result)
        lg_vk_count(vk, 1);
    return result;
}

// Memory for a->buffer from `next` (dedicated or imported), bound, mapped and with its address.
VkResult lg_vk_back_buffer(lg_vk *vk, lg_vk_allocation *a, uint64_t bytes, uint32_t type, bool map,
                           const void *next)
{
    const VkMemoryAllocateFlagsInfo flags = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
        .pNext = next,
        .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
    };
    const VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .pNext = &flags,
        .allocationSize = bytes,
        .memoryTypeIndex = type,
    };
    VkResult result = LG_VK_CALL(vk, vkAllocateMemory, vk->device, &info, NULL, &a->memory);
    if (result)
        return result;
    lg_vk_count(vk, 1);
    result = LG_VK_CALL(vk, vkBindBufferMemory, vk->device, a->buffer, a->memory, 0);
    if (!result && map)
        result = LG_VK_CALL(vk, vkMapMemory, vk->device, a->memory, 0, VK_WHOLE_SIZE, 0, &a->map);
    if (result)
        return result;
    const VkBufferDeviceAddressInfo address = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
        .buffer = a->buffer,
    };
    a->address = vk->fn.vkGetBufferDeviceAddress(vk->device, &address);
    return VK_SUCCESS;
}

lg_status lg_vk_fail_size(lg_vk *vk, size_t size, VkResult result, lg_error *error)
{
    if (vk->lost)
        return lg_vk_fail_lost(vk, error);
    if (result != VK_ERROR_OUT_OF_DEVICE_MEMORY && result != VK_ERROR_OUT_OF_HOST_MEMORY)
        return lg_vk_fail(error, "a buffer", result);
    return lg_fail(error, LG_ERROR_MEMORY,
                   "%s has no room for %zu bytes (%s; its memory holds %llu bytes in all); use "
                   "smaller images or the CPU",
                   vk->physical.info.name, size, lg_vk_result_name(result),
                   (unsigned long long)vk->physical.heap_size);
}

lg_status lg_vk_allocate(lg_vk *vk, size_t size, lg_vk_memory memory, bool dedicated,
                         lg_vk_allocation *out, lg_error *error)
{
    // Software Vulkan overflows inside where a GPU's driver refuses: stay below what it states.
    if (!vk->physical.limits.hardware && size > vk->physical.limits.max_allocation)
        return lg_vk_fail_size(vk, size, VK_ERROR_OUT_OF_DEVICE_MEMORY, error);
    lg_vk_allocation a = {0};
    VkResult result = lg_vk_raw_buffer(vk, size, NULL, &a.buffer);
    if (result)
        return lg_vk_fail_size(vk, size, result, error);
    VkMemoryRequirements need;
    vk->fn.vkGetBufferMemoryRequirements(vk->device, a.buffer, &need);
    const uint32_t type = lg_vk_memory_type(vk, need.memoryTypeBits, memory);
    if (type == UINT32_MAX) {
        lg_vk_release(vk, &a);
        return lg_fail(error, LG_ERROR_DEVICE, "%s has no memory of the kind that is needed",
                       vk->physical.info.name);
    }
    const VkMemoryDedicatedAllocateInfo own = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
        .buffer = a.buffer,
    };
    result =
        lg_vk_back_buffer(vk, &a, need.size, type, memory != LG_VK_DEVICE, dedicated ? &own : NULL);
    if (result) {
        lg_vk_release(vk, &a);
        return lg_vk_fail_size(vk, size, result, error);
    }
    *out = a;
    return LG_OK;
}

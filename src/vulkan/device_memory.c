// Device memory: large buffers own an allocation, small ones share the blocks of a pool.
#include "vulkan/vk_private.h"

#include <string.h>

enum { ALIGNMENT = 256 };
#define SMALL       ((size_t)1 << 20)   // below: from a pool block
#define FIRST_BLOCK ((size_t)256 << 10) // each further block is twice as large, up to
#define LAST_BLOCK  ((size_t)8 << 20)

typedef struct range {
    uint64_t offset, size;
} range;

struct lg_vk_block {
    VkBuffer buffer;
    VkDeviceMemory memory;
    VkDeviceAddress address;
    void *map;
    uint64_t size;
    range *free; // sorted by offset, neighbours merged
    size_t free_count, free_capacity, live;
    lg_vk_memory kind;
    lg_vk_block *next;
};

// One VkBuffer with memory behind it.
typedef struct allocation {
    VkBuffer buffer;
    VkDeviceMemory memory;
    VkDeviceAddress address;
    void *map;
} allocation;

static const VkBufferUsageFlags usage =
    VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
    VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;

// ---- Vulkan objects -----------------------------------------------------------------------------

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

static void release(lg_vk *vk, const allocation *a)
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

static VkResult create_buffer(lg_vk *vk, size_t size, const void *next, VkBuffer *out)
{
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .pNext = next,
        .size = size,
        .usage = usage,
        .sharingMode = VK_SHARING_MODE_EXCLUSIVE,
    };
    const VkResult result = LG_VK_CALL(vk, vkCreateBuffer, vk->device, &info, NULL, out);
    if (!result)
        lg_vk_count(vk, 1);
    return result;
}

// Memory for a->buffer from `next` (dedicated or imported), bound, mapped and with its address.
static VkResult back_buffer(lg_vk *vk, allocation *a, uint64_t bytes, uint32_t type, bool map,
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

static lg_status fail_size(lg_vk *vk, size_t size, VkResult result, lg_error *error)
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

static lg_status allocate(lg_vk *vk, size_t size, lg_vk_memory memory, bool dedicated,
                          allocation *out, lg_error *error)
{
    // Software Vulkan overflows inside where a GPU's driver refuses: stay below what it states.
    if (!vk->physical.limits.hardware && size > vk->physical.limits.max_allocation)
        return fail_size(vk, size, VK_ERROR_OUT_OF_DEVICE_MEMORY, error);
    allocation a = {0};
    VkResult result = create_buffer(vk, size, NULL, &a.buffer);
    if (result)
        return fail_size(vk, size, result, error);
    VkMemoryRequirements need;
    vk->fn.vkGetBufferMemoryRequirements(vk->device, a.buffer, &need);
    const uint32_t type = lg_vk_memory_type(vk, need.memoryTypeBits, memory);
    if (type == UINT32_MAX) {
        release(vk, &a);
        return lg_fail(error, LG_ERROR_DEVICE, "%s has no memory of the kind that is needed",
                       vk->physical.info.name);
    }
    const VkMemoryDedicatedAllocateInfo own = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
        .buffer = a.buffer,
    };
    result = back_buffer(vk, &a, need.size, type, memory != LG_VK_DEVICE, dedicated ? &own : NULL);
    if (result) {
        release(vk, &a);
        return fail_size(vk, size, result, error);
    }
    *out = a;
    return LG_OK;
}

// ---- pool blocks --------------------------------------------------------------------------------

static void block_destroy(lg_vk *vk, lg_vk_block *block)
{
    release(vk, &(allocation){.buffer = block->buffer, .memory = block->memory});
    lg_free(block->free);
    lg_free(block);
}

static lg_status block_create(lg_vk *vk, size_t need, lg_vk_memory kind, lg_vk_block **out,
                              lg_error *error)
{
    size_t size = FIRST_BLOCK;
    for (const lg_vk_block *b = vk->blocks[kind]; b && size < LAST_BLOCK; b = b->next)
        size *= 2;
    size = LG_MAX(size, lg_align_up(need, FIRST_BLOCK));
    lg_vk_block *block = lg_alloc(sizeof *block);
    range *free_list = lg_alloc_array(16, sizeof *free_list);
    allocation a = {0};
    lg_status status = !block || !free_list ? lg_fail_memory(error, sizeof *block, "a pool block")
                                            : allocate(vk, size, kind, false, &a, error);
    if (status) {
        lg_free(block);
        lg_free(free_list);
        return status;
    }
    *block = (lg_vk_block){
        .buffer = a.buffer,
        .memory = a.memory,
        .address = a.address,
        .map = a.map,
        .size = size,
        .free = free_list,
        .free_count = 1,
        .free_capacity = 16,
        .kind = kind,
        .next = vk->blocks[kind],
    };
    free_list[0] = (range){0, size};
    vk->blocks[kind] = block;
    *out = block;
    return LG_OK;
}

// Every buffer taken may one day come back between two others, so room for its range is made when
// it is taken: giving back cannot fail.
static bool block_widen(lg_vk_block *block)
{
    if (block->free_count + block->live + 2 <= block->free_capacity)
        return true;
    range *wider = lg_alloc_array(block->free_capacity * 2, sizeof *wider);
    if (!wider)
        return false;
    memcpy(wider, block->free, block->free_count * sizeof *wider);
    lg_free(block->free);
    block->free = wider;
    block->free_capacity *= 2;
    return true;
}

// First fit.
static bool block_take(lg_vk_block *block, uint64_t need, uint64_t *offset)
{
    if (!block_widen(block))
        return false;
    for (size_t i = 0; i < block->free_count; i++) {
        range *r = &block->free[i];
        if (r->size < need)
            continue;
        *offset = r->offset;
        r->offset += need;
        r->size -= need;
        block->live++;
        return true; // an empty range stays as a place for what comes back
    }
    return false;
}

static void block_drop_range(lg_vk_block *block, size_t at)
{
    block->free_count--;
    memmove(&block->free[at], &block->free[at + 1], (block->free_count - at) * sizeof *block->free);
}

static void block_give(lg_vk_block *block, uint64_t offset, uint64_t size)
{
    size_t at = 0;
    block->live--;
    while (at < block->free_count && block->free[at].offset + block->free[at].size < offset)
        at++;
    range *r = &block->free[at];
    if (at < block->free_count && r->offset + r->size == offset) {
        r->size += size;
    } else if (at < block->free_count && offset + size == r->offset) {
        r->offset = offset;
        r->size += size;
    } else {
        memmove(r + 1, r, (block->free_count - at) * sizeof *r);
        *r = (range){offset, size};
        block->free_count++;
    }
    while (at + 1 < block->free_count &&
           block->free[at].offset + block->free[at].size == block->free[at + 1].offset) {
        block->free[at].size += block->free[at + 1].size;
        block_drop_range(block, at + 1);
    }
}

// An empty block goes back to the system unless it is the only one of its kind.
static void block_trim(lg_vk *vk, lg_vk_block *block)
{
    lg_vk_block **link = &vk->blocks[block->kind];
    if (block->live > 0 || (*link == block && !block->next))
        return;
    while (*link != block)
        link = &(*link)->next;
    *link = block->next;
    block_destroy(vk, block);
}

void lg_vk_blocks_destroy(lg_vk *vk)
{
    for (int kind = 0; kind < LG_VK_MEMORIES; kind++)
        while (vk->blocks[kind]) {
            lg_vk_block *block = vk->blocks[kind];
            vk->blocks[kind] = block->next;
            block_destroy(vk, block);
        }
}

// ---- buffers ------------------------------------------------------------------------------------

static lg_vk_buffer *new_buffer(size_t size)
{
    lg_vk_buffer *buffer = lg_alloc(sizeof *buffer);
    struct lg_vk_buffer_private *priv = lg_alloc(sizeof *priv);
    if (!buffer || !priv) {
        lg_free(buffer);
        lg_free(priv);
        return NULL;
    }
    buffer->size = size;
    buffer->priv = priv;
    return buffer;
}

static void drop_buffer(lg_vk_buffer *buffer)
{
    lg_free(buffer->priv);
    lg_free(buffer);
}

static void set_allocation(lg_vk_buffer *buffer, const allocation *a)
{
    buffer->address = a->address;
    buffer->map = a->map;
    buffer->priv->buffer = a->buffer;
    buffer->priv->memory = a->memory;
}

static lg_status take_small(lg_vk *vk, lg_vk_buffer *buffer, lg_vk_memory memory, lg_error *error)
{
    const uint64_t need = lg_align_up(buffer->size, ALIGNMENT);
    uint64_t offset = 0;
    lg_vk_block *block = vk->blocks[memory];
    while (block && !block_take(block, need, &offset))
        block = block->next;
    if (!block) {
        lg_status status = block_create(vk, need, memory, &block, error);
        if (status)
            return status;
        block_take(block, need, &offset); // a fresh block has room and a wide list
    }
    buffer->address = block->address + offset;
    buffer->map = block->map ? (char *)block->map + offset : NULL;
    buffer->priv->buffer = block->buffer;
    buffer->priv->offset = offset;
    buffer->priv->block = block;
    buffer->priv->need = need;
    return LG_OK;
}

// ---- the spare: temporary images of the same size come and go
// --------------------------------------

void lg_vk_spare_destroy(lg_vk *vk)
{
    if (!vk->spare)
        return;
    const struct lg_vk_buffer_private *priv = vk->spare->priv;
    release(vk, &(allocation){.buffer = priv->buffer, .memory = priv->memory});
    drop_buffer(vk->spare);
    vk->spare = NULL;
}

static bool spare_give(lg_vk *vk, lg_vk_buffer *buffer)
{
    const struct lg_vk_buffer_private *priv = buffer->priv;
    if (priv->block || priv->imported || priv->kind != LG_VK_DEVICE ||
        priv->need > vk->physical.heap_size / 16)
        return false;
    lg_vk_spare_destroy(vk);
    vk->spare = buffer;
    return true;
}

static lg_vk_buffer *spare_take(lg_vk *vk, size_t size, lg_vk_memory memory)
{
    lg_vk_buffer *buffer = vk->spare;
    if (!buffer || memory != LG_VK_DEVICE || size > buffer->priv->need ||
        size < buffer->priv->need / 2)
        return NULL;
    vk->spare = NULL;
    buffer->size = size;
    return buffer;
}

// An allocation of its own; the spare gives way when memory is short.
static lg_status take_large(lg_vk *vk, lg_vk_buffer *buffer, lg_vk_memory memory, lg_error *error)
{
    allocation a = {0};
    lg_status status = allocate(vk, buffer->size, memory, true, &a, error);
    if (status == LG_ERROR_MEMORY && vk->spare) {
        lg_vk_spare_destroy(vk);
        status = allocate(vk, buffer->size, memory, true, &a, error);
    }
    if (status)
        return status;
    set_allocation(buffer, &a);
    buffer->priv->need = buffer->size;
    buffer->priv->kind = memory;
    return LG_OK;
}

lg_status lg_vk_buffer_create(lg_vk *vk, size_t size, lg_vk_memory memory, lg_vk_buffer **out,
                              lg_error *error)
{
    if (vk->lost)
        return lg_vk_fail_lost(vk, error);
    if (size == 0 || (unsigned)memory >= LG_VK_MEMORIES || size > SIZE_MAX / 2)
        return lg_fail(error, LG_ERROR_ARGUMENT, "a device buffer of %zu bytes", size);
    const bool small = size < SMALL;
    lg_vk_buffer *buffer = small ? NULL : spare_take(vk, size, memory);
    if (buffer) {
        *out = buffer;
        return LG_OK;
    }
    buffer = new_buffer(size);
    if (!buffer)
        return lg_fail_memory(error, sizeof *buffer, "a device buffer");
    lg_status status =
        small ? take_small(vk, buffer, memory, error) : take_large(vk, buffer, memory, error);
    if (status) {
        drop_buffer(buffer);
        return status;
    }
    *out = buffer;
    return LG_OK;
}

void lg_vk_buffer_free(lg_vk *vk, lg_vk_buffer *buffer)
{
    const struct lg_vk_buffer_private *priv = buffer->priv;
    if (spare_give(vk, buffer))
        return;
    if (priv->block) {
        block_give(priv->block, priv->offset, priv->need);
        block_trim(vk, priv->block);
    } else {
        release(vk, &(allocation){.buffer = priv->buffer, .memory = priv->memory});
    }
    drop_buffer(buffer);
}

void lg_vk_buffer_destroy(lg_vk *vk, lg_vk_buffer **buffer)
{
    if (!buffer || !*buffer)
        return;
    lg_vk_buffer *gone = *buffer;
    *buffer = NULL;
    if (!vk->lost) {
        lg_vk_buffer_free(vk, gone);
        return;
    }
    if (gone->priv->imported) // the caller frees the memory next
        lg_vk_idle(vk);
    gone->priv->next = vk->kept_buffers; // a lost device may still be writing
    vk->kept_buffers = gone;
}

// ---- import -------------------------------------------------------------------------------------

static VkResult import(lg_vk *vk, const void *host, size_t size, allocation *a)
{
    const VkExternalMemoryHandleTypeFlagBits kind =
        VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
    VkMemoryHostPointerPropertiesEXT properties = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
    VkResult result =
        LG_VK_CALL(vk, vkGetMemoryHostPointerPropertiesEXT, vk->device, kind, host, &properties);
    if (result)
        return result;
    const VkExternalMemoryBufferCreateInfo external = {
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
        .handleTypes = kind,
    };
    result = create_buffer(vk, size, &external, &a->buffer);
    if (result)
        return result;
    VkMemoryRequirements need;
    vk->fn.vkGetBufferMemoryRequirements(vk->device, a->buffer, &need);
    const uint32_t types = need.memoryTypeBits & properties.memoryTypeBits;
    if (!types || need.size > size)
        return VK_ERROR_INVALID_EXTERNAL_HANDLE;
    const VkImportMemoryHostPointerInfoEXT info = {
        .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
        .handleType = kind,
        .pHostPointer = (void *)(uintptr_t)host,
    };
    return back_buffer(vk, a, size, (uint32_t)__builtin_ctz(types), false, &info);
}

lg_status lg_vk_buffer_import(lg_vk *vk, const void *host, size_t size, lg_vk_buffer **out,
                              lg_error *error)
{
    if (vk->lost)
        return lg_vk_fail_lost(vk, error);
    const uint64_t alignment = vk->physical.host_import_alignment;
    if (!vk->physical.limits.host_import || !vk->fn.vkGetMemoryHostPointerPropertiesEXT)
        return lg_fail(error, LG_ERROR_UNSUPPORTED, "%s cannot import host memory: copy it",
                       vk->physical.info.name);
    if (!host || size == 0 || (uintptr_t)host % alignment || size % alignment)
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "host memory at %p of %zu bytes cannot be imported: address and size must "
                       "be multiples of %llu; copy it",
                       host, size, (unsigned long long)alignment);
    lg_vk_buffer *buffer = new_buffer(size);
    if (!buffer)
        return lg_fail_memory(error, sizeof *buffer, "a device buffer");
    allocation a = {0};
    const VkResult result = import(vk, host, size, &a);
    if (result) {
        release(vk, &a);
        drop_buffer(buffer);
        if (vk->lost)
            return lg_vk_fail_lost(vk, error);
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "%s does not take this host memory (%s): copy it", vk->physical.info.name,
                       lg_vk_result_name(result));
    }
    set_allocation(buffer, &a);
    buffer->priv->imported = true;
    *out = buffer;
    return LG_OK;
}

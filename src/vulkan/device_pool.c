// The pool: small buffers share blocks, each one VkBuffer with a sorted list of free ranges.
#include "vulkan/vk_private.h"

#include <string.h>

enum { ALIGNMENT = 256 };
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

static void block_destroy(lg_vk *vk, lg_vk_block *block)
{
    lg_vk_release(vk, &(lg_vk_allocation){.buffer = block->buffer, .memory = block->memory});
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
    lg_vk_allocation a = {0};
    lg_status status = !block || !free_list ? lg_fail_memory(error, sizeof *block, "a pool block")
                                            : lg_vk_allocate(vk, size, kind, false, &a, error);
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
static bool block_alloc(lg_vk_block *block, uint64_t need, uint64_t *offset)
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

static void block_free(lg_vk_block *block, uint64_t offset, uint64_t size)
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

lg_status lg_vk_pool_alloc(lg_vk *vk, lg_vk_buffer *buffer, lg_vk_memory memory, lg_error *error)
{
    const uint64_t need = lg_align_up(buffer->size, ALIGNMENT);
    uint64_t offset = 0;
    lg_vk_block *block = vk->blocks[memory];
    while (block && !block_alloc(block, need, &offset))
        block = block->next;
    if (!block) {
        lg_status status = block_create(vk, need, memory, &block, error);
        if (status)
            return status;
        block_alloc(block, need, &offset); // a fresh block has room and a wide list
    }
    buffer->address = block->address + offset;
    buffer->map = block->map ? (char *)block->map + offset : NULL;
    buffer->priv->buffer = block->buffer;
    buffer->priv->offset = offset;
    buffer->priv->block = block;
    buffer->priv->need = need;
    return LG_OK;
}

void lg_vk_pool_free(lg_vk *vk, const lg_vk_buffer *buffer)
{
    block_free(buffer->priv->block, buffer->priv->offset, buffer->priv->need);
    block_trim(vk, buffer->priv->block);
}

// Buffers: large ones own an allocation, small ones come from the pool, some are memory of others.
#include "vulkan/vk_private.h"

#include <string.h>

#define SMALL ((size_t)1 << 20) // bytes; below: from the pool

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

static void set_allocation(lg_vk_buffer *buffer, const lg_vk_allocation *a)
{
    buffer->address = a->address;
    buffer->map = a->map;
    buffer->priv->buffer = a->buffer;
    buffer->priv->memory = a->memory;
}

// ---- those that live ----------------------------------------------------------------------------

static void begin_life(lg_vk *vk, lg_vk_buffer *buffer)
{
    buffer->priv->owner = vk;
    buffer->priv->older = vk->live;
    if (vk->live)
        vk->live->priv->newer = buffer;
    vk->live = buffer;
}

static void end_life(lg_vk *vk, lg_vk_buffer *buffer)
{
    struct lg_vk_buffer_private *priv = buffer->priv;
    if (priv->older)
        priv->older->priv->newer = priv->newer;
    if (priv->newer)
        priv->newer->priv->older = priv->older;
    else
        vk->live = priv->older;
    priv->older = priv->newer = NULL;
}

// Memory that somebody else has, too.
static bool is_of_others(const struct lg_vk_buffer_private *priv)
{
    return priv->imported || priv->shared || priv->foreign;
}

// ---- the spare: temporary images of the same size come and go -----------------------------------

void lg_vk_spare_destroy(lg_vk *vk)
{
    if (!vk->spare)
        return;
    const struct lg_vk_buffer_private *priv = vk->spare->priv;
    lg_vk_release(vk, &(lg_vk_allocation){.buffer = priv->buffer, .memory = priv->memory});
    drop_buffer(vk->spare);
    vk->spare = NULL;
}

static bool spare_keep(lg_vk *vk, lg_vk_buffer *buffer)
{
    const struct lg_vk_buffer_private *priv = buffer->priv;
    if (vk->separate || priv->block || is_of_others(priv) || priv->kind != LG_VK_DEVICE ||
        priv->need > vk->physical.heap_size / 16)
        return false;
    lg_vk_spare_destroy(vk);
    vk->spare = buffer;
    return true;
}

static lg_vk_buffer *spare_reuse(lg_vk *vk, size_t size, lg_vk_memory memory)
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
static lg_status alloc_large(lg_vk *vk, lg_vk_buffer *buffer, lg_vk_memory memory, lg_error *error)
{
    lg_vk_allocation a = {0};
    lg_status status = lg_vk_allocate(vk, buffer->size, memory, true, &a, error);
    if (status == LG_ERROR_MEMORY && vk->spare) {
        lg_vk_spare_destroy(vk);
        status = lg_vk_allocate(vk, buffer->size, memory, true, &a, error);
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
    lg_vk_free_retired(vk, false);
    const bool small = size < SMALL && !vk->separate;
    lg_vk_buffer *buffer = small ? NULL : spare_reuse(vk, size, memory);
    if (buffer) {
        begin_life(vk, buffer);
        *out = buffer;
        return LG_OK;
    }
    buffer = new_buffer(size);
    if (!buffer)
        return lg_fail_memory(error, sizeof *buffer, "a device buffer");
    lg_status status = small ? lg_vk_pool_alloc(vk, buffer, memory, error)
                             : alloc_large(vk, buffer, memory, error);
    if (status) {
        drop_buffer(buffer);
        return status;
    }
    begin_life(vk, buffer);
    *out = buffer;
    return LG_OK;
}

// Overwrites memory that is given back, so that a kernel that reads it later computes something else. What
// was recorded and not yet submitted is such a reader. False: the device may still be writing.
static bool poison(lg_vk *vk, lg_vk_buffer *buffer)
{
    lg_vk_commands *commands;
    if (!vk->poison || vk->lost || is_of_others(buffer->priv) ||
        lg_vk_commands_create(vk, 0, &commands, NULL))
        return true;
    lg_vk_begin(commands);
    lg_vk_fill(commands, buffer, 0, buffer->size & ~(size_t)3, UINT32_MAX);
    const bool submitted = !lg_vk_end(commands, NULL) && !lg_vk_submit(vk, commands, NULL);
    const bool done = !submitted || !lg_vk_wait(vk, commands, NULL);
    lg_vk_commands_destroy(vk, &commands);
    return done;
}

void lg_vk_buffer_free(lg_vk *vk, lg_vk_buffer *buffer)
{
    const struct lg_vk_buffer_private *priv = buffer->priv;
    if (spare_keep(vk, buffer))
        return;
    if (priv->block) {
        lg_vk_pool_free(vk, buffer);
    } else if (!priv->foreign) {
        lg_vk_release(vk, &(lg_vk_allocation){.buffer = priv->buffer, .memory = priv->memory});
    }
    drop_buffer(buffer);
}

void lg_vk_free_retired(lg_vk *vk, bool all)
{
    lg_vk_buffer **at = &vk->retired;
    while (*at) {
        lg_vk_buffer *gone = *at;
        if (!all && gone->priv->until > vk->lanes->finished) {
            at = &gone->priv->next;
            continue;
        }
        *at = gone->priv->next;
        lg_vk_buffer_free(vk, gone);
    }
}

void lg_vk_buffer_destroy(lg_vk *vk, lg_vk_buffer **buffer)
{
    if (!buffer || !*buffer)
        return;
    lg_vk_buffer *gone = *buffer;
    *buffer = NULL;
    if (lg_vk_is_forked(vk))
        return;
    // What nobody waits for may wait for the caller's next call: its memory is given back later.
    if (vk->unwatched > vk->lanes->finished && !vk->lost && !is_of_others(gone->priv)) {
        end_life(vk, gone);
        gone->priv->until = vk->lanes->submitted;
        gone->priv->next = vk->retired;
        vk->retired = gone;
        return;
    }
    const bool done = !lg_vk_wait_unwatched(vk, NULL) && poison(vk, gone);
    end_life(vk, gone);
    if (done && !vk->lost) {
        lg_vk_buffer_free(vk, gone);
        return;
    }
    if (is_of_others(gone->priv)) // the caller frees the memory next
        lg_vk_idle(vk);
    gone->priv->next = vk->kept_buffers; // a lost device may still be writing
    vk->kept_buffers = gone;
}

lg_status lg_vk_buffer_of(lg_vk *vk, const lg_vk_allocation *a, size_t size, lg_vk_owner owner,
                          lg_vk_buffer **out, lg_error *error)
{
    lg_vk_buffer *buffer = new_buffer(size);
    if (!buffer) {
        if (owner != LG_VK_BUFFER_FOREIGN)
            lg_vk_release(vk, a);
        return lg_fail_memory(error, sizeof *buffer, "a device buffer");
    }
    set_allocation(buffer, a);
    buffer->priv->imported = owner == LG_VK_BUFFER_IMPORTED;
    buffer->priv->shared = owner == LG_VK_BUFFER_SHARED;
    buffer->priv->foreign = owner == LG_VK_BUFFER_FOREIGN;
    begin_life(vk, buffer);
    *out = buffer;
    return LG_OK;
}

// ---- the application's --------------------------------------------------------------------------

lg_status lg_vk_buffer_wrap(lg_vk *vk, uint64_t handle, uint64_t offset, size_t size,
                            uint64_t address, lg_vk_buffer **out, lg_error *error)
{
    if (vk->lost)
        return lg_vk_fail_lost(vk, error);
    lg_vk_allocation a = {.address = address};
    memcpy(&a.buffer, &handle, sizeof a.buffer);
    const VkBufferDeviceAddressInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
        .buffer = a.buffer,
    };
    if (!address)
        a.address = vk->fn.vkGetBufferDeviceAddress(vk->device, &info);
    a.address += offset;
    if (a.address % 16)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "pixels at device address %llu: it has to be a multiple of 16",
                       (unsigned long long)a.address);
    const lg_status status = lg_vk_buffer_of(vk, &a, size, LG_VK_BUFFER_FOREIGN, out, error);
    if (!status)
        (*out)->priv->offset = offset;
    return status;
}

void lg_vk_buffer_handle(const lg_vk_buffer *buffer, uint64_t *handle, uint64_t *offset)
{
    *handle = 0;
    memcpy(handle, &buffer->priv->buffer, sizeof buffer->priv->buffer);
    *offset = buffer->priv->offset;
}

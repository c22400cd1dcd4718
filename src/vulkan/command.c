// Command buffers: recording, submission, waiting, timestamps.
#include "vulkan/ceiling_push.h"
#include "vulkan/vk_private.h"

#include <string.h>

enum { PUSH_SIZE = 128 };

extern const lg_spirv lg_spirv_ceiling_copy;

static const VkPipelineStageFlags device_stages =
    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
static const VkAccessFlags device_writes =
    VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
static const VkAccessFlags device_access = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                                           VK_ACCESS_TRANSFER_READ_BIT |
                                           VK_ACCESS_TRANSFER_WRITE_BIT;

static void barrier(lg_vk_commands *c, VkPipelineStageFlags to, VkAccessFlags access)
{
    // A queue that only copies knows no other stage.
    const VkPipelineStageFlags left_out =
        c->lane->only_copies ? VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT : 0;
    const VkAccessFlags untouched =
        c->lane->only_copies ? VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT : 0;
    const VkMemoryBarrier memory = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = device_writes & ~untouched,
        .dstAccessMask = access & ~untouched,
    };
    c->vk->fn.vkCmdPipelineBarrier(c->handle, device_stages & ~left_out, to & ~left_out, 0, 1,
                                   &memory, 0, NULL, 0, NULL);
    c->dirty = false;
    lg_vk_hazards_barrier(c);
}

// ---- life ---------------------------------------------------------------------------------------

void lg_vk_commands_free(lg_vk *vk, lg_vk_commands *c)
{
    if (c->pool) {
        vk->fn.vkDestroyCommandPool(vk->device, c->pool, NULL);
        lg_vk_count(vk, -1);
    }
    if (c->queries) {
        vk->fn.vkDestroyQueryPool(vk->device, c->queries, NULL);
        lg_vk_count(vk, -1);
    }
    lg_vk_hazards_destroy(c);
    lg_free(c);
}

static VkResult create_handles(lg_vk *vk, lg_vk_commands *c)
{
    const VkCommandPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
        .queueFamilyIndex = c->lane->family,
    };
    VkResult result = LG_VK_CALL(vk, vkCreateCommandPool, vk->device, &pool, NULL, &c->pool);
    if (result)
        return result;
    lg_vk_count(vk, 1);
    const VkCommandBufferAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = c->pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    result = LG_VK_CALL(vk, vkAllocateCommandBuffers, vk->device, &info, &c->handle);
    if (result || !c->timestamps)
        return result;
    const VkQueryPoolCreateInfo queries = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
        .queryType = VK_QUERY_TYPE_TIMESTAMP,
        .queryCount = c->timestamps,
    };
    result = LG_VK_CALL(vk, vkCreateQueryPool, vk->device, &queries, NULL, &c->queries);
    if (!result)
        lg_vk_count(vk, 1);
    return result;
}

lg_status lg_vk_commands_create(lg_vk *vk, uint32_t timestamps, lg_vk_commands **out,
                                lg_error *error)
{
    return lg_vk_commands_create_for(vk, LG_VK_COMPUTES, timestamps, out, error);
}

lg_status lg_vk_commands_create_for(lg_vk *vk, lg_vk_use use, uint32_t timestamps,
                                    lg_vk_commands **out, lg_error *error)
{
    if (vk->lost)
        return lg_vk_fail_lost(vk, error);
    lg_vk_commands *c = lg_alloc(sizeof *c);
    if (!c)
        return lg_fail_memory(error, sizeof *c, "a command buffer");
    c->vk = vk;
    c->lane = vk->lane_of[use];
    c->timestamps = c->lane->timestamp_bits ? timestamps : 0;
    const VkResult result =
        lg_vk_hazards_create(c) ? create_handles(vk, c) : VK_ERROR_OUT_OF_HOST_MEMORY;
    if (result) {
        lg_vk_commands_free(vk, c);
        return lg_vk_fail(error, "a command buffer", result);
    }
    *out = c;
    return LG_OK;
}

void lg_vk_commands_destroy(lg_vk *vk, lg_vk_commands **commands)
{
    if (!commands || !*commands)
        return;
    lg_vk_commands *c = *commands;
    *commands = NULL;
    if (lg_vk_is_forked(vk))
        return;
    if (!vk->lost && !lg_vk_wait_value(vk, c->lane, c->value, c->work, NULL)) {
        lg_vk_commands_free(vk, c);
        return;
    }
    c->next = vk->kept_commands; // a device that nobody could wait for may still be reading them
    vk->kept_commands = c;
}

// ---- recording ----------------------------------------------------------------------------------

void lg_vk_begin(lg_vk_commands *c)
{
    lg_vk *vk = c->vk;
    if (c->recording) // begun and never ended
        vk->fn.vkEndCommandBuffer(c->handle);
    c->recording = c->ready = false;
    c->dispatches = 0;
    c->bound = VK_NULL_HANDLE;
    c->misuse = NULL;
    c->trouble = VK_SUCCESS;
    c->failure.status = LG_OK;
    lg_vk_hazards_begin(c);
    if (lg_vk_wait_value(vk, c->lane, c->value, c->work, NULL)) {
        c->trouble = VK_ERROR_OUT_OF_HOST_MEMORY; // or a loss, which lg_vk_end sees first
        return;
    }
    // Not ONE_TIME_SUBMIT: a plan is recorded once and may be queued again while it still runs.
    const VkCommandBufferBeginInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
    };
    c->trouble = LG_VK_CALL(vk, vkBeginCommandBuffer, c->handle, &info);
    if (c->trouble)
        return;
    c->recording = true;
    vk->recordings++;
    barrier(c, device_stages, device_access); // what was submitted before is done and visible
    if (c->timestamps && !c->lane->only_copies)
        vk->fn.vkCmdResetQueryPool(c->handle, c->queries, 0, c->timestamps);
}

static bool check(lg_vk_commands *c, bool good, const char *misuse)
{
    if (!c->recording)
        return false;
    if (!good && !c->misuse)
        c->misuse = misuse;
    return good;
}

void lg_vk_dispatch(lg_vk_commands *c, const lg_vk_pipeline *pipeline, const void *push,
                    uint32_t push_size, uint32_t x, uint32_t y, uint32_t z)
{
    lg_vk *vk = c->vk;
    const uint32_t *max = vk->physical.limits.max_workgroups;
    if (!check(c, push_size <= PUSH_SIZE && push_size % 4 == 0,
               "push constants of more than 128 bytes or no multiple of 4") ||
        !check(c, x <= max[0] && y <= max[1] && z <= max[2], "too many workgroups") || x == 0 ||
        y == 0 || z == 0 || !lg_vk_pipeline_ready(c, pipeline)) {
        lg_vk_hazards_forget(c);
        return;
    }
    if (c->bound != pipeline->handle) {
        vk->fn.vkCmdBindPipeline(c->handle, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline->handle);
        c->bound = pipeline->handle;
    }
    if (push_size)
        vk->fn.vkCmdPushConstants(c->handle, vk->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, push_size,
                                  push);
    vk->fn.vkCmdDispatch(c->handle, x, y, z);
    lg_vk_hazards_push(c, pipeline->spirv->name, push, push_size);
    lg_vk_hazards_command(c, pipeline->spirv->name);
    c->dispatches++;
    c->dirty = true;
}

static bool inside(const lg_vk_buffer *buffer, size_t offset, size_t size)
{
    return offset <= buffer->size && size <= buffer->size - offset;
}

void lg_vk_fill(lg_vk_commands *c, lg_vk_buffer *buffer, size_t offset, size_t size, uint32_t value)
{
    if (!check(c, inside(buffer, offset, size), "a fill outside its buffer") ||
        !check(c, offset % 4 == 0 && size % 4 == 0, "a fill that is not aligned to 4 bytes") ||
        size == 0)
        return;
    c->vk->fn.vkCmdFillBuffer(c->handle, buffer->priv->buffer, buffer->priv->offset + offset, size,
                              value);
    lg_vk_writes(c, buffer->address + offset, size);
    lg_vk_hazards_command(c, "a fill");
    c->dispatches++;
    c->dirty = true;
}

void lg_vk_copy_regions(lg_vk_commands *c, const lg_vk_buffer *from, const lg_vk_buffer *to,
                        const VkBufferCopy *regions, uint32_t count)
{
    if (!c->recording || !count)
        return;
    c->vk->fn.vkCmdCopyBuffer(c->handle, from->priv->buffer, to->priv->buffer, count, regions);
    for (uint32_t i = 0; c->hazards && i < count; i++) {
        lg_vk_reads(c, from->address + regions[i].srcOffset - from->priv->offset, regions[i].size);
        lg_vk_writes(c, to->address + regions[i].dstOffset - to->priv->offset, regions[i].size);
    }
    lg_vk_hazards_command(c, "a copy");
    c->dispatches++;
    c->dirty = true;
}

// Copy commands reach a fraction of the bandwidth within a GPU on some drivers: large aligned
// copies between device memory are a dispatch. False: not taken.
static bool copy_by_kernel(lg_vk_commands *c, uint64_t from, uint64_t to, size_t size)
{
    enum { LANES = 256, TILE = LANES * 8 * 16, MOST_GROUPS = 4096 };
    const size_t max = (size_t)1 << 34; // bytes of one dispatch
    const lg_vk_pipeline *pipeline;
    if (!c->vk->physical.limits.hardware || size < TILE || (from | to | size) % 16 ||
        lg_vk_pipeline_get(c->vk, &lg_spirv_ceiling_copy, &(uint32_t){LANES}, 1, 0, &pipeline,
                           NULL))
        return false;
    for (size_t done = 0; done < size; done += max) {
        const size_t part = LG_MIN(size - done, max);
        const lg_ceiling_push push = {from + done, to + done, (uint32_t)(part / 16)};
        const size_t groups = LG_MIN((part + TILE - 1) / TILE, (size_t)MOST_GROUPS);
        lg_vk_reads(c, push.from, part);
        lg_vk_writes(c, push.to, part);
        lg_vk_dispatch(c, pipeline, &push, sizeof push, (uint32_t)groups, 1, 1);
    }
    return true;
}

void lg_vk_copy(lg_vk_commands *c, const lg_vk_buffer *from, size_t from_offset, lg_vk_buffer *to,
                size_t to_offset, size_t size)
{
    if (!check(c, inside(from, from_offset, size) && inside(to, to_offset, size),
               "a copy outside its buffers") ||
        size == 0)
        return;
    const bool device = !from->map && !to->map && !from->priv->imported && !to->priv->imported;
    if (device && copy_by_kernel(c, from->address + from_offset, to->address + to_offset, size))
        return;
    const VkBufferCopy region = {from->priv->offset + from_offset, to->priv->offset + to_offset,
                                 size};
    lg_vk_copy_regions(c, from, to, &region, 1);
}

void lg_vk_barrier(lg_vk_commands *c)
{
    // The host looks only after the end of the commands, where lg_vk_end makes all of it visible.
    if (c->recording && c->dirty)
        barrier(c, device_stages, device_access);
}

void lg_vk_timestamp(lg_vk_commands *c, uint32_t index)
{
    if (c->recording && index < c->timestamps)
        c->vk->fn.vkCmdWriteTimestamp(c->handle, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, c->queries,
                                      index);
}

lg_status lg_vk_end(lg_vk_commands *c, lg_error *error)
{
    lg_vk *vk = c->vk;
    if (vk->lost)
        return lg_vk_fail_lost(vk, error);
    if (c->trouble)
        return lg_vk_fail(error, "vkBeginCommandBuffer", c->trouble);
    if (c->failure.status)
        return lg_fail(error, c->failure.status, "%s", c->failure.message);
    if (!c->recording)
        return lg_fail(error, LG_ERROR_ARGUMENT, "commands end that were never begun");
    barrier(c, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT | VK_ACCESS_HOST_WRITE_BIT);
    lg_vk_hazards_end(c);
    c->recording = false;
    const VkResult result = LG_VK_CALL(vk, vkEndCommandBuffer, c->handle);
    if (result)
        return lg_vk_fail(error, "vkEndCommandBuffer", result);
    if (c->misuse)
        return lg_fail(error, LG_ERROR_ARGUMENT, "device commands: %s", c->misuse);
    c->ready = true;
    return LG_OK;
}

// ---- running ------------------------------------------------------------------------------------

static lg_status submit(lg_vk *vk, lg_vk_commands *const *commands, uint32_t count,
                        const lg_vk_commands *after, lg_error *error)
{
    VkCommandBuffer handles[LG_VK_TOGETHER];
    lg_vk_lane *lane = commands[0]->lane;
    if (vk->lost)
        return lg_vk_fail_lost(vk, error);
    for (uint32_t i = 0; i < count; i++) {
        lg_vk_commands *c = commands[i];
        if (!c->ready)
            return lg_fail(error, LG_ERROR_ARGUMENT,
                           "commands are submitted that were not recorded");
        if (c->timestamps && lane->only_copies)
            vk->fn.vkResetQueryPool(vk->device, c->queries, 0, c->timestamps);
        handles[i] = c->handle;
    }
    const lg_vk_batch batch = {.commands = handles, .count = count, .after = after};
    const lg_status status = lg_vk_queue_submit(vk, lane, &batch, error);
    if (status)
        return status;
    vk->submissions++;
    for (uint32_t i = 0; i < count; i++)
        lane->work += LG_MAX(commands[i]->dispatches, 1u);
    for (uint32_t i = 0; i < count; i++) {
        commands[i]->value = lane->submitted;
        commands[i]->work = lane->work;
    }
    return LG_OK;
}

lg_status lg_vk_submit(lg_vk *vk, lg_vk_commands *c, lg_error *error)
{
    return submit(vk, &c, 1, NULL, error);
}

lg_status lg_vk_submit_after(lg_vk *vk, lg_vk_commands *c, const lg_vk_commands *after,
                             lg_error *error)
{
    return submit(vk, &c, 1, after, error);
}

lg_status lg_vk_submit_together(lg_vk *vk, lg_vk_commands *const *commands, uint32_t count,
                                lg_error *error)
{
    return submit(vk, commands, count, NULL, error);
}

lg_status lg_vk_wait(lg_vk *vk, lg_vk_commands *c, lg_error *error)
{
    return lg_vk_wait_value(vk, c->lane, c->value, c->work, error);
}

bool lg_vk_is_over(const lg_vk *vk, const lg_vk_commands *c)
{
    uint64_t now = 0;
    return vk->lost || c->value <= c->lane->finished ||
           vk->fn.vkGetSemaphoreCounterValue(vk->device, c->lane->timeline, &now) ||
           now >= c->value;
}

double lg_vk_elapsed(lg_vk *vk, lg_vk_commands *c, uint32_t from, uint32_t to)
{
    if (vk->lost || from >= c->timestamps || to >= c->timestamps || !c->value ||
        c->value > c->lane->finished)
        return 0;
    uint64_t ticks[2] = {0};
    const uint32_t index[2] = {from, to};
    for (int i = 0; i < 2; i++)
        if (LG_VK_CALL(vk, vkGetQueryPoolResults, vk->device, c->queries, index[i], 1,
                       sizeof ticks[i], &ticks[i], sizeof ticks[i], VK_QUERY_RESULT_64_BIT))
            return 0;
    // Only the valid bits count, and the counter may wrap between the two.
    const uint32_t bits = c->lane->timestamp_bits;
    const uint64_t mask = bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    return (double)((ticks[1] - ticks[0]) & mask) * vk->physical.limits.timestamp_period * 1e-9;
}

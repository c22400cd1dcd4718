// Queues and their timelines: one that computes, and where there are some others that copy beside it.
#include "vulkan/vk_private.h"

#include <stdlib.h>
#include <string.h>

// LUMAGRAPH_VK_QUEUES, for tests. "one": no other queues. "several": on a device with one queue, what runs
// beside goes to this queue, but with timelines of its own and by the rules of queues that only copy.
static bool is_wished(const char *queues)
{
    const char *wish = getenv("LUMAGRAPH_VK_QUEUES");
    return wish && strcmp(wish, queues) == 0;
}

static lg_status create_lane(lg_vk *vk, lg_vk_lane lane, lg_error *error)
{
    const VkSemaphoreTypeCreateInfo type = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
        .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
    };
    const VkSemaphoreCreateInfo semaphore = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
        .pNext = &type,
    };
    const VkResult result =
        LG_VK_CALL(vk, vkCreateSemaphore, vk->device, &semaphore, NULL, &lane.timeline);
    if (result)
        return lg_vk_fail(error, "vkCreateSemaphore", result);
    lg_vk_count(vk, 1);
    vk->lanes[vk->lane_count++] = lane;
    return LG_OK;
}

lg_status lg_vk_lanes_create(lg_vk *vk, lg_error *error)
{
    const lg_vk_physical *p = &vk->physical;
    const lg_vk_adopted *lent = vk->adopted;
    lg_vk_lane main = {.family = p->queue_family,
                       .index = lent ? lent->queue : 0,
                       .timestamp_bits = p->timestamp_bits};
    vk->fn.vkGetDeviceQueue(vk->device, main.family, main.index, &main.queue);
    for (int use = 0; use < LG_VK_USES; use++)
        vk->lane_of[use] = vk->lanes;
    lg_status status = create_lane(vk, main, error);
    const uint32_t queues = p->copy_queues ? p->copy_queues : is_wished("several") ? 2 : 0;
    for (uint32_t i = 0; i < queues && !status; i++) {
        lg_vk_lane lane = main;
        lane.only_copies = true;
        if (p->copy_queues) {
            lane.family = p->copy_family;
            lane.index = lent ? lent->transfer_queue : i;
            lane.timestamp_bits = p->copy_timestamp_bits;
            vk->fn.vkGetDeviceQueue(vk->device, lane.family, lane.index, &lane.queue);
        }
        if (!p->host_query_reset)
            lane.timestamp_bits = 0;
        status = create_lane(vk, lane, error);
    }
    if (!status && queues) {
        vk->lane_of[LG_VK_UPLOADS] = &vk->lanes[1];
        vk->lane_of[LG_VK_DOWNLOADS] = &vk->lanes[queues];
    }
    return status;
}

void lg_vk_lanes_destroy(lg_vk *vk)
{
    for (int i = 0; i < vk->lane_count; i++) {
        vk->fn.vkDestroySemaphore(vk->device, vk->lanes[i].timeline, NULL);
        lg_vk_count(vk, -1);
    }
    vk->lane_count = 0;
}

bool lg_vk_runs_beside(const lg_vk *vk, lg_vk_use use)
{
    return vk->lane_of[use] != vk->lanes;
}

// ---- submissions --------------------------------------------------------------------------------

static VkResult use_queue(lg_vk *vk, const lg_vk_lane *lane, const VkSubmitInfo *info)
{
    const lg_vk_adopted *lent = vk->adopted;
    if (lent && lent->lock)
        lent->lock(lent->priv, lane->family, lane->index);
    const VkResult result = LG_VK_CALL(vk, vkQueueSubmit, lane->queue, 1, info, VK_NULL_HANDLE);
    if (lent && lent->unlock)
        lent->unlock(lent->priv, lane->family, lane->index);
    return result;
}

enum { MOST_POINTS = 2 * LG_VK_POINTS + 1 };

typedef struct point_list {
    VkSemaphore semaphores[MOST_POINTS];
    uint64_t values[MOST_POINTS];
    uint32_t count;
} point_list;

static void put(point_list *to, VkSemaphore semaphore, uint64_t value)
{
    to->semaphores[to->count] = semaphore;
    to->values[to->count++] = value;
}

static void put_points(point_list *to, const lg_vk_point *points, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        VkSemaphore semaphore;
        memcpy(&semaphore, &points[i].semaphore, sizeof semaphore);
        put(to, semaphore, points[i].value);
    }
}

lg_status lg_vk_queue_submit(lg_vk *vk, lg_vk_lane *lane, const lg_vk_batch *batch, lg_error *error)
{
    const bool main = lane == vk->lanes;
    const bool waits_for_others = batch->wait_count || (main && vk->awaited_count);
    const VkPipelineStageFlags stage =
        lane->only_copies ? VK_PIPELINE_STAGE_TRANSFER_BIT
                          : VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
    VkPipelineStageFlags stages[MOST_POINTS];
    point_list waits = {.count = 0}, signals = {.count = 0};
    if (main)
        put_points(&waits, vk->awaited, vk->awaited_count);
    put_points(&waits, batch->waits, batch->wait_count);
    if (batch->after && batch->after->lane != lane) // else barriers keep the order
        put(&waits, batch->after->lane->timeline, batch->after->value);
    put(&signals, lane->timeline, lane->submitted + 1);
    put_points(&signals, batch->signals, batch->signal_count);
    for (uint32_t i = 0; i < waits.count; i++)
        stages[i] = stage;
    const VkTimelineSemaphoreSubmitInfo timeline = {
        .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
        .waitSemaphoreValueCount = waits.count,
        .pWaitSemaphoreValues = waits.values,
        .signalSemaphoreValueCount = signals.count,
        .pSignalSemaphoreValues = signals.values,
    };
    const VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .pNext = &timeline,
        .waitSemaphoreCount = waits.count,
        .pWaitSemaphores = waits.semaphores,
        .pWaitDstStageMask = stages,
        .commandBufferCount = batch->count,
        .pCommandBuffers = batch->commands,
        .signalSemaphoreCount = signals.count,
        .pSignalSemaphores = signals.semaphores,
    };
    const VkResult result = use_queue(vk, lane, &info);
    if (result)
        return lg_vk_fail(error, "vkQueueSubmit", result);
    lane->submitted++;
    if (main)
        vk->awaited_count = 0;
    if (waits_for_others) // whatever comes may have to wait for the caller
        lg_vk_leave_running(vk);
    return LG_OK;
}

lg_status lg_vk_sync(lg_vk *vk, const lg_vk_point *points, uint32_t count, bool signals,
                     lg_error *error)
{
    if (vk->lost)
        return lg_vk_fail_lost(vk, error);
    if (count > LG_VK_POINTS)
        return lg_fail(error, LG_ERROR_LIMIT, "%u points of semaphores; at most %d go together",
                       count, LG_VK_POINTS);
    const lg_vk_batch waiting = {.waits = points, .wait_count = count};
    const lg_vk_batch signalling = {.signals = points, .signal_count = count};
    return lg_vk_queue_submit(vk, vk->lanes, signals ? &signalling : &waiting, error);
}

lg_status lg_vk_await(lg_vk *vk, lg_vk_point point, lg_error *error)
{
    uint32_t at = 0;
    if (vk->lost)
        return lg_vk_fail_lost(vk, error);
    while (at < vk->awaited_count && vk->awaited[at].semaphore != point.semaphore)
        at++;
    if (at == LG_VK_POINTS) { // what waits so far goes first
        const lg_status status = lg_vk_queue_submit(vk, vk->lanes, &(lg_vk_batch){0}, error);
        if (status)
            return status;
        at = 0;
    }
    if (at == vk->awaited_count)
        vk->awaited[vk->awaited_count++] = (lg_vk_point){.semaphore = point.semaphore};
    vk->awaited[at].value = LG_MAX(vk->awaited[at].value, point.value);
    return LG_OK;
}

// ---- submissions that nobody waits for ------------------------------------------------------------

void lg_vk_leave_running(lg_vk *vk)
{
    vk->unwatched = vk->lanes->submitted;
}

lg_status lg_vk_wait_unwatched(lg_vk *vk, lg_error *error)
{
    const lg_vk_lane *lane = vk->lanes;
    if (vk->unwatched <= lane->finished)
        return LG_OK;
    return lg_vk_wait_value(vk, vk->lanes, vk->unwatched, lane->work, error);
}

lg_status lg_vk_loose_commands(lg_vk *vk, lg_vk_commands **out, lg_error *error)
{
    lg_vk_commands **place = &vk->loose[vk->next_loose % LG_VK_LOOSE];
    const lg_status status = *place ? LG_OK : lg_vk_commands_create(vk, 0, place, error);
    if (status)
        return status;
    vk->next_loose++;
    *out = *place;
    return LG_OK;
}

void lg_vk_loose_destroy(lg_vk *vk)
{
    for (int i = 0; i < LG_VK_LOOSE; i++)
        lg_vk_commands_destroy(vk, &vk->loose[i]);
}

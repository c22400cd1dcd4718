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
    lg_vk_lane main = {.family = p->queue_family, .timestamp_bits = p->timestamp_bits};
    vk->fn.vkGetDeviceQueue(vk->device, p->queue_family, 0, &main.queue);
    for (int use = 0; use < LG_VK_USES; use++)
        vk->lane_of[use] = vk->lanes;
    lg_status status = create_lane(vk, main, error);
    const uint32_t queues = p->copy_queues ? p->copy_queues : is_wished("several") ? 2 : 0;
    for (uint32_t i = 0; i < queues && !status; i++) {
        lg_vk_lane lane = main;
        lane.only_copies = true;
        if (p->copy_queues) {
            lane.family = p->copy_family;
            lane.timestamp_bits = p->copy_timestamp_bits;
            vk->fn.vkGetDeviceQueue(vk->device, p->copy_family, i, &lane.queue);
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

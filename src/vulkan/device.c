// The device: opening, loss, waiting, destruction.
#include "vulkan/vk_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define POLL_SECONDS 0.002 // of a wait that does not sleep yet

// ---- device loss --------------------------------------------------------------------------------

void lg_vk_lose(lg_vk *vk, const char *what)
{
    if (vk->lost)
        return;
    vk->lost = true;
    lg_log(&vk->log, LG_LOG_ERROR,
           "the Vulkan device %s (%s) was lost at %s, submission %u; it is not used again",
           vk->physical.info.name, vk->physical.info.driver, what, vk->submissions);
}

VkResult lg_vk_seen(lg_vk *vk, const char *name, VkResult result)
{
    if (result == VK_ERROR_DEVICE_LOST)
        lg_vk_lose(vk, name);
    return result;
}

lg_status lg_vk_fail_lost(const lg_vk *vk, lg_error *error)
{
    return lg_fail(error, LG_ERROR_DEVICE,
                   "the Vulkan device %s was lost; make a new context or use the CPU",
                   vk->physical.info.name);
}

// Asks again and again for a short while: a driver that waits goes to sleep, and waking up costs more
// than most calls compute. A device in software needs the processor itself.
static void poll_value(lg_vk *vk, const VkSemaphoreWaitInfo *info)
{
    if (!vk->physical.info.hardware)
        return;
    const double until = lg_time_seconds() + POLL_SECONDS;
    while (vk->fn.vkWaitSemaphores(vk->device, info, 0) == VK_TIMEOUT && lg_time_seconds() < until)
        ;
}

lg_status lg_vk_wait_value(lg_vk *vk, lg_vk_lane *lane, uint64_t value, uint64_t work,
                           lg_error *error)
{
    if (vk->lost)
        return lg_vk_fail_lost(vk, error);
    if (value <= lane->finished)
        return LG_OK;
    if (vk->timeout == 0) { // what was asked for: a device that never finishes
        lg_vk_lose(vk, "a wait that timed out");
        return lg_vk_fail_lost(vk, error);
    }
    const VkSemaphoreWaitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
        .semaphoreCount = 1,
        .pSemaphores = &lane->timeline,
        .pValues = &value,
    };
    // Long queues of short dispatches are no hang, but a minute of patience each way has an end.
    const uint64_t ahead = work > lane->work_finished ? work - lane->work_finished : 1;
    const double seconds = vk->timeout * (double)LG_MIN(ahead, (uint64_t)30);
    poll_value(vk, &info);
    const VkResult result =
        LG_VK_CALL(vk, vkWaitSemaphores, vk->device, &info, (uint64_t)(seconds * 1e9));
    if (result == VK_SUCCESS) {
        lane->finished = value;
        lane->work_finished = LG_MAX(lane->work_finished, work);
        return LG_OK;
    }
    if (result != VK_TIMEOUT && !vk->lost)
        return lg_vk_fail(error, "vkWaitSemaphores", result);
    if (result == VK_TIMEOUT)
        lg_vk_lose(vk, "a wait that timed out");
    return lg_vk_fail_lost(vk, error);
}

// ---- creation -----------------------------------------------------------------------------------

static void set_identity(lg_vk *vk)
{
    const VkPhysicalDeviceProperties *p = &vk->physical.properties;
    const uint32_t numbers[] = {LG_VERSION_MAJOR, LG_VERSION_MINOR, LG_VERSION_PATCH, p->vendorID,
                                p->deviceID,      p->driverVersion, p->apiVersion};
    uint64_t hash = lg_hash(numbers, sizeof numbers, 0);
    // Masked features make another device of it: choices measured without them do not count.
    const lg_vk_limits *l = &vk->physical.limits;
    const bool features[] = {l->int16,
                             l->integer_dot,
                             l->float64,
                             l->int64,
                             l->int64_atomics,
                             l->float16,
                             l->float32_atomic_add,
                             vk->physical.subgroup_size_control};
    hash = lg_hash(features, sizeof features, hash);
    hash = lg_hash(p->pipelineCacheUUID, sizeof p->pipelineCacheUUID, hash);
    vk->identity = lg_hash(vk->physical.driver_uuid, sizeof vk->physical.driver_uuid, hash);
}

static void set_timeout(lg_vk *vk)
{
    vk->timeout = vk->physical.limits.hardware ? 10 : 120;
    const char *wish = getenv("LUMAGRAPH_VK_TIMEOUT"); // seconds per dispatch
    const double seconds = wish && *wish ? strtod(wish, NULL) : -1;
    if (seconds >= 0 && seconds < 1e6)
        vk->timeout = seconds;
}

// Makes a device of our own, or takes the application's, and opens its queues.
static lg_status get_device(lg_vk *vk, const lg_context_params *params,
                            const struct lg_vulkan_device *lent, const char *validation,
                            lg_error *error)
{
    if (lent)
        return lg_vk_take_device(vk, lent, error);
    lg_status status = lg_vk_load(vk, validation, error);
    if (!status)
        status = lg_vk_choose(vk, params->device_index, error);
    return status ? status : lg_vk_create_device(vk, error);
}

static lg_status open_device(lg_vk *vk, const lg_context_params *params,
                             const struct lg_vulkan_device *lent, const char *cache_dir,
                             lg_error *error)
{
    const char *validation = getenv("LUMAGRAPH_VK_VALIDATION");
    if (validation && !validation[0])
        validation = NULL;
    if (!validation && params->validation)
        validation = "core";
    const lg_status status = get_device(vk, params, lent, validation, error);
    if (status)
        return status;
    const char *wish = getenv("LUMAGRAPH_VK_POISON");
    vk->poison = wish && strcmp(wish, "1") == 0;
    const char *watch = getenv("LUMAGRAPH_VK_BARRIERS");
    vk->barriers = watch && strcmp(watch, "1") == 0;
    vk->separate = validation && strcmp(validation, "gpu") == 0;
    set_identity(vk);
    set_timeout(vk);
    if (cache_dir) {
        vk->cache_dir = lg_strdup(cache_dir);
        if (!vk->cache_dir)
            return lg_fail_memory(error, strlen(cache_dir) + 1, "the cache folder's name");
    }
    return lg_vk_pipelines_create(vk, error);
}

lg_status lg_vk_open_probed(const lg_context_params *params, const struct lg_vulkan_device *lent,
                            const lg_logger *log, const char *cache_dir, lg_vk_probe *probe,
                            lg_vk **out, lg_error *error)
{
    lg_vk *vk = lg_alloc(sizeof *vk);
    if (!vk)
        return lg_fail_memory(error, sizeof *vk, "a Vulkan device");
    vk->probe = probe;
    vk->process = (int)getpid();
    if (log)
        vk->log = *log;
    lg_status status = open_device(vk, params, lent, cache_dir, error);
    if (status) {
        lg_vk_destroy(&vk);
        return status;
    }
    lg_log(&vk->log, LG_LOG_INFO, "Vulkan device %d: %s, %s, %s", vk->physical.info.index,
           vk->physical.info.name, vk->physical.info.driver, vk->physical.info.api);
    *out = vk;
    return LG_OK;
}

lg_status lg_vk_create_probed(const lg_context_params *params, const lg_logger *log,
                              const char *cache_dir, lg_vk_probe *probe, lg_vk **out,
                              lg_error *error)
{
    return lg_vk_open_probed(params, NULL, log, cache_dir, probe, out, error);
}

lg_status lg_vk_create(const lg_context_params *params, const lg_logger *log, const char *cache_dir,
                       lg_vk **out, lg_error *error)
{
    return lg_vk_open_probed(params, NULL, log, cache_dir, NULL, out, error);
}

lg_status lg_vk_adopt(const lg_context_params *params, const struct lg_vulkan_device *device,
                      const lg_logger *log, const char *cache_dir, lg_vk **out, lg_error *error)
{
    return lg_vk_open_probed(params, device, log, cache_dir, NULL, out, error);
}

// ---- destruction --------------------------------------------------------------------------------

bool lg_vk_is_forked(const lg_vk *vk)
{
    return vk->process != (int)getpid();
}

// True when nothing runs on the device any more, or a lost device says that it gave up.
bool lg_vk_idle(lg_vk *vk)
{
    const double patience = LG_MAX(vk->timeout, 10.0);
    bool idle = true;
    for (int i = 0; i < vk->lane_count && idle; i++) {
        const lg_vk_lane *lane = &vk->lanes[i];
        if (!lane->timeline || lane->finished >= lane->submitted)
            continue;
        const VkSemaphoreWaitInfo info = {
            .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
            .semaphoreCount = 1,
            .pSemaphores = &lane->timeline,
            .pValues = &lane->submitted,
        };
        const VkResult result =
            vk->fn.vkWaitSemaphores(vk->device, &info, (uint64_t)(patience * 1e9));
        idle = result == VK_SUCCESS || result == VK_ERROR_DEVICE_LOST;
    }
    return idle;
}

static void close_device(lg_vk *vk)
{
    if (!vk->fn.vkDestroyDevice)
        return;
    lg_vk_rings_destroy(vk);
    lg_vk_loose_destroy(vk);
    lg_vk_free_retired(vk, true);
    while (vk->kept_commands) {
        lg_vk_commands *commands = vk->kept_commands;
        vk->kept_commands = commands->next;
        lg_vk_commands_free(vk, commands);
    }
    while (vk->kept_buffers) {
        lg_vk_buffer *buffer = vk->kept_buffers;
        vk->kept_buffers = buffer->priv->next;
        lg_vk_buffer_free(vk, buffer);
    }
    lg_vk_spare_destroy(vk);
    lg_vk_blocks_destroy(vk);
    lg_vk_pipelines_destroy(vk);
    lg_vk_shaders_destroy(vk);
    lg_vk_lanes_destroy(vk);
    if (vk->adopted)
        return;
    vk->fn.vkDestroyDevice(vk->device, NULL);
    lg_vk_count(vk, -1);
}

void lg_vk_destroy(lg_vk **handle)
{
    if (!handle || !*handle)
        return;
    lg_vk *vk = *handle;
    *handle = NULL;
    if (lg_vk_is_forked(vk)) // the device and what it holds are the parent's
        return;
    if (!vk->lost)
        lg_vk_pipeline_cache_save(vk);
    if (!vk->device || lg_vk_idle(vk)) {
        vk->lost = false; // nothing runs: objects are freed at once from here on
        vk->poison = false;
        for (int i = 0; i < vk->lane_count; i++)
            vk->lanes[i].finished = vk->lanes[i].submitted;
        if (vk->device)
            close_device(vk);
        lg_vk_unload(vk);
    } else {
        lg_log(&vk->log, LG_LOG_WARN,
               "the Vulkan device %s still hangs; its memory is left to the system",
               vk->physical.info.name);
    }
    lg_free(vk->choices);
    lg_free(vk->cache_dir);
    lg_free(vk->adopted);
    lg_free(vk);
}

// ---- what it is ---------------------------------------------------------------------------------

const lg_vk_limits *lg_vk_get_limits(const lg_vk *vk)
{
    return &vk->physical.limits;
}

void lg_vk_info(const lg_vk *vk, lg_device_info *out)
{
    *out = vk->physical.info;
}

bool lg_vk_lost(const lg_vk *vk)
{
    return vk->lost;
}

void lg_vk_uuids(const lg_vk *vk, uint8_t device[16], uint8_t driver[16])
{
    memcpy(device, vk->physical.info.uuid, sizeof vk->physical.info.uuid);
    memcpy(driver, vk->physical.driver_uuid, sizeof vk->physical.driver_uuid);
}

void lg_vk_use_log(lg_vk *vk, const lg_logger *log)
{
    vk->log = *log;
}

uint64_t lg_vk_identity(const lg_vk *vk)
{
    return vk->identity;
}

uint32_t lg_vk_validation_messages(const lg_vk *vk)
{
    return vk->messages;
}

uint32_t lg_vk_submissions(const lg_vk *vk)
{
    return vk->submissions;
}

uint32_t lg_vk_recordings(const lg_vk *vk)
{
    return vk->recordings;
}

void lg_vk_use_pool(lg_vk *vk, lg_pool *pool)
{
    vk->pool = pool;
}

// Every Vulkan call and every allocation of the backend fails once: an error, no crash, no leak,
// and after a device loss nothing reaches the device any more.
#include "check.h"
#include "vulkan/vk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef LG_HAVE_VULKAN

#include "vulkan/vk_private.h"

#include <sys/stat.h>
#include <unistd.h>

extern const lg_spirv lg_spirv_ceiling_copy, lg_spirv_ceiling_read;

enum { BYTES = 40 << 10, LARGE = 2 << 20 };

static char cache_dir[] = "/tmp/lumagraph-faults-XXXXXX";

// What one run holds, so that it can be given back wherever the run ended.
typedef struct run {
    lg_vk *vk;
    lg_pool *pool;
    lg_vk_buffer *small, *large, *read;
    lg_vk_commands *commands;
    lg_status status;
    bool right; // the bytes that came back were the ones sent
    lg_error error;
} run;

// Two pipelines at once, on threads of their own, and one that is there already.
static lg_status get_pipelines(run *r, const lg_vk_pipeline **copy)
{
    const lg_vk_pipeline *read, *first;
    const uint32_t lanes = 64;
    lg_error *e = &r->error;
    lg_status s = lg_vk_pipeline_get(r->vk, &lg_spirv_ceiling_copy, &lanes, 1, 0, &first, e);
    if (s)
        return s;
    r->pool = lg_pool_create(3);
    lg_vk_use_pool(r->vk, r->pool);
    lg_vk_collect(r->vk, NULL);
    s = lg_vk_pipeline_get(r->vk, &lg_spirv_ceiling_read, &lanes, 1, 0, &read, e);
    if (!s)
        s = lg_vk_pipeline_get(r->vk, &lg_spirv_ceiling_copy, &(uint32_t){32}, 1, 0, &read, e);
    if (!s)
        s = lg_vk_pipeline_get(r->vk, &lg_spirv_ceiling_copy, &lanes, 1, 0, copy, e);
    CHECK(s || *copy == first, "made again");
    return lg_vk_make_collected(r->vk, s, e);
}

static lg_status work(run *r)
{
    static char sent[BYTES], back[BYTES];
    lg_error *e = &r->error;
    const lg_vk_pipeline *copy;
    lg_status s;
    for (size_t i = 0; i < BYTES; i++)
        sent[i] = (char)(i * 7 + i / 256);
    memset(back, 0, BYTES);
    if ((s = lg_vk_buffer_create(r->vk, BYTES, LG_VK_DEVICE, &r->small, e)) ||
        (s = lg_vk_buffer_create(r->vk, LARGE, LG_VK_DEVICE, &r->large, e)) ||
        (s = lg_vk_buffer_create(r->vk, 64, LG_VK_READBACK, &r->read, e)) ||
        (s = lg_vk_upload(r->vk, r->small, 0, BYTES, sent, BYTES, BYTES, 1, e)) ||
        (s = get_pipelines(r, &copy)) || (s = lg_vk_commands_create(r->vk, 2, &r->commands, e)))
        return s;
    const struct {
        uint64_t from, to;
        uint32_t units;
    } push = {r->small->address, r->large->address, BYTES / 16};
    lg_vk_begin(r->commands);
    lg_vk_timestamp(r->commands, 0);
    lg_vk_reads(r->commands, push.from, BYTES);
    lg_vk_writes(r->commands, push.to, BYTES);
    lg_vk_dispatch(r->commands, copy, &push, 20, 4, 1, 1);
    lg_vk_fill(r->commands, r->read, 0, 64, 3);
    lg_vk_timestamp(r->commands, 1);
    if ((s = lg_vk_end(r->commands, e)) || (s = lg_vk_submit(r->vk, r->commands, e)) ||
        (s = lg_vk_wait(r->vk, r->commands, e)))
        return s;
    lg_vk_elapsed(r->vk, r->commands, 0, 1);
    s = lg_vk_download(r->vk, back, BYTES, r->large, 0, BYTES, BYTES, 1, e);
    r->right = !s && memcmp(sent, back, BYTES) == 0;
    return s;
}

static void give_back(run *r)
{
    if (r->vk) {
        lg_vk_commands_destroy(r->vk, &r->commands);
        lg_vk_buffer_destroy(r->vk, &r->small);
        lg_vk_buffer_destroy(r->vk, &r->large);
        lg_vk_buffer_destroy(r->vk, &r->read);
    }
    lg_vk_destroy(&r->vk);
    lg_pool_destroy(r->pool);
    r->pool = NULL;
}

static run go(lg_vk_probe *probe)
{
    run r = {0};
    r.status = lg_vk_create_probed(WITH_REF(lg_context_params, it.device = LG_DEVICE_VULKAN), NULL,
                                   cache_dir, probe, &r.vk, &r.error);
    if (!r.status)
        r.status = work(&r);
    return r;
}

// Calls that may fail without the work failing.
static bool optional(const char *name, VkResult result)
{
    return strcmp(name, "vkGetPipelineCacheData") == 0 ||
           (strcmp(name, "vkGetQueryPoolResults") == 0 && result != VK_ERROR_DEVICE_LOST) ||
           (strcmp(name, "vkCreatePipelineCache") == 0 &&
            result != VK_ERROR_DEVICE_LOST); // the cache is empty then
}

static void after_loss(run *r, lg_vk_probe *probe)
{
    lg_error e = {0};
    lg_vk_buffer *buffer = NULL;
    lg_vk_commands *commands = NULL;
    char byte = 0;
    const int64_t calls = probe->calls;
    CHECK(lg_vk_lost(r->vk), "not latched after %s", probe->failed);
    CHECK(lg_vk_buffer_create(r->vk, 1 << 21, LG_VK_DEVICE, &buffer, &e) == LG_ERROR_DEVICE,
          "buffer");
    CHECK(strstr(e.message, "was lost"), "%s", e.message);
    CHECK(lg_vk_commands_create(r->vk, 0, &commands, &e) == LG_ERROR_DEVICE, "commands");
    if (r->small)
        CHECK(lg_vk_upload(r->vk, r->small, 0, 1, &byte, 1, 1, 1, &e) == LG_ERROR_DEVICE, "upload");
    if (r->commands) {
        lg_vk_begin(r->commands);
        CHECK(lg_vk_end(r->commands, &e) == LG_ERROR_DEVICE, "end");
        CHECK(lg_vk_submit(r->vk, r->commands, &e) == LG_ERROR_DEVICE, "submit");
        CHECK(lg_vk_wait(r->vk, r->commands, &e) == LG_ERROR_DEVICE, "wait");
    }
    CHECK(probe->calls == calls, "a lost device was called");
}

static void test_calls(int64_t calls, VkResult result, lg_status want)
{
    for (int64_t at = 1; at <= calls; at++) {
        lg_vk_probe probe = {.fail_at = at, .result = result};
        run r = go(&probe);
        const char *name = probe.failed ? probe.failed : "?";
        CHECK(r.status == want ||
                  (!r.status && r.right && (!probe.failed || optional(name, result))),
              "call %d (%s) gives status %d: %s", (int)at, name, (int)r.status, r.error.message);
        CHECK(!r.status || r.error.message[0], "call %d (%s): no message", (int)at, name);
        if (r.vk && r.status && result == VK_ERROR_DEVICE_LOST)
            after_loss(&r, &probe);
        give_back(&r);
        CHECK(probe.created == probe.destroyed, "call %d (%s): %d objects, %d destroyed", (int)at,
              name, (int)probe.created, (int)probe.destroyed);
    }
}

static void test_allocations(void)
{
    for (int64_t at = 0; at < 400; at++) {
        lg_vk_probe probe = {0};
        lg_alloc_fail_after(at);
        run r = go(&probe);
        // The hook is spent once it has fired; the run that it does not reach is the last.
        CHECK(r.status == LG_ERROR_MEMORY || (!r.status && r.right) || r.status == LG_ERROR_DEVICE,
              "allocation %d gives status %d: %s", (int)at, (int)r.status, r.error.message);
        const bool fine = !r.status && r.right;
        give_back(&r);
        lg_alloc_fail_after(-1);
        CHECK(probe.created == probe.destroyed, "allocation %d: %d objects, %d destroyed", (int)at,
              (int)probe.created, (int)probe.destroyed);
        if (fine && at > 60)
            return;
    }
    CHECK(false, "the run never succeeds");
}

static void test_timeout(void)
{
    lg_vk_probe probe = {0};
    run r = {0};
    CHECK(!lg_vk_create_probed(WITH_REF(lg_context_params, it.device = LG_DEVICE_VULKAN), NULL,
                               NULL, &probe, &r.vk, &r.error),
          "%s", r.error.message);
    probe.fail_at = 0;
    r.status = work(&r);
    CHECK(!r.status && r.right, "%s", r.error.message);
    // How long a wait may take follows from what is known to be done.
    CHECK(r.vk->lanes->work > 0 && r.vk->lanes->work_finished == r.vk->lanes->work,
          "%d of %d dispatches are done", (int)r.vk->lanes->work_finished, (int)r.vk->lanes->work);
    r.vk->timeout = 1e-9;
    lg_vk_begin(r.commands);
    for (int i = 0; i < 50; i++) {
        lg_vk_fill(r.commands, r.large, 0, LARGE, 1);
        lg_vk_barrier(r.commands);
    }
    CHECK(!lg_vk_end(r.commands, &r.error) && !lg_vk_submit(r.vk, r.commands, &r.error), "%s",
          r.error.message);
    const lg_status status = lg_vk_wait(r.vk, r.commands, &r.error);
    if (status) { // a device that finished in a nanosecond is in its right
        CHECK(status == LG_ERROR_DEVICE, "status %d", (int)status);
        after_loss(&r, &probe);
    }
    give_back(&r);
    CHECK(probe.created == probe.destroyed, "%d objects, %d destroyed", (int)probe.created,
          (int)probe.destroyed);
}

int main(void)
{
    if (!test_wants_vulkan()) {
        check_skip("Vulkan is turned off");
        return check_finish("vulkan_faults");
    }
    lg_vk_probe probe = {0};
    const bool folder = mkdtemp(cache_dir) != NULL;
    // One device stays throughout: the loader unloads a driver that nobody uses, and NVIDIA's can
    // be loaded some fifty times in a process.
    lg_vk *keeper = NULL;
    lg_error e = {0};
    (void)lg_vk_create_probed(WITH_REF(lg_context_params, it.device = LG_DEVICE_VULKAN), NULL, NULL,
                              NULL, &keeper, &e);
    run r = go(&probe);
    if (!r.vk) {
        check_skip(r.error.message);
    } else {
        CHECK(!r.status && r.right && folder, "%s", r.error.message);
        give_back(&r);
        CHECK(probe.created > 10 && probe.created == probe.destroyed, "%d and %d",
              (int)probe.created, (int)probe.destroyed);
        const int64_t calls = probe.calls;
        printf("%d calls of Vulkan\n", (int)calls);
        test_calls(calls, VK_ERROR_OUT_OF_DEVICE_MEMORY, LG_ERROR_MEMORY);
        test_calls(calls, VK_ERROR_OUT_OF_HOST_MEMORY, LG_ERROR_MEMORY);
        test_calls(calls, VK_ERROR_DEVICE_LOST, LG_ERROR_DEVICE);
        test_calls(calls, VK_ERROR_INITIALIZATION_FAILED, LG_ERROR_DEVICE);
        test_allocations();
        test_timeout();
    }
    give_back(&r);
    lg_vk_destroy(&keeper);
    CHECK(remove_tree(cache_dir), "%s stays", cache_dir);
    return check_finish("vulkan_faults");
}

#else

int main(void)
{
    check_skip("built without Vulkan");
    return check_finish("vulkan_faults");
}

#endif

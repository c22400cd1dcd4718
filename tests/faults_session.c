// Whole sessions from lg_context_create to lg_context_destroy, on each device, with failures and without:
// afterwards every block of memory was given back and every object of Vulkan was destroyed, once and
// before what it belongs to.
#include "check.h"
#include "device.h"
#include "faults.h"
#include "scenarios.h"
#include "vulkan_objects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef LG_HAVE_VULKAN
#include "vulkan/vk_private.h"
#endif

static char cache_dir[] = "/tmp/lumagraph-session-XXXXXX";

enum { MOST_KINDS = 32 };

// ---- what is counted -----------------------------------------------------------------------------

typedef struct held {
    int64_t blocks, objects[MOST_KINDS], strays;
} held;

static held now(void)
{
    held h = {.blocks = faults_live(), .strays = vulkan_objects_strays()};
    for (size_t i = 0; i < vulkan_objects_kinds(); i++)
        h.objects[i] = vulkan_objects_live(i);
    return h;
}

static void check_held(const held *before, const char *what, int64_t at)
{
    const held after = now();
    CHECK(after.blocks == before->blocks, "%s %d: %d blocks of memory were not given back", what,
          (int)at, (int)(after.blocks - before->blocks));
    for (size_t i = 0; i < vulkan_objects_kinds(); i++)
        CHECK(after.objects[i] == before->objects[i], "%s %d: vk%s: %d were not destroyed", what,
              (int)at, vulkan_objects_name(i), (int)(after.objects[i] - before->objects[i]));
    CHECK(after.strays == before->strays, "%s %d: %d objects were destroyed twice or too late",
          what, (int)at, (int)(after.strays - before->strays));
}

// ---- one session ---------------------------------------------------------------------------------

static lg_status states(lg_context *context, lg_error *error)
{
    uint8_t saved[1024];
    size_t size = 0;
    lg_image *image = scenario_wrap(context, GREY);
    lg_moments_accumulator *one = NULL, *two = NULL;
    lg_status status =
        lg_moments_accumulator_create(LG_U8, 1, SCENARIO_WIDTH, SCENARIO_HEIGHT, 1, &one, error);
    if (!status)
        status = lg_moments_accumulator_add(context, one, image, NULL, 0, 0, 0, error);
    if (!status)
        status = lg_moments_accumulator_save(one, saved, sizeof saved, &size, error);
    if (!status)
        status = lg_moments_accumulator_load(saved, size, &two, error);
    lg_moments_accumulator_destroy(&one);
    lg_moments_accumulator_destroy(&two);
    lg_image_destroy(&image);
    return status;
}

static lg_status pictures(lg_context *context, lg_error *error)
{
    lg_image *image = scenario_wrap(context, GREY), *colors = NULL, *over = NULL, *binary = NULL;
    lg_labels *labels = NULL;
    lg_components *components = NULL;
    uint8_t keep[SCENARIO_WIDTH * SCENARIO_HEIGHT] = {1};
    const lg_label_params params =
        WITH(lg_label_params, it.foreground = LG_FOREGROUND_ABOVE, it.level = 120);
    lg_status status = lg_label_image(context, image, &params, NULL, &labels, &components, error);
    if (!status)
        status = lg_labels_colors(context, labels, &colors, error);
    if (!status)
        status = lg_labels_overlay(context, labels, image, NULL, &over, error);
    if (!status)
        status = lg_components_keep(context, labels, components, keep, error);
    if (!status)
        status = lg_threshold_image(context, image, NULL, &(lg_threshold){0}, 1, &binary, error);
    if (!status)
        status = lg_image_upload(context, binary, error);
    lg_labels_destroy(&labels);
    lg_components_destroy(&components);
    lg_image_destroy(&colors);
    lg_image_destroy(&over);
    lg_image_destroy(&binary);
    lg_image_destroy(&image);
    return status;
}

// What fails on purpose fails with a message; which calls fail is of no interest here.
static void work(lg_context *context, bool fails, size_t from, size_t step)
{
    for (size_t i = from; i < SCENARIOS; i += step) {
        outcome o = {0, false};
        lg_error error = {LG_OK, ""};
        const lg_status status = scenarios[i].call(context, &o, &error);
        CHECK(!status || (fails && error.message[0]), "%s: %s", scenarios[i].name, error.message);
    }
    lg_error error = {LG_OK, ""};
    const lg_status status = states(context, &error), drawn = pictures(context, &error);
    CHECK((!status && !drawn) || (fails && error.message[0]), "%s", error.message);
}

static lg_context *open_context(lg_device_kind device, const char *cache, lg_status *status)
{
    lg_context *context = NULL;
    lg_error error = {LG_OK, ""};
    *status = lg_context_create(WITH_REF(lg_context_params, it.device = device,
                                         it.use_cache = cache != NULL, it.cache_dir = cache),
                                &context, &error);
    CHECK(!*status || error.message[0], "no message");
    return context;
}

static void test_whole(lg_device_kind device, const char *cache, const char *what)
{
    const held before = now();
    lg_status status;
    lg_context *context = open_context(device, cache, &status);
    CHECK(!status, "%s: status %d", what, (int)status);
    if (context)
        work(context, false, 0, 1);
    lg_context_destroy(&context);
    check_held(&before, what, 0);
}

// Some allocations fail, one in each session.
static void test_memory(lg_device_kind device, const char *what)
{
    const int64_t step = test_extent(6007, 431, 11);
    bool fired = true;
    scenario_memory_fails = true;
    for (int64_t at = 0; fired; at += at < 40 ? test_extent(13, 7, 7) : step) {
        const held before = now();
        lg_status status;
        faults_arm(FAULTS_MEMORY, at);
        lg_context *context = open_context(device, cache_dir, &status);
        CHECK(!status || status == LG_ERROR_MEMORY || status == LG_ERROR_DEVICE, "%s %d: status %d",
              what, (int)at, (int)status);
        if (context)
            work(context, true, 0, 1);
        fired = faults_disarm();
        lg_context_destroy(&context);
        check_held(&before, what, at);
    }
    scenario_memory_fails = false;
}

#ifdef LG_HAVE_VULKAN

// What a device in use is made of is seen here: a kind that nobody makes would be counted as given back.
static void check_seen(void)
{
    static const char *const kinds[] = {
        "Buffer",      "Memory", "Pipeline", "ShaderModule", "PipelineLayout",
        "CommandPool", "Device", "Instance", "Semaphore",    "PipelineCache"};
    for (size_t k = 0; k < LG_COUNT(kinds); k++) {
        int64_t seen = 0;
        for (size_t i = 0; i < vulkan_objects_kinds(); i++)
            seen += strcmp(vulkan_objects_name(i), kinds[k]) == 0 ? vulkan_objects_created(i) : 0;
        CHECK(seen > 0, "no vk%s was made", kinds[k]);
    }
}

// A device that is lost, or that never finishes anything, while things lie on it.
static void test_trouble(bool lost)
{
    const char *what = lost ? "a lost device" : "a device that never finishes";
    const held before = now();
    lg_status status;
    lg_error error = {LG_OK, ""};
    lg_context *context = open_context(LG_DEVICE_VULKAN, cache_dir, &status);
    CHECK(context, "%s: status %d", what, (int)status);
    if (context) {
        work(context, false, 0, 3);
        lg_image *image = scenario_wrap(context, GREY);
        lg_labels *labels = NULL;
        CHECK(!lg_image_upload(context, image, &error) &&
                  !lg_label_image(context, image, NULL, NULL, &labels, NULL, &error),
              "%s", error.message);
        if (lost)
            lg_vk_lose(context->vk, "a test");
        else
            context->vk->timeout = 0;
        work(context, true, 1, 3);
        lg_labels_destroy(&labels);
        lg_image_destroy(&image);
    }
    lg_context_destroy(&context);
    check_held(&before, what, 0);
}

// One call of the driver fails in each session: the device is created by it, or works for it.
static void test_calls(VkResult result)
{
    const int64_t step = test_extent(1597, 181, 5);
    bool failed = true;
    for (int64_t at = 1; failed; at += at < 40 ? test_extent(8, 3, 3) : step) {
        const held before = now();
        lg_vk_probe probe = {.fail_at = at, .result = result};
        lg_error error = {LG_OK, ""};
        lg_status status;
        lg_context *context = open_context(LG_DEVICE_CPU, NULL, &status);
        lg_vk *vk = NULL;
        if (context &&
            !lg_vk_create_probed(WITH_REF(lg_context_params, it.device = LG_DEVICE_VULKAN),
                                 &context->log, cache_dir, &probe, &vk, &error)) {
            context->vk = context->attached = vk;
            lg_vk_use_pool(vk, context->pool);
            lg_vk_info(vk, &context->info);
            work(context, true, (size_t)at % 5, 5);
        }
        lg_context_destroy(&context);
        check_held(&before, lg_vk_result_name(result), at);
        failed = probe.failed != NULL;
    }
}

static void test_vulkan(void)
{
    lg_context *keeper = device_open(NULL, NULL); // drivers do not like to be loaded often
    if (!keeper)
        return;
    if (!test_is_short())
        test_whole(LG_DEVICE_VULKAN, NULL, "without a cache");
    test_whole(LG_DEVICE_VULKAN, cache_dir, "with an empty cache");
    test_whole(LG_DEVICE_VULKAN, cache_dir, "with a cache");
    check_seen();
    test_trouble(false);
    test_trouble(true);
    test_calls(VK_ERROR_OUT_OF_DEVICE_MEMORY);
    test_calls(VK_ERROR_DEVICE_LOST);
    test_memory(LG_DEVICE_VULKAN, "Vulkan, allocation");
    device_close(&keeper);
}

#else

static void test_vulkan(void)
{
}

#endif

int main(void)
{
    const held before = now();
    scenario_make_images();
    CHECK(mkdtemp(cache_dir) != NULL, "%s", cache_dir);
    test_whole(LG_DEVICE_CPU, cache_dir, "the processor");
    test_memory(LG_DEVICE_CPU, "the processor, allocation");
    test_vulkan();
    check_held(&before, "all sessions", 0);
    CHECK(remove_tree(cache_dir), "%s stays", cache_dir);
    return check_finish("faults_session");
}

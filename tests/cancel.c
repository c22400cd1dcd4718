// Long calls tell how far they are and can be ended. Every call that computes is ended each time it asks
// whether to go on: it returns LG_ERROR_CANCELLED, and the same context then computes the right results.
// The same holds for the readers of files.
#include "check.h"
#include "content.h"
#include "device.h"
#include "scenarios.h"

#include <lumagraph/io.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- the caller's side --------------------------------------------------------------------------

typedef struct watcher {
    int64_t calls, stop_at; // 0: never
    double worst;           // a part that is none, or 0
} watcher;

static bool go_on(void *priv, double part)
{
    watcher *w = priv;
    if (!(part >= 0 && part <= 1))
        w->worst = part;
    return ++w->calls != w->stop_at;
}

static watcher watch(int64_t stop_at)
{
    return (watcher){.stop_at = stop_at};
}

// ---- calls that compute -------------------------------------------------------------------------

static uint64_t run(lg_context *context, const scenario *s, const char *who)
{
    outcome o = {0, false};
    lg_error error = {LG_OK, ""};
    const lg_status status = s->call(context, &o, &error);
    CHECK(!status, "%s, %s: %s", s->name, who, error.message);
    return o.hash;
}

// False: the call was done before.
static bool stop(lg_context *context, const scenario *s, watcher *w, int64_t at)
{
    outcome o = {0, false};
    lg_error error = {LG_OK, ""};
    *w = watch(at);
    const lg_status status = s->call(context, &o, &error);
    const bool stopped = w->calls >= at;
    CHECK(status == (stopped ? LG_ERROR_CANCELLED : LG_OK), "%s, at %d of %d: status %d, %s",
          s->name, (int)at, (int)w->calls, (int)status, error.message);
    CHECK(w->calls <= at, "%s went on for %d calls", s->name, (int)(w->calls - at));
    CHECK(!stopped || strstr(error.message, "ended"), "%s: %s", s->name, error.message);
    CHECK(w->worst == 0, "%s: part %g", s->name, w->worst);
    // What has room from the caller is written piece by piece; nothing else may be there.
    CHECK(!o.touched || s->flags & (FILTERS | WRITES), "%s: an output was changed", s->name);
    *w = watch(0);
    return stopped;
}

static void test_scenario(lg_context *context, const scenario *s, watcher *w, const char *who)
{
    *w = watch(0);
    const uint64_t expected = run(context, s, who);
    CHECK(w->calls > 0, "%s, %s: never told", s->name, who);
    const int64_t step = context->vk ? test_extent(11, 7, 1) : test_extent(3, 1, 1);
    for (int64_t at = 1; stop(context, s, w, at); at += step)
        CHECK(run(context, s, who) == expected, "%s, %s: another result after call %d", s->name,
              who, (int)at);
}

static void test_context(lg_context *context, unsigned flags, const char *who)
{
    watcher w = watch(0);
    lg_pool_watch(context->pool, go_on, &w, 0);
    for (size_t i = 0; i < SCENARIOS; i++)
        if ((scenarios[i].flags & flags) == flags && !(scenarios[i].flags & BANDS)) // tests/bands
            test_scenario(context, &scenarios[i], &w, who);
    lg_pool_watch(context->pool, NULL, NULL, 0);
}

// As a program sets it: a call is told of at most once in an interval, and one that always says no ends all.
static void test_params(void)
{
    watcher w = watch(1);
    lg_context *context = NULL;
    lg_error error = {LG_OK, ""};
    lg_context_params params = lg_context_params_default();
    params.device = LG_DEVICE_CPU;
    params.progress = go_on;
    params.progress_priv = &w;
    CHECK(!lg_context_create(&params, &context, &error), "%s", error.message);
    outcome o = {0, false};
    CHECK(scenarios[0].call(context, &o, &error) == LG_ERROR_CANCELLED, "%s", error.message);
    lg_context_destroy(&context);
    CHECK(strcmp(lg_status_name(LG_ERROR_CANCELLED), "cancelled") == 0, "its name");
}

// ---- files --------------------------------------------------------------------------------------

static char folder[] = "/tmp/lumagraph-cancel-XXXXXX";

static void make_cube(const char *path)
{
    FILE *file = fopen(path, "w");
    CHECK(file != NULL, "%s", path);
    if (!file)
        return;
    fprintf(file, "LUT_3D_SIZE 17\n");
    for (int i = 0; i < 17 * 17 * 17; i++)
        fprintf(file, "%.6f %.6f %.6f\n", i % 17 / 16.0, i / 17 % 17 / 16.0, i / 289 / 16.0);
    fclose(file);
}

static lg_status read_file(lg_context *context, const char *path, watcher *w, uint64_t *hash,
                           lg_error *error)
{
    lg_read_params params = lg_read_params_default();
    lg_image *image = NULL;
    params.progress = go_on;
    params.progress_priv = w;
    const lg_status status = lg_image_read(context, path, &params, &image, NULL, error);
    CHECK(!status == (image != NULL), "%s: status %d and an image %d", path, (int)status,
          image != NULL);
    if (image)
        *hash = lg_hash(image->data, image->shape.layer_stride, 0);
    lg_image_destroy(&image);
    return status;
}

static void test_file(lg_context *context, const char *path)
{
    lg_error error = {LG_OK, ""};
    uint64_t expected = 0, hash = 0;
    watcher w = watch(0);
    CHECK(!read_file(context, path, &w, &expected, &error), "%s: %s", path, error.message);
    const int64_t calls = w.calls;
    CHECK(calls > 0 && w.worst == 0, "%s: %d calls, part %g", path, (int)calls, w.worst);
    for (int64_t at = 1; at <= calls; at += LG_MAX(calls / 7, (int64_t)1)) {
        w = watch(at);
        const lg_status status = read_file(context, path, &w, &hash, &error);
        CHECK(status == LG_ERROR_CANCELLED && w.calls == at, "%s, call %d of %d: status %d, %s",
              path, (int)at, (int)calls, (int)status, error.message);
    }
    w = watch(0);
    CHECK(!read_file(context, path, &w, &hash, &error) && hash == expected, "%s", path);
}

static void test_files(lg_context *context)
{
    static const char *const formats[] = {"pgm", "ppm", "pam", "pfm", "npy", "tif", "png"};
    char path[128];
    lg_error error = {LG_OK, ""};
    CHECK(mkdtemp(folder) != NULL, "%s", folder);
    for (size_t i = 0; i < LG_COUNT(formats); i++) {
        lg_image_params shape = {
            .width = 411, .height = 270, .layers = 1, .channels = 4, .alpha = LG_ALPHA_OPAQUE};
        shape.type = strcmp(formats[i], "pfm") == 0 ? LG_F32 : LG_U8;
        if (strcmp(formats[i], "pgm") == 0) {
            shape.channels = 1;
            shape.alpha = LG_ALPHA_NONE;
        }
        lg_image *image = content_image(context, shape, CONTENT_UNIT);
        snprintf(path, sizeof path, "%s/image.%s", folder, formats[i]);
        if (lg_image_can_format(formats[i])) {
            CHECK(!lg_image_write(image, path, NULL, &error), "%s", error.message);
            test_file(context, path);
        } else {
            check_skip("formats of modules that are not there");
        }
        lg_image_destroy(&image);
    }
    snprintf(path, sizeof path, "%s/table.cube", folder);
    make_cube(path);
    test_file(context, path);
    CHECK(remove_tree(folder), "%s stays", folder);
}

int main(void)
{
    scenario_make_images();
    test_params();
    lg_context *one = device_open_level(LG_CPU_BEST, 1), *three = device_open_level(LG_CPU_BEST, 3);
    if (one && three) {
        test_context(one, 0, "one thread");
        test_context(three, 0, "three threads");
        test_files(one);
    }
    lg_context_destroy(&one);
    lg_context_destroy(&three);
    lg_context *device = device_open(NULL, NULL);
    if (device)
        test_context(device, 0, "Vulkan");
    device_close(&device);
    // The CPU runs filters, and their results go to the device.
    setenv("LUMAGRAPH_VK_DISABLE", "compiler", 1);
    device = device_open(NULL, NULL);
    if (device)
        test_context(device, FILTERS, "Vulkan without a compiler");
    device_close(&device);
    unsetenv("LUMAGRAPH_VK_DISABLE");
    return check_finish("cancel");
}

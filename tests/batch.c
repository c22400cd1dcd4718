// Batches (lumagraph/batch.h): order of results, jobs of a lost device, and one image in strips with the bits
// of one context. Several contexts on one device stand for several devices.
#include "check.h"
#include "device.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef LG_HAVE_VULKAN
#include "vulkan/vk_private.h"
#endif

static lg_error error;

#define GOOD(call) CHECK((call) == LG_OK, "%s", error.message)

// ---- jobs -------------------------------------------------------------------------------------------

typedef struct task {
    int number;
    lg_status status;
    atomic_int calls;
    lg_context *loses; // the context that loses its device over it; NULL: none
} task;

static lg_status run_task(lg_context *context, void *priv, lg_error *e)
{
    task *t = priv;
    float pixels[32];
    lg_image *image = NULL;
    lg_moments moments;
    const lg_image_params shape = {.width = 32,
                                   .height = 1,
                                   .layers = 1,
                                   .channels = 1,
                                   .type = LG_F32,
                                   .row_stride = 128,
                                   .layer_stride = 128};
    atomic_fetch_add(&t->calls, 1);
    for (int i = 0; i < 32; i++)
        pixels[i] = (float)(t->number + i);
#ifdef LG_HAVE_VULKAN
    if (t->loses == context)
        lg_vk_lose(context->attached, "a test");
#endif
    lg_status status = lg_image_wrap(context, &shape, pixels, &image, e);
    if (!status)
        status = lg_measure_moments(context, image, NULL, &moments, 1, e);
    lg_image_destroy(&image);
    if (!status && moments.mean != t->number + 15.5)
        return lg_fail(e, LG_ERROR_DATA, "the mean is %g", moments.mean);
    return status ? status : t->status ? lg_fail(e, t->status, "task %d fails", t->number) : LG_OK;
}

static void test_order(lg_context *const *contexts, int count)
{
    enum { TASKS = 40 };
    static task tasks[TASKS];
    lg_batch *batch = NULL;
    lg_batch_result result;
    GOOD(lg_batch_create(contexts, count, &batch, &error));
    CHECK(lg_batch_usable(batch) == count, "%d usable", lg_batch_usable(batch));
    for (int i = 0; i < TASKS; i++) {
        tasks[i] = (task){.number = i,
                          .status = i == 17  ? LG_ERROR_LIMIT
                                    : i == 9 ? LG_ERROR_IO
                                             : LG_OK};
        GOOD(lg_batch_add(batch, run_task, &tasks[i], &error));
    }
    for (int i = 0; i < TASKS / 2; i++) {
        GOOD(lg_batch_next(batch, &result, &error));
        CHECK(result.priv == &tasks[i] && result.status == tasks[i].status && !result.handed_on &&
                  result.context >= 0 && result.context < count,
              "result %d: status %d", i, (int)result.status);
    }
    CHECK(lg_batch_wait(batch, &error) == LG_ERROR_IO && strstr(error.message, "task 9"), "%s",
          error.message);
    GOOD(lg_batch_wait(batch, &error));
    CHECK(lg_batch_next(batch, &result, &error) == LG_ERROR_ARGUMENT, "a result of nothing");
    for (int i = 0; i < TASKS; i++)
        CHECK(tasks[i].calls == 1, "task %d ran %d times", i, tasks[i].calls);
    GOOD(lg_batch_add(batch, run_task, &tasks[0], &error)); // is waited for, or dropped
    lg_batch_destroy(&batch);
    lg_batch_destroy(&batch);
}

static void test_mistakes(lg_context *context)
{
    lg_context *twice[] = {context, context};
    lg_batch *batch = NULL;
    CHECK(lg_batch_create(twice, 2, &batch, &error) == LG_ERROR_ARGUMENT, "one twice");
    CHECK(lg_batch_create(twice, 0, &batch, &error) == LG_ERROR_ARGUMENT, "none");
    CHECK(lg_batch_create(NULL, 1, &batch, &error) == LG_ERROR_ARGUMENT, "NULL");
    CHECK(lg_batch_create(twice, 65, &batch, &error) == LG_ERROR_ARGUMENT, "65");
    CHECK(!batch, "a failed call gave a batch");
    for (int64_t at = 0; at < 8; at++) {
        lg_alloc_fail_after(at);
        const lg_status status = lg_batch_create(twice, 1, &batch, &error);
        lg_alloc_fail_after(-1);
        CHECK(status == LG_ERROR_MEMORY || (!status && batch), "allocation %d: %d", (int)at,
              (int)status);
        lg_batch_destroy(&batch);
    }
}

// ---- a device that is lost --------------------------------------------------------------------------

#ifdef LG_HAVE_VULKAN

// The first context is lost over a task, which goes to the other one; so do all others. When that is lost,
// tasks fail: they are handed on once.
static void test_loss(void)
{
    enum { TASKS = 12 };
    static task tasks[TASKS];
    lg_context *contexts[2] = {device_open_strict(), device_open_strict()};
    lg_batch *batch = NULL;
    lg_batch_result result;
    int handed = 0, failed = 0;
    if (contexts[0] && contexts[1]) {
        GOOD(lg_batch_create(contexts, 2, &batch, &error));
        for (int i = 0; i < TASKS; i++) {
            tasks[i] = (task){.number = i, .loses = contexts[0]};
            GOOD(lg_batch_add(batch, run_task, &tasks[i], &error));
        }
        for (int i = 0; i < TASKS; i++) {
            GOOD(lg_batch_next(batch, &result, &error));
            CHECK(!result.status && result.context == 1, "task %d: %s", i, result.error.message);
            CHECK(tasks[i].calls == 1 + result.handed_on, "task %d ran %d times", i,
                  tasks[i].calls);
            handed += result.handed_on;
        }
        GOOD(lg_batch_wait(batch, &error));
        // The first context may not have come to a task before the second one had done them all.
        CHECK(handed <= 1 && lg_batch_usable(batch) == 2 - handed, "%d tasks were handed on",
              handed);
        for (int i = 0; i < TASKS; i++) {
            tasks[i] = (task){.number = i, .loses = contexts[1]};
            GOOD(lg_batch_add(batch, run_task, &tasks[i], &error));
        }
        for (int i = 0; i < TASKS; i++) {
            GOOD(lg_batch_next(batch, &result, &error));
            failed += result.status == LG_ERROR_DEVICE;
            CHECK(tasks[i].calls <= 2, "task %d ran %d times", i, tasks[i].calls);
        }
        CHECK(handed == 0 || (failed == TASKS && lg_batch_usable(batch) == 0),
              "%d of %d tasks failed without a device", failed, TASKS);
        lg_batch_destroy(&batch);
    }
    lg_context_destroy(&contexts[0]);
    lg_context_destroy(&contexts[1]);
}

#endif

// ---- one image --------------------------------------------------------------------------------------

static lg_image *picture(lg_context *context, int width, int height, int layers, int channels,
                         lg_type type)
{
    lg_image *image = NULL;
    const lg_image_params shape = {.width = width,
                                   .height = height,
                                   .layers = layers,
                                   .channels = channels,
                                   .type = type,
                                   .alpha = channels == 4 ? LG_ALPHA_OPAQUE : LG_ALPHA_NONE};
    GOOD(lg_image_create(context, &shape, &image, &error));
    for (int y = 0; image && y < height * layers; y++) {
        char *row = (char *)image->data + (size_t)y * image->shape.row_stride;
        for (int x = 0; x < width * channels; x++) {
            const float number = (float)(random_normal() * 1e3);
            if (type == LG_F32)
                memcpy(row + 4 * x, &number, 4);
            else
                random_bytes(row + (size_t)x * lg_type_size(type), lg_type_size(type));
        }
    }
    return image;
}

static bool same_histograms(const lg_histogram *a, const lg_histogram *b)
{
    bool same = a && b && a->channels == b->channels && a->layers == b->layers;
    for (int c = 0; same && c < a->channels; c++) {
        const lg_histogram_channel *p = &a->channel[c], *q = &b->channel[c];
        same = p->bins == q->bins && p->lo == q->lo && p->hi == q->hi && p->layer == q->layer &&
               p->total == q->total && p->below == q->below && p->above == q->above &&
               strcmp(p->name, q->name) == 0 &&
               memcmp(p->counts, q->counts, (size_t)p->bins * sizeof *p->counts) == 0;
    }
    return same;
}

static bool same_levels(const lg_threshold *a, const lg_threshold *b)
{
    return a->levels == b->levels && a->foreground == b->foreground && a->total == b->total &&
           memcmp(a->level, b->level, sizeof a->level) == 0 &&
           memcmp(a->bin, b->bin, sizeof a->bin) == 0 &&
           memcmp(&a->separability, &b->separability, sizeof a->separability) == 0;
}

static bool same_pixels(const lg_image *a, const lg_image *b)
{
    bool same = a && b && a->shape.width == b->shape.width && a->shape.height == b->shape.height &&
                a->shape.layers == b->shape.layers;
    for (int y = 0; same && y < a->shape.height * a->shape.layers; y++)
        same = memcmp((const char *)a->data + (size_t)y * a->shape.row_stride,
                      (const char *)b->data + (size_t)y * b->shape.row_stride,
                      (size_t)a->shape.width) == 0;
    return same;
}

// Levels and compared pixels, too.
static void check_levels(lg_context *const *contexts, int count, const lg_image *image,
                         const lg_select *select, bool stack, lg_threshold_method method)
{
    enum { MOST = 16 };
    lg_threshold here[MOST], there[MOST];
    lg_image *one = NULL, *several = NULL;
    const lg_threshold_params t =
        WITH(lg_threshold_params, it.select = *select, it.stack = stack, it.method = method);
    const int results = stack ? 1 : image->shape.layers;
    memset(here, 0, sizeof here);
    GOOD(lg_threshold_image(contexts[0], image, &t, here, MOST, &one, &error));
    for (int n = 1; n <= count; n++) {
        lg_batch *batch = NULL;
        memset(there, 0, sizeof there);
        GOOD(lg_batch_create(contexts, n, &batch, &error));
        GOOD(lg_batch_threshold(batch, image, &t, there, MOST, &several, &error));
        for (int i = 0; i < results; i++)
            CHECK(same_levels(&here[i], &there[i]), "%s of %d contexts",
                  lg_threshold_method_name(method), n);
        CHECK(same_pixels(one, several), "pixels of %d contexts", n);
        lg_image_destroy(&several);
        CHECK(lg_batch_threshold(batch, image, &t, there, 0, NULL, &error) == LG_ERROR_ARGUMENT,
              "no room");
        lg_batch_destroy(&batch);
    }
    lg_image_destroy(&one);
}

// The same bits for any number of contexts, with a region, a mask and layers.
static void check_image(lg_context *const *contexts, int count, const lg_image *image,
                        const lg_select *select, bool stack)
{
    lg_moments here[16], there[16];
    const lg_moments_params m = WITH(lg_moments_params, it.select = *select, it.stack = stack);
    const lg_histogram_params h = WITH(lg_histogram_params, it.select = *select, it.stack = stack,
                                       it.bins = 100, it.lo = 0, it.hi = 255);
    memset(here, 0, sizeof here);
    GOOD(lg_measure_moments(contexts[0], image, &m, here, 16, &error));
    lg_histogram *one = NULL;
    GOOD(lg_measure_histogram(contexts[0], image, &h, &one, &error));
    for (int n = 1; n <= count; n++) {
        lg_batch *batch = NULL;
        lg_histogram *several = NULL;
        memset(there, 0, sizeof there);
        GOOD(lg_batch_create(contexts, n, &batch, &error));
        GOOD(lg_batch_moments(batch, image, &m, there, 16, &error));
        CHECK(memcmp(here, there, sizeof here) == 0, "moments of %d contexts", n);
        GOOD(lg_batch_histogram(batch, image, &h, &several, &error));
        CHECK(same_histograms(one, several), "histograms of %d contexts", n);
        lg_histogram_destroy(&several);
        CHECK(lg_batch_moments(batch, image, &m, there, 0, &error) == LG_ERROR_ARGUMENT, "no room");
        lg_batch_destroy(&batch);
    }
    lg_histogram_destroy(&one);
    check_levels(contexts, count, image, select, stack,
                 stack ? LG_THRESHOLD_OTSU : LG_THRESHOLD_MEAN);
}

static void test_images(lg_context *const *contexts, int count, size_t most)
{
    static const struct {
        int width, height, layers, channels;
        lg_type type;
    } cases[] = {{61, 301, 1, 1, LG_U8},  {40, 130, 3, 1, LG_U16}, {33, 200, 1, 4, LG_U8},
                 {50, 257, 2, 1, LG_F32}, {9, 20, 1, 1, LG_U8},    {64, 64, 1, 2, LG_F16}};
    for (size_t i = 0; i < LG_MIN(sizeof cases / sizeof *cases, most); i++) {
        lg_image *image = picture(contexts[0], cases[i].width, cases[i].height, cases[i].layers,
                                  cases[i].channels, cases[i].type);
        lg_image *mask = picture(contexts[0], cases[i].width, cases[i].height, 1, 1, LG_U8);
        const lg_region region = {3, 5, cases[i].width - 4, cases[i].height - 6};
        lg_select select = lg_select_default();
        check_image(contexts, count, image, &select, false);
        select.region = &region;
        select.mask = mask;
        check_image(contexts, count, image, &select, true);
        select.step = 3;
        check_image(contexts, count, image, &select, false);
        lg_image_destroy(&image);
        lg_image_destroy(&mask);
    }
}

int main(void)
{
    lg_context *contexts[4] = {NULL};
    int cpus = 0, devices = 0;
    random_seed(4);
    for (int i = 0; i < 4; i++)
        contexts[cpus++] = device_open_threads(1);
    test_order(contexts, 4);
    test_order(contexts, 1);
    test_mistakes(contexts[0]);
    test_images(contexts, 4, 100);
    for (int i = 0; i < 4; i++)
        lg_context_destroy(&contexts[i]);
    while (devices < test_extent(2, 3, 3) && (contexts[devices] = device_open(NULL, NULL)))
        devices++;
    if (devices > 1) {
        test_order(contexts, devices);
        test_images(contexts, devices, (size_t)test_extent(1, 2, 100));
    }
    while (devices > 0)
        device_close(&contexts[--devices]);
#ifdef LG_HAVE_VULKAN
    test_loss();
#endif
    return check_finish("batch");
}

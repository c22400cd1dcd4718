// Plans on a device of the application that nobody waits for (lg_plan_submit): the order that semaphores
// make, figures that stay on the device, and what cannot be done there.
#include "adopted.h"
#include "check.h"
#include "device.h"
#include "lent.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef LG_HAVE_VULKAN

static lg_error error;

#define GOOD(call) CHECK((call) == LG_OK, "%s", error.message)

// ---- plans that nobody waits for ------------------------------------------------------------------

static uint64_t counter(VkSemaphore semaphore)
{
    uint64_t value = 0;
    lent_vk->fn.vkGetSemaphoreCounterValue(lent_vk->device, semaphore, &value);
    return value;
}

static lg_image *figures_image(lg_context *context, size_t rows)
{
    lg_image *image = NULL;
    const lg_image_params shape = {
        .width = 4, .height = (int32_t)rows, .layers = 1, .channels = 1, .type = LG_F32};
    GOOD(lg_image_create_device(context, &shape, &image, &error));
    return image;
}

// Rows of an image of figures are what lg_plan_figures says.
static void check_figures(lg_image *image, const lg_figure_value *values, size_t count,
                          const char *what)
{
    GOOD(lg_image_download(lent_context, image, &error));
    for (size_t i = 0; i < count && image->data; i++)
        CHECK(memcmp((char *)image->data + i * image->shape.row_stride, values[i].value, 16) == 0,
              "%s: figure %zu is %.9g, not %.9g", what, i,
              (double)((float *)image->data)[i * image->shape.row_stride / 4],
              (double)values[i].value[0]);
}

// Of the input and of what the filters give, in turns.
static const char *const asked[] = {"mean", "stddev", "p90", "rgb.max", NULL};

// Frames in flight, while the first waits for the host; then all of them at once.
static void test_submit(const char *text, lg_type type, int channels, bool outputs)
{
    enum { FRAMES = 5, W = 61, H = 23 };
    lent_image in[FRAMES], out[FRAMES];
    lg_image *figures[FRAMES];
    lg_figure_value here[8], last[8];
    size_t count = 0, again = 0;
    VkSemaphore semaphore;
    uint64_t handle;
    GOOD(lg_vk_semaphore_create(lent_vk, &handle, &error));
    memcpy(&semaphore, &handle, sizeof semaphore);
    for (int i = 0; i < FRAMES; i++) {
        in[i] = lent_open(W, H, 1, channels, type, 0);
        out[i] = lent_open(W, H, 1, channels, type, LENT_GAP);
    }
    lg_plan *a = lent_plan(lent_plain, text, &in[0].host->shape, asked, outputs);
    lg_plan *b = lent_plan(lent_context, text, &in[0].host->shape, asked, outputs);
    GOOD(lg_plan_wait(b, &error)); // nothing yet
    GOOD(lg_vulkan_wait(lent_context, &(lg_vulkan_point){semaphore, 1}, 1, &error));
    for (int i = 0; i < FRAMES; i++) {
        figures[i] = figures_image(lent_context, lg_plan_figure_count(b));
        if (i == 1) // turns go round: the host waits for the first one from here on
            GOOD(lg_vk_semaphore_signal(lent_vk, (lg_vk_point){handle, 1}, &error));
        GOOD(lg_plan_submit(b, &in[i].image, &out[i].image, figures[i], &error));
        if (i == 0) {
            GOOD(lg_vulkan_signal(lent_context, &(lg_vulkan_point){semaphore, 2}, 1, &error));
            CHECK(counter(semaphore) == 0, "a frame ran before its point was signalled");
        }
    }
    GOOD(lg_plan_wait(b, &error));
    CHECK(counter(semaphore) == 2, "the point behind the first frame");
    GOOD(lg_plan_figures(b, last, 8, &again, &error));
    for (int i = 0; i < FRAMES; i++) {
        GOOD(lg_plan_run(a, &in[i].host, &out[i].host, &error));
        GOOD(lg_plan_figures(a, here, 8, &count, &error));
        CHECK(count == lg_plan_figure_count(a) && count == lg_plan_figure_count(b), "%zu", count);
        check_figures(figures[i], here, count, text ? text : "no filter");
        if (outputs)
            lent_check(&out[i], out[i].host, text);
    }
    CHECK(again == count, "%zu figures on the host", again);
    for (size_t i = 0; i < count; i++)
        CHECK(memcmp(last[i].value, here[i].value, sizeof here[i].value) == 0,
              "figure %zu on the host", i);
    // Nobody waits: what is destroyed is still in use.
    GOOD(lg_plan_submit(b, &in[0].image, &out[0].image, figures[0], &error));
    for (int i = 0; i < FRAMES; i++) {
        lent_close(&in[i]);
        lent_close(&out[i]);
        lg_image_destroy(&figures[i]);
    }
    lg_vk_semaphore_destroy(lent_vk, handle);
    lg_plan_destroy(&a);
    lg_plan_destroy(&b);
}

// Runs with the same images, and then with others: what is submitted, and what is recorded.
static void test_replays(const char *text, bool outputs)
{
    enum { W = 40, H = 9, RUNS = 6 }; // two for each turn
    const char *const mean[] = {"mean", NULL};
    lent_image in[2], out = lent_open(W, H, 1, 1, LG_U8, 0);
    lg_image *figures[2];
    lg_figure_value values[4];
    size_t count = 0;
    for (int i = 0; i < 2; i++)
        in[i] = lent_open(W, H, 1, 1, LG_U8, i * LENT_GAP);
    lg_plan *a = lent_plan(lent_plain, text, &in[0].host->shape, mean, outputs);
    lg_plan *b = lent_plan(lent_context, text, &in[0].host->shape, mean, outputs);
    for (int i = 0; i < 2; i++)
        figures[i] = figures_image(lent_context, lg_plan_figure_count(b));
    for (int i = 0; i < RUNS; i++)
        GOOD(lg_plan_submit(b, &in[0].image, &out.image, figures[0], &error));
    const uint32_t submitted = lg_vk_submissions(lent_context->vk),
                   recorded = lg_vk_recordings(lent_context->vk);
    for (int i = 0; i < RUNS; i++)
        GOOD(lg_plan_submit(b, &in[0].image, &out.image, figures[0], &error));
    CHECK(lg_vk_submissions(lent_context->vk) - submitted == RUNS, "%u submissions for %d runs",
          lg_vk_submissions(lent_context->vk) - submitted, RUNS);
    CHECK(lg_vk_recordings(lent_context->vk) == recorded, "%u recordings for the same runs",
          lg_vk_recordings(lent_context->vk) - recorded);
    for (int i = 0; i < RUNS; i++) { // each turn has recorded other images
        const int from = i % 2, to = i / 2 % 2;
        GOOD(lg_plan_run(a, &in[from].host, &out.host, &error));
        GOOD(lg_plan_figures(a, values, 4, &count, &error));
        GOOD(lg_plan_submit(b, &in[from].image, &out.image, figures[to], &error));
        GOOD(lg_plan_wait(b, &error));
        check_figures(figures[to], values, count, "other images");
    }
    for (int i = 0; i < 2; i++) {
        lg_image_destroy(&figures[i]);
        lent_close(&in[i]);
    }
    lent_close(&out);
    lg_plan_destroy(&a);
    lg_plan_destroy(&b);
}

static void expect_unsupported(const char *text, lg_type type, const char *const *figures,
                               const char *part)
{
    lent_image in = lent_open(19, 7, 1, 1, type, 0), out = lent_open(19, 7, 1, 1, type, 0);
    lg_plan *plan = lent_plan(lent_context, text, &in.host->shape, figures, true);
    error.message[0] = '\0';
    CHECK(lg_plan_submit(plan, &in.image, &out.image, NULL, &error) == LG_ERROR_UNSUPPORTED &&
              strstr(error.message, part),
          "%s: '%s'", text, error.message);
    GOOD(lg_plan_run(plan, &in.image, &out.image, &error)); // that goes
    lg_plan_destroy(&plan);
    lent_close(&in);
    lent_close(&out);
}

static void test_wrong_submits(void)
{
    lent_image in = lent_open(19, 7, 1, 1, LG_U8, 0), out = lent_open(19, 7, 1, 1, LG_U8, 0);
    lg_plan *plan = lent_plan(lent_context, "median", &in.host->shape, asked, true);
    lg_image *narrow = figures_image(lent_context, 1);
    const lg_region region = {0, 0, 5, 5};
    CHECK(lg_plan_submit(plan, &in.host, &out.image, NULL, &error) == LG_ERROR_ARGUMENT &&
              strstr(error.message, "input 0"),
          "%s", error.message);
    CHECK(lg_plan_submit(plan, &in.image, &out.image, narrow, &error) == LG_ERROR_ARGUMENT &&
              strstr(error.message, "4 x 4"),
          "%s", error.message);
    CHECK(lg_plan_submit(NULL, &in.image, &out.image, NULL, &error) == LG_ERROR_ARGUMENT, "NULL");
    GOOD(lg_plan_select(plan, &region, NULL, &error));
    CHECK(lg_plan_submit(plan, &in.image, &out.image, NULL, &error) == LG_ERROR_UNSUPPORTED &&
              strstr(error.message, "selection"),
          "%s", error.message);
    lg_image_destroy(&narrow);
    lg_plan_destroy(&plan);
    lent_close(&in);
    lent_close(&out);
    const lg_vulkan_point nothing = {VK_NULL_HANDLE, 1};
    CHECK(lg_vulkan_wait(lent_context, &nothing, 1, &error) == LG_ERROR_ARGUMENT, "no semaphore");
    CHECK(lg_vulkan_wait(lent_plain, &nothing, 1, &error) == LG_ERROR_ARGUMENT, "the CPU");
    CHECK(lg_vulkan_signal(lent_context, &nothing, LG_MAX_POINTS + 1, &error) == LG_ERROR_LIMIT,
          "17");
    expect_unsupported("difference_blend:over=#in@-1", LG_U8, NULL, "delayed");
}

// A figure either stays on the device and has the same bits, or the message names it.
static void test_figure(const char *figure, lg_type type)
{
    lent_image in = lent_open(19, 7, 1, 1, type, 0);
    const char *const figures[] = {figure, NULL};
    lg_plan *a = lent_plan(lent_plain, NULL, &in.host->shape, figures, false);
    lg_plan *b = lent_plan(lent_context, NULL, &in.host->shape, figures, false);
    lg_image *image = figures_image(lent_context, 1);
    lg_figure_value value;
    size_t count;
    GOOD(lg_plan_run(a, &in.host, NULL, &error));
    GOOD(lg_plan_figures(a, &value, 1, &count, &error));
    const lg_status status = lg_plan_submit(b, &in.image, NULL, image, &error);
    if (status)
        CHECK(status == LG_ERROR_UNSUPPORTED && strstr(error.message, "figure.0"), "%s: %s", figure,
              error.message);
    else
        check_figures(image, &value, 1, figure);
    GOOD(lg_plan_run(b, &in.image, NULL, &error)); // that goes in any case
    lg_image_destroy(&image);
    lg_plan_destroy(&a);
    lg_plan_destroy(&b);
    lent_close(&in);
}

// A context on the CPU computes at once and writes the figures to host memory.
static void test_submit_on_cpu(void)
{
    lent_image in = lent_open(33, 9, 1, 1, LG_U8, 0), out = lent_open(33, 9, 1, 1, LG_U8, 0);
    lg_plan *plan = lent_plan(lent_plain, "median", &in.host->shape, asked, true);
    lg_image *figures = figures_image(lent_plain, 4);
    lg_figure_value values[4];
    size_t count = 0;
    GOOD(lg_plan_submit(plan, &in.host, &out.host, figures, &error));
    GOOD(lg_plan_wait(plan, &error));
    GOOD(lg_plan_figures(plan, values, 4, &count, &error));
    CHECK(count == 4 && memcmp(figures->data, values[0].value, 16) == 0, "another mean");
    lg_image_destroy(&figures);
    lg_plan_destroy(&plan);
    lent_close(&in);
    lent_close(&out);
}

// ---- failures -------------------------------------------------------------------------------------

// What the application does with one frame.
static lg_status frame(lg_plan *plan, const lent_image *m, const lent_texture *t, lg_image *figures)
{
    lg_image *in = NULL;
    lg_image_params shape = m->host->shape;
    shape.row_stride = m->stride;
    shape.layer_stride = m->stride * (size_t)shape.height;
    const lg_vulkan_image at = {.image = t->image,
                                .format = VK_FORMAT_R8_UNORM,
                                .layout = VK_IMAGE_LAYOUT_UNDEFINED,
                                .after = VK_IMAGE_LAYOUT_GENERAL};
    lg_vulkan_image back = at;
    back.layout = VK_IMAGE_LAYOUT_GENERAL;
    lg_status s =
        lg_image_wrap_buffer(lent_context, &shape, m->memory.buffer, m->offset, 0, &in, &error);
    if (!s)
        s = lg_image_to_vulkan(lent_context, in, &at, &error);
    if (!s)
        s = lg_image_from_vulkan(lent_context, in, &back, &error);
    if (!s)
        s = lg_plan_submit(plan, &in, NULL, figures, &error);
    if (!s)
        s = lg_plan_wait(plan, &error);
    lg_image_destroy(&in);
    return s;
}

// Each call of the driver fails once.
static void test_failures(void)
{
    const char *validation = getenv("LUMAGRAPH_VK_VALIDATION");
    if (validation && *validation) {
        check_skip("the layers take a failure that never reached the driver for a mistake");
        return;
    }
    lent_image m = lent_open(64, 16, 1, 1, LG_U8, 0);
    lent_texture t = lent_texture_open(VK_FORMAT_R8_UNORM, 64, 16, 1);
    lg_vk_probe count = {.fail_at = -1};
    for (int64_t at = 0, calls = 1; at <= calls; at++) {
        lg_vk_probe probe = {.fail_at = at, .result = VK_ERROR_OUT_OF_DEVICE_MEMORY};
        lg_plan *plan = lent_plan(lent_context, NULL, &m.host->shape, asked, false);
        lg_image *figures = figures_image(lent_context, 4);
        lent_vk->probe = at ? &probe : &count;
        const lg_status status = frame(plan, &m, &t, figures);
        lent_vk->probe = NULL;
        calls = count.calls;
        CHECK(at ? status == LG_ERROR_MEMORY || status == LG_ERROR_DEVICE || !status : !status,
              "call %d (%s): status %d, %s", (int)at, probe.failed ? probe.failed : "none",
              (int)status, error.message);
        CHECK(!lg_vk_lost(lent_vk), "lost");
        GOOD(frame(plan, &m, &t, figures)); // as soon as nothing fails any more
        lg_image_destroy(&figures);
        lg_plan_destroy(&plan);
    }
    CHECK(count.calls > 10, "%d calls", (int)count.calls);
    lent_texture_close(&t);
    lent_close(&m);
}

// ---- the example ----------------------------------------------------------------------------------

static void test_example(void)
{
    char program[2100], command[4096];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 32);
    NEED(length > 0, "this program");
    program[length] = '\0';
    char *slash = strrchr(program, '/');
    if (slash)
        strcpy(slash, "/adopted_device");
    if (access(program, X_OK) != 0) {
        check_skip("the example was not built: there is no libvulkan to link");
        return;
    }
    snprintf(command, sizeof command, "'%s' 2>&1", program);
    FILE *out = popen(command, "r");
    char text[1024] = "";
    const size_t size = out ? fread(text, 1, sizeof text - 1, out) : 0;
    text[size] = '\0';
    const int status = out ? pclose(out) : -1;
    CHECK(status == 0 && strncmp(text, "mean 0.4999302", 14) == 0 &&
              strchr(text, '\n') == text + strlen(text) - 1,
          "examples/adopted_device: %d, %s", status, text);
}

static void run(const lg_vulkan_device *lent)
{
    (void)lent;
    test_submit("luminance_threshold:threshold=@otsu", LG_U8, 1, true);
    test_submit(NULL, LG_U8, 4, false);
    test_replays(NULL, false);
    test_replays("luminance_threshold:threshold=@otsu", true);
    test_wrong_submits();
    test_figure("p90", LG_F32);
    test_figure("otsu", LG_U16);
    test_figure("mean", LG_F32);
    test_figure("components", LG_U8);
    test_figure("largest.center", LG_U8);
    test_submit_on_cpu();
    test_failures();
    test_example();
}

#else

#define run NULL

#endif

int main(void)
{
    return lent_main("vulkan_submit", run);
}

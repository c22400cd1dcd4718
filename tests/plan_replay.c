// Runs of a plan that submit again what is recorded: the same pixels as a run that records, whatever
// changes between two runs, and nothing is recorded where nothing that matters changed.
#include "check.h"
#include "content.h"
#include "device.h"
#include "pipeline.h"
#include "samples.h"

#include "device/workspace.h"

#include <string.h>

enum { WIDTH = 75, HEIGHT = 41 };

static lg_error error;
static lg_context *cpu, *gpu;

// Chains, native kernels of one dispatch and of many, tables, figures on the device, labels.
static const char *const pipelines[] = {
    "contrast:contrast=1.5 | gamma:gamma=0.8",
    "gaussian_blur:sigma=2.5",
    "canny_edge_detection",
    "box_blur:radius=3 | sobel_edge_detection",
    "variable_box_blur:over=#in",
    "local_mean:radius=9",
    "bilateral:radius=2",
    "levels:min=@p1:max=@p99",
    "brightness:brightness=@luma.mean*-0.5",
    "brightness:brightness=@prev.mean*-0.5",
    "histogram_equalization",
    "threshold:level=@otsu | label",
    "poisson_blend:over=#in:num_iterations=4",
};

static lg_image *make(lg_context *context, uint64_t seed, bool upload)
{
    random_seed(seed);
    const lg_image_params shape = {.width = WIDTH, .height = HEIGHT, .layers = 1, .channels = 1};
    return (upload ? content_on_device : content_image)(context, shape, CONTENT_UNIT);
}

static void run(const pipeline *p, lg_image *in, lg_image *out)
{
    CHECK(!lg_plan_run(p->plan, &in, &out, &error), "%s", error.message);
}

typedef struct sides {
    pipeline on_cpu, on_gpu;
    lg_image *want, *got;
} sides;

static bool open_sides(sides *s, const char *text)
{
    const lg_image_params shape = {.width = WIDTH, .height = HEIGHT, .layers = 1, .channels = 1};
    if (!pipeline_open(&s->on_cpu, cpu, text, &shape, 1, NULL) ||
        !pipeline_open(&s->on_gpu, gpu, text, &shape, 1, NULL))
        return false;
    s->want = image_zeros(cpu, s->on_cpu.out);
    s->got = image_zeros(gpu, s->on_gpu.out);
    NEED(!lg_image_upload(gpu, s->got, &error), "%s", error.message);
    return true;
}

static void close_sides(sides *s)
{
    pipeline_close(&s->on_cpu);
    pipeline_close(&s->on_gpu);
    lg_image_destroy(&s->want);
    lg_image_destroy(&s->got);
}

// One run on each side, of one content; `in` is the device's image.
static void compare(sides *s, lg_image *in, uint64_t seed, const char *text, const char *what)
{
    lg_image *plain = make(cpu, seed, false);
    char first[160] = "";
    run(&s->on_cpu, plain, s->want);
    run(&s->on_gpu, in, s->got);
    CHECK(samples_differ(s->got, s->want, first) == 0, "%s: %s: %s", text, what, first);
    lg_image_destroy(&plain);
}

// The result stays on the device: what brings it to the host is recorded each time.
static void count_recordings(const pipeline *p, lg_image *in, const char *text)
{
    lg_image *out = NULL;
    NEED(!lg_image_create_device(gpu, &p->out, &out, &error), "%s", error.message);
    for (int i = 0; i < 3; i++)
        run(p, in, out);
    const uint32_t before = lg_vk_recordings(gpu->vk);
    run(p, in, out);
    const uint32_t after = lg_vk_recordings(gpu->vk);
    if (gpu->report.fallback[0])
        check_skip(gpu->report.fallback);
    else
        CHECK(after == before, "%s: %d recordings in a run like the one before", text,
              (int)(after - before));
    lg_image_destroy(&out);
}

static size_t shared_bytes(void)
{
    const lg_workspace *work = gpu->workspace;
    size_t bytes = 0;
    for (int i = 0; work && i < LG_SCRATCH_COUNT; i++)
        bytes += work->slot[i] ? work->slot[i]->size : 0;
    return bytes;
}

static void run_larger(const char *text)
{
    const lg_image_params shape = {.width = 301, .height = 200, .layers = 1, .channels = 1};
    pipeline p;
    if (!pipeline_open(&p, gpu, text, &shape, 1, NULL))
        return;
    lg_image *in = content_image(gpu, shape, CONTENT_UNIT), *out = image_zeros(gpu, p.out);
    run(&p, in, out);
    lg_image_destroy(&in);
    lg_image_destroy(&out);
    pipeline_close(&p);
}

static void test_pipeline(const char *text)
{
    sides s = {0};
    if (!open_sides(&s, text))
        return;
    lg_image *one = make(gpu, 3, true), *two = make(gpu, 4, true);
    compare(&s, one, 3, text, "the first run");
    compare(&s, one, 3, text, "the second run");
    compare(&s, one, 3, text, "the third run");
    count_recordings(&s.on_gpu, one, text);
    compare(&s, two, 4, text, "another image");
    compare(&s, one, 3, text, "the former image");
    // What lies at the same place of the device has other pixels now.
    NEED(one->data && two->data, "no host pixels");
    lg_image *again = make(cpu, 5, false);
    for (int32_t y = 0; y < HEIGHT; y++)
        memcpy((char *)one->data + (size_t)y * one->shape.row_stride,
               (char *)again->data + (size_t)y * again->shape.row_stride, WIDTH);
    CHECK(!lg_image_upload(gpu, one, &error), "%s", error.message);
    compare(&s, one, 5, text, "other pixels");
    // The same for a larger image takes more of the memory that is shared.
    const size_t had = shared_bytes();
    run_larger(text);
    const bool grown = shared_bytes() != had;
    const uint32_t before = lg_vk_recordings(gpu->vk);
    compare(&s, one, 5, text, "other work between the runs");
    // One recording brings the result to the host; the other names the memory that there is now.
    CHECK(gpu->report.fallback[0] || lg_vk_recordings(gpu->vk) - before == (grown ? 2 : 1),
          "%s: %d recordings", text, (int)(lg_vk_recordings(gpu->vk) - before));
    lg_image_destroy(&one);
    lg_image_destroy(&two);
    lg_image_destroy(&again);
    close_sides(&s);
}

// A value of a native filter decides what is recorded, that of a kernel is a number on the device.
static void test_values(const char *text, const char *param, double first, double last)
{
    sides s = {0};
    if (!open_sides(&s, text))
        return;
    lg_image *in = make(gpu, 3, true);
    static const double parts[] = {0, 0, 1, 0.5, 0.5, 0.5, 1};
    for (size_t i = 0; i < LG_COUNT(parts); i++) {
        const double now = first + parts[i] * (last - first);
        CHECK(!lg_plan_set(s.on_cpu.plan, 1, param, now, &error) &&
                  !lg_plan_set(s.on_gpu.plan, 1, param, now, &error),
              "%s", error.message);
        compare(&s, in, 3, text, "values that change");
    }
    lg_image_destroy(&in);
    close_sides(&s);
}

static void test_all(void)
{
    for (size_t i = 0; i < LG_COUNT(pipelines); i++)
        test_pipeline(pipelines[i]);
    test_values("contrast", "contrast", 0.5, 1.5);
    test_values("gaussian_blur", "sigma", 2.5, 1.25);
    test_values("dilation", "radius", 1, 3);
    test_values("box_blur", "radius", 2, 6);
}

int main(void)
{
    cpu = device_open_cpu();
    gpu = device_open(NULL, NULL);
    if (gpu)
        test_all();
    device_close(&gpu);
    lg_context_destroy(&cpu);
    return check_finish("plan_replay");
}

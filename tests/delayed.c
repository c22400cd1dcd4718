// Images of runs before: filters over time against plain loops, stacks against single images, resets and
// refusals, on both devices.
#include "check.h"
#include "content.h"
#include "device.h"
#include "graph/plan_rows.h"
#include "pipeline.h"
#include "samples.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FRAMES = 7 };

static lg_error error;

static lg_image *new_image(lg_context *context, lg_image_params shape)
{
    lg_image *image = NULL;
    shape.row_stride = shape.layer_stride = 0;
    NEED(!lg_image_create(context, &shape, &image, &error), "%s", error.message);
    return image;
}

// Runs a pipeline on images that follow each other; *out gets as many.
static bool run_all(lg_context *context, const char *text, lg_image *const *in, int count,
                    const lg_type *type, lg_image **out)
{
    pipeline p;
    bool good = pipeline_open(&p, context, text, &in[0]->shape, 1, type);
    for (int i = 0; i < count; i++) {
        out[i] = good ? new_image(context, p.out) : NULL;
        good = good && !lg_plan_run(p.plan, &in[i], &out[i], &error);
        CHECK(good, "%s, run %d: %s", text, i, error.message);
    }
    pipeline_close(&p);
    return good;
}

static void destroy_all(lg_image **images, int count)
{
    for (int i = 0; i < count; i++)
        lg_image_destroy(&images[i]);
}

static void make_frames(lg_context *context, lg_image_params shape, lg_image **out)
{
    for (int i = 0; i < FRAMES; i++)
        out[i] = content_image(context, shape, CONTENT_UNIT);
}

static double worst(const lg_image *a, const double *want)
{
    const lg_image_params *s = &a->shape;
    double most = 0;
    for (int y = 0; y < s->height; y++)
        for (int x = 0; x < s->width; x++)
            for (int k = 0; k < s->channels; k++, want++)
                most = fmax(most, fabs(sample_get(a, x, y, 0, k) - *want));
    return most;
}

// ---- against plain loops --------------------------------------------------------------------------

static void test_means(lg_context *context, lg_type type, int channels)
{
    const lg_image_params shape =
        SHAPE(13, 9, 1, channels, type, channels == 4 ? LG_ALPHA_OPAQUE : LG_ALPHA_NONE);
    const lg_type as = LG_F32;
    lg_image *in[FRAMES], *low[FRAMES], *high[FRAMES];
    double mean[13 * 9 * 4], apart[13 * 9 * 4];
    make_frames(context, shape, in);
    if (run_all(context, "low_pass:strength=0.7", in, FRAMES, &as, low) &&
        run_all(context, "high_pass:strength=0.7", in, FRAMES, &as, high))
        for (int n = 0; n < FRAMES; n++) {
            for (int i = 0; i < 13 * 9 * channels; i++) {
                const int pixel = i / channels, k = i % channels;
                const double v = sample_get(in[n], pixel % 13, pixel / 13, 0, k);
                const bool alpha = channels == 4 && k == 3;
                mean[i] = alpha ? 1 : n ? v * 0.3 + mean[i] * 0.7 : v;
                apart[i] = alpha ? 1 : fabs(v - mean[i]);
            }
            CHECK(worst(low[n], mean) < 2e-6, "low_pass, run %d: %g", n, worst(low[n], mean));
            CHECK(worst(high[n], apart) < 2e-6, "high_pass, run %d: %g", n, worst(high[n], apart));
        }
    destroy_all(in, FRAMES);
    destroy_all(low, FRAMES);
    destroy_all(high, FRAMES);
}

static void test_buffer(lg_context *context, lg_image_params shape)
{
    for (int size = 1; size <= 9; size += 2) {
        char text[60];
        lg_image *in[FRAMES], *out[FRAMES];
        snprintf(text, sizeof text, "image_buffer:size=%d", size);
        make_frames(context, shape, in);
        if (run_all(context, text, in, FRAMES, NULL, out))
            for (int n = 0; n < FRAMES; n++)
                CHECK(samples_equal(out[n], in[LG_MAX(n - size, 0)]), "%s, run %d", text, n);
        destroy_all(in, FRAMES);
        destroy_all(out, FRAMES);
    }
}

// A white square of 4 x 4 pixels goes to the right by its width.
static void test_motion(lg_context *context)
{
    const lg_image_params shape = SHAPE(40, 20, 1, 1, LG_U8, LG_ALPHA_NONE);
    const lg_type as = LG_F32;
    lg_image *in[FRAMES], *out[FRAMES];
    for (int n = 0; n < FRAMES; n++) {
        in[n] = new_image(context, shape);
        for (int y = 8; y < 12; y++)
            for (int x = 4 * n; x < 4 * n + 4; x++)
                sample_put(in[n], x, y, 0, 0, 1);
    }
    // With no memory but the frame before, old and new place move: their common centre.
    if (run_all(context, "motion_detector:strength=1", in, FRAMES, &as, out))
        for (int n = 0; n < FRAMES; n++) {
            // strength 1 keeps the first image for ever.
            const double share = n ? 32.0 / 800 : 0, x = n ? (2 + (4.0 * n + 2)) / 2 / 40 : 0;
            const double want[] = {x, n ? 0.5 : 0, share};
            for (int k = 0; k < 3; k++)
                CHECK(fabs(sample_get(out[n], 3, 5, 0, k) - want[k]) < 1e-6, "run %d, %d: %g, %g",
                      n, k, sample_get(out[n], 3, 5, 0, k), want[k]);
        }
    destroy_all(out, FRAMES);
    // The same as figures.
    lg_graph *graph = NULL;
    lg_node node, last;
    lg_plan *plan = NULL;
    lg_figure_value figures[4];
    size_t count = 0;
    NEED(!lg_graph_create(&graph, &error) && !lg_graph_input(graph, "in", &node, &error) &&
             !lg_graph_parse(graph, "motion_detector:strength=1 #motion", node, &last, &error) &&
             !lg_graph_figure(graph, last, "#motion.r.max", "x", &error) &&
             !lg_graph_figure(graph, last, "#motion.b.max", "share", &error) &&
             !lg_graph_output(graph, last, &error) &&
             !lg_plan_create(context, graph, &shape, 1, NULL, &plan, &error),
         "%s", error.message);
    lg_image_params made;
    NEED(!lg_plan_output(plan, 0, &made, &error), "%s", error.message);
    lg_image *image = new_image(context, made);
    CHECK(!lg_plan_run(plan, &in[0], &image, &error) &&
              !lg_plan_run(plan, &in[1], &image, &error) &&
              !lg_plan_figures(plan, figures, 4, &count, &error),
          "%s", error.message);
    CHECK(count == 3, "%zu figures", count); // the first is that of `fill`
    CHECK(fabs((double)figures[1].value[0] - 0.1) < 1e-6, "%g", (double)figures[1].value[0]);
    CHECK(fabs((double)figures[2].value[0] - 0.04) < 1e-6, "%g", (double)figures[2].value[0]);
    lg_plan_destroy(&plan);
    lg_graph_destroy(&graph);
    lg_image_destroy(&image);
    destroy_all(in, FRAMES);
}

// ---- stacks, resets -------------------------------------------------------------------------------

static const char *const chains[] = {
    "low_pass:strength=0.6",
    "high_pass",
    "low_pass | low_pass:strength=0.25 #twice | #in | difference_blend:over=#twice@-2",
    "sharpen | dissolve_blend:over=#end@-1 #end | contrast:contrast=1.5",
    "motion_detector:threshold=0.3",
    "box_blur:radius=2 #blurred | #in | extrapolate:over=#blurred@-3",
    ("brightness:brightness=@mean*-0.5 #dark | dissolve_blend:over=#dark@-1 | "
     "brightness:brightness=@prev.mean*0.1"),
    "image_buffer:size=4"};

static void compare(lg_image *const *a, lg_image *const *b, int count, const char *what)
{
    for (int i = 0; i < count; i++)
        CHECK(samples_equal(a[i], b[i]), "%s, image %d", what, i);
}

// Layers of a stack are runs, and the next stack goes on.
static void test_stack(lg_context *context, const char *text, lg_image_params shape)
{
    lg_image *frames[FRAMES], *single[FRAMES];
    shape.layers = 1;
    make_frames(context, shape, frames);
    shape.layers = 3;
    pipeline p;
    if (run_all(context, text, frames, 6, NULL, single) &&
        pipeline_open(&p, context, text, &shape, 1, NULL)) {
        CHECK(p.out.layers == 3, "%d layers", p.out.layers);
        for (int half = 0; half < 2; half++) {
            lg_image *in = new_image(context, shape), *out = new_image(context, p.out);
            for (int z = 0; z < 3; z++)
                for (int y = 0; y < shape.height; y++)
                    memcpy((char *)in->data + (size_t)z * in->shape.layer_stride +
                               (size_t)y * in->shape.row_stride,
                           (char *)frames[3 * half + z]->data +
                               (size_t)y * frames[0]->shape.row_stride,
                           (size_t)shape.width * lg_pixel_size(&shape));
            CHECK(!lg_plan_run(p.plan, &in, &out, &error), "%s: %s", text, error.message);
            for (int z = 0; z < 3; z++)
                for (int y = 0; y < p.out.height; y++)
                    CHECK(memcmp((char *)out->data + (size_t)z * out->shape.layer_stride +
                                     (size_t)y * out->shape.row_stride,
                                 (char *)single[3 * half + z]->data +
                                     (size_t)y * single[0]->shape.row_stride,
                                 (size_t)p.out.width * lg_pixel_size(&p.out)) == 0,
                          "%s: layer %d, row %d", text, 3 * half + z, y);
            lg_image_destroy(&in);
            lg_image_destroy(&out);
        }
        pipeline_close(&p);
    }
    destroy_all(frames, FRAMES);
    destroy_all(single, 6);
}

// After a reset a plan is as new; a run that is refused changes nothing.
static void test_reset(lg_context *context, const char *text, lg_image_params shape)
{
    lg_image *frames[FRAMES], *want[FRAMES], *got[FRAMES] = {NULL};
    make_frames(context, shape, frames);
    pipeline p;
    if (run_all(context, text, frames, FRAMES, NULL, want) &&
        pipeline_open(&p, context, text, &shape, 1, NULL)) {
        lg_image *none = NULL;
        for (int i = 0; i < FRAMES; i++)
            got[i] = new_image(context, p.out);
        for (int i = 3; i < 6; i++)
            CHECK(!lg_plan_run(p.plan, &frames[i], &got[0], &error), "%s", error.message);
        CHECK(!lg_plan_reset(p.plan, &error), "%s", error.message);
        for (int i = 0; i < FRAMES; i++) {
            CHECK(lg_plan_run(p.plan, &frames[i], &none, &error) == LG_ERROR_ARGUMENT, "no output");
            CHECK(!lg_plan_run(p.plan, &frames[i], &got[i], &error), "%s", error.message);
        }
        compare(got, want, FRAMES, text);
        pipeline_close(&p);
    }
    destroy_all(frames, FRAMES);
    destroy_all(want, FRAMES);
    destroy_all(got, FRAMES);
}

// ---- both devices ---------------------------------------------------------------------------------

static void test_devices(lg_context *cpu, lg_context *vulkan, const char *text,
                         lg_image_params shape)
{
    lg_image *frames[FRAMES], *a[FRAMES], *b[FRAMES];
    make_frames(cpu, shape, frames);
    if (run_all(cpu, text, frames, FRAMES, NULL, a) &&
        run_all(vulkan, text, frames, FRAMES, NULL, b))
        compare(a, b, FRAMES, text);
    destroy_all(frames, FRAMES);
    destroy_all(a, FRAMES);
    destroy_all(b, FRAMES);
}

// ---- refusals -------------------------------------------------------------------------------------

static void expect(lg_context *context, const char *text, lg_status status, const char *message)
{
    const lg_image_params shape = SHAPE(8, 6, 1, 1, LG_U8, LG_ALPHA_NONE);
    pipeline p;
    const lg_status got = pipeline_try(&p, context, text, &shape, 1, NULL, &error);
    CHECK(got == status && strstr(error.message, message), "%s: %d, %s", text, (int)got,
          error.message);
    pipeline_close(&p);
}

static void test_refusals(lg_context *context)
{
    expect(context, "dissolve_blend:over=#nobody@-1", LG_ERROR_ARGUMENT,
           "no image is called #nobody, for #nobody@-1");
    expect(context, "#in@-0", LG_ERROR_ARGUMENT, "1 to 64 runs before");
    expect(context, "#in@-65", LG_ERROR_ARGUMENT, "1 to 64 runs before");
    expect(context, "#in@1", LG_ERROR_ARGUMENT, "written #NAME@-1");
    expect(context, "#in@-", LG_ERROR_ARGUMENT, "written #NAME@-1");
    expect(context, "#in@-1x", LG_ERROR_ARGUMENT, "written #NAME@-1");
    expect(context, "image_buffer:size=65", LG_ERROR_ARGUMENT, "1 to 64");
    expect(context, "crop:width=0.5 #part | #in | #part@-1", LG_ERROR_ARGUMENT,
           "what the first run takes in its place");
    expect(context, "label:connectivity=26 | low_pass", LG_ERROR_UNSUPPORTED, "volume");
    const lg_image_params shape = SHAPE(8, 6, 1, 1, LG_U8, LG_ALPHA_NONE);
    pipeline p;
    if (pipeline_open(&p, context, "low_pass", &shape, 1, NULL)) {
        const lg_plan_band band = {.rows = 1};
        lg_image *in = new_image(context, shape), *out = new_image(context, shape);
        CHECK(lg_plan_run_rows(p.plan, &band, &in, &out, &error) == LG_ERROR_UNSUPPORTED, "rows");
        lg_image_params got;
        CHECK(lg_plan_output(p.plan, 1, &got, &error) == LG_ERROR_ARGUMENT, "a second output");
        CHECK(lg_plan_reset(NULL, &error) == LG_ERROR_ARGUMENT, "no plan");
        lg_image_destroy(&in);
        lg_image_destroy(&out);
        pipeline_close(&p);
    }
    lg_graph *graph = NULL;
    lg_node in = -1, node;
    NEED(!lg_graph_create(&graph, &error) && !lg_graph_input(graph, "in", &in, &error), "%s",
         error.message);
    CHECK(lg_graph_delay(graph, "in", 1, 5, &node, &error) == LG_ERROR_ARGUMENT, "no such node");
    CHECK(lg_graph_delay(graph, NULL, 1, in, &node, &error) == LG_ERROR_ARGUMENT, "no name");
    // The name may come later, but not never.
    NEED(!lg_graph_delay(graph, "later", 1, in, &node, &error) &&
             !lg_graph_output(graph, node, &error),
         "%s", error.message);
    lg_plan *plan = NULL;
    CHECK(lg_plan_create(context, graph, &shape, 1, NULL, &plan, &error) == LG_ERROR_ARGUMENT &&
              strstr(error.message, "#later"),
          "%s", error.message);
    NEED(!lg_graph_filter(graph, "color_invert", &in, 1, "later", &node, &error), "%s",
         error.message);
    CHECK(!lg_plan_create(context, graph, &shape, 1, NULL, &plan, &error), "%s", error.message);
    lg_plan_destroy(&plan);
    lg_graph_destroy(&graph);
}

int main(void)
{
    random_seed(5);
    lg_context *cpu = device_open_threads(2), *vulkan = device_open(NULL, NULL);
    lg_context *const both[] = {cpu, vulkan};
    for (int i = 0; i < 2 && both[i]; i++) {
        for (int type = 0; type < LG_TYPES; type++)
            test_means(both[i], (lg_type)type, type % 2 ? 4 : 1);
        test_buffer(both[i], SHAPE(11, 5, 1, 4, LG_U8, LG_ALPHA_STRAIGHT));
        test_buffer(both[i], SHAPE(11, 5, 1, 1, LG_U16, LG_ALPHA_NONE));
        test_motion(both[i]);
        for (size_t k = 0; k < LG_COUNT(chains); k++) {
            test_stack(
                both[i], chains[k],
                SHAPE(9, 7, 1, k % 2 ? 4 : 1, LG_U8, k % 2 ? LG_ALPHA_OPAQUE : LG_ALPHA_NONE));
            test_reset(both[i], chains[k], SHAPE(9, 7, 1, 4, LG_F32, LG_ALPHA_STRAIGHT));
        }
        test_refusals(both[i]);
    }
    static const lg_image_params shapes[] = {SHAPE(37, 21, 1, 1, LG_U8, LG_ALPHA_NONE),
                                             SHAPE(37, 21, 1, 2, LG_U16, LG_ALPHA_STRAIGHT),
                                             SHAPE(37, 21, 2, 4, LG_F16, LG_ALPHA_PREMULTIPLIED),
                                             SHAPE(37, 21, 1, 4, LG_F32, LG_ALPHA_OPAQUE)};
    for (size_t k = 0; k < LG_COUNT(chains) && vulkan; k++)
        test_devices(cpu, vulkan, chains[k], shapes[k % LG_COUNT(shapes)]);
    device_close(&vulkan);
    lg_context_destroy(&cpu);
    return check_finish("delayed");
}

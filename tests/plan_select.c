// Figures of a part of an image: those of the same pixels as an image of their own, on the CPU and on
// Vulkan.
#include "check.h"
#include "content.h"
#include "device.h"
#include "samples.h"

#include <stdio.h>
#include <string.h>

static lg_error error;
static lg_context *contexts[2];
static int context_count;

typedef struct fixture {
    lg_graph *graph;
    lg_plan *plan;
    lg_node in, last;
    lg_image *out;
} fixture;

// A graph of inputs `in` and `other`.
static fixture open_graph(lg_context *context, const char *text, const lg_image *in,
                          const lg_image *other, const char *figure)
{
    fixture f = {0};
    lg_node second;
    lg_image_params shape;
    const lg_image_params shapes[] = {in->shape, other->shape};
    NEED(!lg_graph_create(&f.graph, &error) && !lg_graph_input(f.graph, "in", &f.in, &error) &&
             !lg_graph_input(f.graph, "other", &second, &error) &&
             !lg_graph_parse(f.graph, text, f.in, &f.last, &error) &&
             !lg_graph_output(f.graph, f.last, &error) &&
             (!figure || !lg_graph_figure(f.graph, f.in, figure, NULL, &error)) &&
             !lg_plan_create(context, f.graph, shapes, 2, NULL, &f.plan, &error) &&
             !lg_plan_output(f.plan, 0, &shape, &error) &&
             !lg_image_create(context, &shape, &f.out, &error),
         "%s: %s", text, error.message);
    return f;
}

static void run(const fixture *f, lg_image *in, lg_image *other)
{
    lg_image *const inputs[] = {in, other};
    NEED(!lg_plan_run(f->plan, inputs, &f->out, &error), "%s", error.message);
}

static lg_figure_value read_figure(const fixture *f)
{
    lg_figure_value v = {0};
    size_t count = 0;
    NEED(!lg_plan_figures(f->plan, &v, 1, &count, &error) && count == 1, "%s", error.message);
    return v;
}

static void close_graph(fixture *f)
{
    lg_plan_destroy(&f->plan);
    lg_graph_destroy(&f->graph);
    lg_image_destroy(&f->out);
}

// ---- selections ---------------------------------------------------------------------------------

typedef struct selection {
    const lg_region *region;
    lg_image *mask; // NULL: none
} selection;

static bool is_selected(const selection *s, int64_t x, int64_t y, int64_t layer)
{
    const lg_region *r = s->region;
    if (r && (x < r->x || y < r->y || x >= r->x + r->width || y >= r->y + r->height))
        return false;
    const int64_t z = s->mask && s->mask->shape.layers > 1 ? layer : 0;
    return !s->mask || sample_stored(s->mask, x, y, z, 0) != 0;
}

static int64_t count_selected(const selection *s, const lg_image_params *shape)
{
    int64_t count = 0;
    for (int64_t i = 0; i < (int64_t)shape->width * shape->height * shape->layers; i++)
        count += is_selected(s, i % shape->width, i / shape->width % shape->height,
                             i / shape->width / shape->height);
    return count;
}

// The selected pixels in a row.
static lg_image *gather(lg_context *context, const lg_image *image, const selection *s)
{
    const lg_image_params *from = &image->shape;
    lg_image_params shape = *from;
    shape.width = (int32_t)count_selected(s, from);
    shape.height = shape.layers = 1;
    shape.row_stride = shape.layer_stride = 0;
    lg_image *out = image_zeros(context, shape);
    int64_t to = 0;
    for (int64_t z = 0; z < from->layers; z++)
        for (int64_t y = 0; y < from->height; y++)
            for (int64_t x = 0; x < from->width; x++)
                for (int k = 0; k < from->channels && is_selected(s, x, y, z);
                     to += ++k == from->channels)
                    sample_store(out, to, 0, 0, k, sample_stored(image, x, y, z, k));
    return out;
}

// The image with black pixels where nothing is selected.
static lg_image *blacken(lg_context *context, const lg_image *image, const selection *s)
{
    const lg_image_params *from = &image->shape;
    lg_image_params shape = *from;
    shape.row_stride = shape.layer_stride = 0;
    lg_image *out = image_zeros(context, shape);
    for (int64_t z = 0; z < from->layers; z++)
        for (int64_t y = 0; y < from->height; y++)
            for (int64_t x = 0; x < from->width; x++)
                for (int k = 0; k < from->channels && is_selected(s, x, y, z); k++)
                    sample_store(out, x, y, z, k, sample_stored(image, x, y, z, k));
    return out;
}

// ---- figures ------------------------------------------------------------------------------------

static void expect_figure(const char *figure, lg_image *in, lg_image *same, const selection *s)
{
    lg_figure_value wanted = {0};
    for (int i = 0; i <= context_count; i++) { // the first run is of the pixels alone
        lg_image *measured = i ? in : same;
        fixture f = open_graph(contexts[i ? i - 1 : 0], "brightness", measured, measured, figure);
        NEED(!i || !lg_plan_select(f.plan, s->region, s->mask, &error), "%s", error.message);
        run(&f, measured, measured);
        const lg_figure_value v = read_figure(&f);
        wanted = i ? wanted : v;
        CHECK(memcmp(v.value, wanted.value, sizeof v.value) == 0,
              "%s of %s x %d%s%s, context %d: %.9g; %.9g of the same pixels alone", figure,
              lg_type_name(in->shape.type), in->shape.channels, s->region ? ", region" : "",
              s->mask ? ", mask" : "", i - 1, (double)v.value[0], (double)wanted.value[0]);
        close_graph(&f);
    }
}

// A curve is seen by what it does to pixels.
static void expect_curve(const char *figure, lg_image *in, lg_image *same, const selection *s)
{
    char text[80];
    lg_image *wanted = NULL;
    for (int i = 0; i <= context_count; i++) {
        lg_context *context = contexts[i ? i - 1 : 0];
        snprintf(text, sizeof text, "measured_curve:curve=@#%s.%s", i ? "in" : "other", figure);
        fixture f = open_graph(context, text, in, i ? in : same, NULL);
        NEED(!i || !lg_plan_select(f.plan, s->region, s->mask, &error), "%s", error.message);
        run(&f, in, i ? in : same);
        char first[160] = "";
        if (wanted)
            CHECK(!samples_differ(f.out, wanted, first), "%s of %s, context %d: %s", figure,
                  lg_type_name(in->shape.type), i - 1, first);
        else
            wanted = f.out, f.out = NULL;
        close_graph(&f);
    }
    lg_image_destroy(&wanted);
}

static void expect_figures(lg_image *in, const selection *s)
{
    static const char *const of_samples[] = {"mean",     "rgb.min", "g.max", "luma.stddev",
                                             "variance", "range",   "p30",   "r.p99",
                                             "median",   "otsu",    "b.otsu"};
    static const char *const of_components[] = {"components",    "largest.area",   "largest.x",
                                                "largest.width", "largest.center", "largest.cy"};
    lg_image *row = gather(contexts[0], in, s), *black = blacken(contexts[0], in, s);
    for (size_t i = 0; i < LG_COUNT(of_samples); i++)
        expect_figure(of_samples[i], in, row, s);
    expect_figure("rgb.pick", in, row, s);
    expect_curve("cdf", in, row, s);
    for (size_t i = 0; i < LG_COUNT(of_components); i++)
        expect_figure(of_components[i], in, black, s);
    lg_image_destroy(&row);
    lg_image_destroy(&black);
}

static void expect_type(lg_type type, int channels, lg_alpha alpha, int layers)
{
    const lg_region part = {5, 3, 21, 9}, pixel = {36, 0, 1, 1};
    random_seed(17);
    lg_image *in =
        content_image(contexts[0], SHAPE(37, 14, layers, channels, type, alpha), CONTENT_UNIT);
    for (int i = 0; i < 37 * 14 * layers; i++) // black ones, for components
        for (int k = 0; k < channels && i % 3; k++)
            sample_store(in, i % 37, i / 37 % 14, i / 37 / 14, k, 0);
    lg_image *mask = content_mask(contexts[0], &in->shape, layers);
    expect_figures(in, &(selection){&part, NULL});
    expect_figures(in, &(selection){NULL, mask});
    expect_figures(in, &(selection){&part, mask});
    const selection one = {&pixel, NULL};
    lg_image *alone = gather(contexts[0], in, &one);
    expect_figure("mean", in, alone, &one);
    lg_image_destroy(&alone);
    lg_image_destroy(&mask);
    lg_image_destroy(&in);
}

// ---- what goes on -------------------------------------------------------------------------------

// A parameter takes the figure of the selection, and the filter changes all pixels.
static void test_parameter(void)
{
    const lg_region half = {0, 0, 4, 2};
    for (int i = 0; i < context_count; i++) {
        lg_image *in = image_zeros(contexts[i], SHAPE(8, 2, 1, 1, LG_U8, LG_ALPHA_NONE));
        for (int x = 0; x < 16; x++)
            sample_store(in, x % 8, x / 8, 0, 0, x % 8 < 4 ? 51 : 102);
        fixture f = open_graph(contexts[i], "brightness:brightness=@mean", in, in, NULL);
        NEED(!lg_plan_select(f.plan, &half, NULL, &error), "%s", error.message);
        for (int k = 0; k < 2; k++) {
            run(&f, in, in);
            CHECK(sample_stored(f.out, 0, 0, 0, 0) == 102 &&
                      sample_stored(f.out, 7, 1, 0, 0) == 153,
                  "run %d: %g and %g", k, sample_stored(f.out, 0, 0, 0, 0),
                  sample_stored(f.out, 7, 1, 0, 0));
            CHECK(read_figure(&f).value[0] == 0.2f, "%g taken", (double)read_figure(&f).value[0]);
        }
        const lg_region other = {4, 0, 4, 2};
        NEED(!lg_plan_select(f.plan, &other, NULL, &error), "%s", error.message);
        run(&f, in, in);
        CHECK(read_figure(&f).value[0] == 0.4f, "%g of the other half",
              (double)read_figure(&f).value[0]);
        close_graph(&f);
        f = open_graph(contexts[i], "brightness:brightness=@prev.mean", in, in, NULL);
        NEED(!lg_plan_select(f.plan, &half, NULL, &error), "%s", error.message);
        run(&f, in, in);
        CHECK(lg_plan_select(f.plan, &other, NULL, &error) == LG_ERROR_ARGUMENT &&
                  strstr(error.message, "has run"),
              "after a run: %s", error.message);
        close_graph(&f);
        lg_image_destroy(&in);
    }
}

static void expect_refused(const char *text, const lg_region *region, const lg_image *mask,
                           const char *why)
{
    lg_image *in = image_zeros(contexts[0], SHAPE(8, 6, 1, 1, LG_U8, LG_ALPHA_NONE));
    fixture f = open_graph(contexts[0], text, in, in, NULL);
    const lg_status status = lg_plan_select(f.plan, region, mask, &error);
    CHECK(status && strstr(error.message, why), "%s: %d %s", text, (int)status, error.message);
    close_graph(&f);
    lg_image_destroy(&in);
}

static void test_refusals(void)
{
    const lg_region outside = {4, 4, 5, 1}, inside = {4, 4, 4, 2};
    lg_image *empty = image_zeros(contexts[0], SHAPE(8, 6, 1, 1, LG_U8, LG_ALPHA_NONE));
    lg_image *small = image_zeros(contexts[0], SHAPE(8, 5, 1, 1, LG_U8, LG_ALPHA_NONE));
    expect_refused("brightness", &outside, NULL, "leaves the image");
    expect_refused("brightness", NULL, empty, "selects no pixel");
    expect_refused("brightness", NULL, small, "it must have 8x6");
    expect_refused("resize:width=4 | brightness:brightness=@mean", &inside, NULL,
                   "the figure of brightness is of an image of 4 x 3 x 1");
    lg_image_destroy(&empty);
    lg_image_destroy(&small);
}

int main(void)
{
    context_count = device_open_both(contexts, "selections");
    expect_type(LG_U8, 4, LG_ALPHA_STRAIGHT, 1);
    expect_type(LG_U8, 1, LG_ALPHA_NONE, 2);
    expect_type(LG_U16, 4, LG_ALPHA_OPAQUE, 1);
    expect_type(LG_F16, 1, LG_ALPHA_NONE, 1);
    expect_type(LG_F32, 4, LG_ALPHA_STRAIGHT, 2);
    test_parameter();
    test_refusals();
    device_close_both(contexts);
    return check_finish("plan_select");
}

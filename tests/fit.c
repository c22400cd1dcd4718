// Second images of another size than the first: a filter gives the pixels of the pipeline that the
// definition of its `fit` names, on every CPU level and on Vulkan.
#include "check.h"
#include "device.h"
#include "device_filter.h"
#include "kernel.h"
#include "pipeline.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static lg_error error;

static const char *const fits[] = {"stretch", "none", "cover", "contain", "tile"};

// What each of them stands for; %1$d x %2$d is the size of the first image.
static const char *const meanings[] = {
    "resize:width=%1$d:height=%2$d:method=bilinear",
    "canvas:width=%1$d:height=%2$d",
    "resize:width=%1$d:height=%2$d:fit=cover:method=bilinear",
    "resize:width=%1$d:height=%2$d:fit=inside:method=bilinear | canvas:width=%1$d:height=%2$d",
    "canvas:width=%1$d:height=%2$d:outside=tile",
};

// ---- the filters --------------------------------------------------------------------------------

static bool has_fit(const lg_filter *f)
{
    const lg_filter_param *p;
    return f->inputs == 2 && !lg_filter_find_param(f, "fit", &p, NULL);
}

// Whatever reads a second image at its pixel has the parameter, but for labels, which nothing may mix: the
// markers of watershed have the image's size.
static void test_catalogue(void)
{
    int count = 0;
    for (size_t i = 0; i < lg_filter_count(); i++) {
        const lg_filter *f = lg_filter_at(i);
        const bool at_pixel = f->inputs == 2 && f->kind != LG_FILTER_POINT &&
                              f->kind != LG_FILTER_PIPELINE && strcmp(f->name, "watershed") != 0;
        CHECK(has_fit(f) == at_pixel, "%s", f->name);
        count += at_pixel;
    }
    CHECK(count >= 30, "only %d filters", count);
}

// ---- against the pipeline that is meant ---------------------------------------------------------

static lg_image *run(lg_context *context, const char *text, const lg_image *in,
                     const lg_image *over)
{
    const lg_image *const both[2] = {in, over};
    lg_image *out = NULL;
    const lg_status status = pipeline_run(context, text, both, 2, in->shape.type, 1, &out, &error);
    CHECK(!status, "%s: %s", text, error.message);
    return out;
}

static void meant(const lg_filter *f, int fit, const lg_image_params *in, char *out, size_t size)
{
    char fitted[200];
// The format is one of the list above.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(fitted, sizeof fitted, meanings[fit], in->width, in->height);
#pragma GCC diagnostic pop
    snprintf(out, size, "#over | %s #fitted | #in | %s:over=#fitted", fitted, f->name);
}

static void try_fit(const lg_filter *f, int fit, lg_image_params first, lg_image_params second)
{
    lg_context *const *contexts;
    const int count = kernel_contexts(&contexts);
    lg_context *context = contexts[random_below((uint32_t)count)];
    char text[200], whole[600];
    snprintf(text, sizeof text, "%s:fit=%s", f->name, fits[fit]);
    meant(f, fit, &first, whole, sizeof whole);
    lg_image *in = kernel_image(first, CONTENT_UNIT), *over = kernel_image(second, CONTENT_UNIT);
    lg_image *got = run(context, text, in, over), *wanted = run(context, whole, in, over);
    CHECK(got && wanted && samples_equal(got, wanted), "%s of %d x %d and %d x %d, %d layers", text,
          first.width, first.height, second.width, second.height, first.layers);
    if (fit == 0) { // the default
        lg_image *usual = run(context, f->name, in, over);
        CHECK(usual && samples_equal(usual, wanted), "%s of itself", f->name);
        lg_image_destroy(&usual);
    }
    lg_image_destroy(&in);
    lg_image_destroy(&over);
    lg_image_destroy(&got);
    lg_image_destroy(&wanted);
}

static const int sizes[][2] = {{1, 1}, {23, 17}, {1, 30}, {64, 3}, {7, 41}, {40, 25}};

static void draw_shapes(lg_image_params *first, lg_image_params *second)
{
    const int *a = sizes[random_below(LG_COUNT(sizes))], *b = sizes[random_below(LG_COUNT(sizes))];
    *first = kernel_any_shape(a[0], a[1]);
    *second = kernel_any_shape(b[0], b[1]);
    second->layers = random_below(2) ? 1 : first->layers;
}

static void test_meanings(void)
{
    for (size_t i = 0; i < lg_filter_count(); i++)
        for (int k = 0; k < (int)LG_COUNT(fits) * test_extent(1, 2, 10) && has_fit(lg_filter_at(i));
             k++) {
            lg_image_params first, second;
            draw_shapes(&first, &second);
            try_fit(lg_filter_at(i), k % (int)LG_COUNT(fits), first, second);
        }
}

// ---- worked examples ----------------------------------------------------------------------------

// The second image is the row 1 2, the first has 4 x 3 pixels of 0.
static void test_worked(void)
{
    static const double rows[LG_COUNT(fits)][3][4] = {
        {{1, 1.25, 1.75, 2}, {1, 1.25, 1.75, 2}, {1, 1.25, 1.75, 2}},
        {{0, 0, 0, 0}, {0, 1, 2, 0}, {0, 0, 0, 0}},
        {{1, 4 / 3.0, 5 / 3.0, 2}, {1, 4 / 3.0, 5 / 3.0, 2}, {1, 4 / 3.0, 5 / 3.0, 2}},
        {{1, 1.25, 1.75, 2}, {1, 1.25, 1.75, 2}, {0, 0, 0, 0}},
        {{1, 2, 1, 2}, {1, 2, 1, 2}, {1, 2, 1, 2}},
    };
    lg_image *in = kernel_zeros(SHAPE(4, 3, 1, 1, LG_F32, LG_ALPHA_NONE));
    lg_image *over = kernel_zeros(SHAPE(2, 1, 1, 1, LG_F32, LG_ALPHA_NONE));
    sample_store(over, 0, 0, 0, 0, 1);
    sample_store(over, 1, 0, 0, 0, 2);
    for (int fit = 0; fit < (int)LG_COUNT(fits); fit++) {
        char text[100];
        snprintf(text, sizeof text, "normal_blend:fit=%s", fits[fit]);
        lg_image *out = run(kernel_context(), text, in, over);
        for (int i = 0; out && i < 12; i++) {
            const double got = sample_get(out, i % 4, i / 4, 0, 0);
            CHECK(fabs(got - rows[fit][i / 4][i % 4]) < 1e-6, "%s: sample %d is %g", text, i, got);
        }
        lg_image_destroy(&out);
    }
    lg_image_destroy(&in);
    lg_image_destroy(&over);
}

// ---- plans --------------------------------------------------------------------------------------

#define FIRST  SHAPE(20, 30, 2, 4, LG_U8, LG_ALPHA_OPAQUE)
#define SECOND SHAPE(9, 12, 1, 4, LG_U8, LG_ALPHA_STRAIGHT)

static void expect_stages(const char *text, lg_image_params second, size_t count)
{
    const lg_image_params shapes[2] = {FIRST, second};
    pipeline p;
    if (!pipeline_open(&p, kernel_context(), text, shapes, 2, NULL))
        return;
    CHECK(lg_plan_profile(p.plan, NULL, 0) == count, "%s: %zu stages, not %zu", text,
          lg_plan_profile(p.plan, NULL, 0), count);
    pipeline_close(&p);
}

// One image is fitted once, and nothing happens to one of the same size.
static void test_stages(void)
{
    expect_stages("multiply_blend | screen_blend", SECOND, 2);
    expect_stages("multiply_blend | screen_blend:fit=tile", SECOND, 3);
    expect_stages("multiply_blend:fit=contain", SECOND, 3);
    expect_stages("multiply_blend:fit=contain", FIRST, 1);
    expect_stages("resize:scale=0.5 #small | #in | multiply_blend:over=#small", SECOND, 3);
    const lg_image_params layers[2] = {SHAPE(20, 30, 2, 1, LG_U8, LG_ALPHA_NONE),
                                       SHAPE(20, 30, 3, 1, LG_U8, LG_ALPHA_NONE)};
    pipeline p;
    CHECK(pipeline_try(&p, kernel_context(), "mask", layers, 2, NULL, &error) ==
                  LG_ERROR_ARGUMENT &&
              strstr(error.message, "20 x 30 x 2 and 20 x 30 x 3"),
          "other layers: %s", error.message);
}

typedef struct graph_of_two {
    lg_graph *graph;
    lg_node blend, last;
    lg_image *images[2];
} graph_of_two;

// Figures before and behind the blend, and a value behind it.
static graph_of_two open_graph(const char *fit, const char *contrast)
{
    graph_of_two g = {
        .images = {kernel_image(FIRST, CONTENT_UNIT), kernel_image(SECOND, CONTENT_UNIT)}};
    lg_node in, over;
    NEED(!lg_graph_create(&g.graph, &error) && !lg_graph_input(g.graph, "in", &in, &error) &&
             !lg_graph_input(g.graph, "over", &over, &error) &&
             !lg_graph_parse(g.graph,
                             "brightness:brightness=@mean*0.1 | multiply_blend #b | "
                             "contrast #c | gamma:gamma=@#b.max*0.5+0.5",
                             in, &g.last, &error),
         "%s", error.message);
    g.blend = lg_graph_find(g.graph, "b");
    NEED(!lg_graph_set(g.graph, g.blend, "fit", fit, &error) &&
             !lg_graph_set(g.graph, lg_graph_find(g.graph, "c"), "contrast", contrast, &error) &&
             !lg_graph_figure(g.graph, g.blend, "mean", "blend", &error) &&
             !lg_graph_output(g.graph, g.last, &error) && !lg_graph_output(g.graph, over, &error),
         "%s", error.message);
    return g;
}

static lg_plan *plan_of(lg_context *context, const graph_of_two *g)
{
    const lg_image_params shapes[2] = {FIRST, SECOND};
    lg_plan *plan = NULL;
    NEED(!lg_plan_create(context, g->graph, shapes, 2, NULL, &plan, &error), "%s", error.message);
    return plan;
}

static lg_image *run_plan(lg_context *context, lg_plan *plan, const graph_of_two *g)
{
    lg_image *outs[2] = {NULL, NULL};
    for (size_t i = 0; i < 2; i++) {
        lg_image_params shape;
        NEED(!lg_plan_output(plan, i, &shape, &error) &&
                 !lg_image_create(context, &shape, &outs[i], &error),
             "%s", error.message);
    }
    NEED(!lg_plan_run(plan, g->images, outs, &error), "%s", error.message);
    CHECK(samples_equal(outs[1], g->images[1]), "an input that is an output");
    lg_image_destroy(&outs[1]);
    return outs[0];
}

// The caller's numbers of nodes are those of the graph, whatever a plan puts between them.
static void test_numbers(lg_context *context)
{
    graph_of_two g = open_graph("contain", "1.5"), other = open_graph("contain", "0.75");
    lg_plan *plan = plan_of(context, &g), *fresh = plan_of(context, &other);
    lg_image *before = run_plan(context, plan, &g);
    lg_figure_value values[3];
    size_t count = 0;
    CHECK(!lg_plan_figures(plan, values, 3, &count, &error) && count == 3, "%zu figures: %s", count,
          error.message);
    CHECK(values[1].node == g.last && values[2].node == g.blend &&
              strcmp(values[1].filter, "gamma") == 0,
          "figures of nodes %d and %d", (int)values[1].node, (int)values[2].node);
    CHECK(!lg_plan_set(plan, lg_graph_find(g.graph, "c"), "contrast", 0.75, &error), "%s",
          error.message);
    lg_image *a = run_plan(context, plan, &g), *b = run_plan(context, fresh, &g);
    CHECK(samples_equal(a, b) && !samples_equal(a, before), "a value behind the blend");
    CHECK(lg_plan_set_text(plan, g.blend, "fit", "tile", &error) == LG_ERROR_UNSUPPORTED &&
              strstr(error.message, "differ in size"),
          "fit of a plan: %s", error.message);
    CHECK(lg_plan_set(plan, g.last + 1, "gamma", 1, &error) == LG_ERROR_ARGUMENT,
          "a node that only the plan has");
    lg_image_destroy(&before);
    lg_image_destroy(&a);
    lg_image_destroy(&b);
    lg_plan_destroy(&plan);
    lg_plan_destroy(&fresh);
    for (int i = 0; i < 2; i++) {
        lg_image_destroy(&g.images[i]);
        lg_image_destroy(&other.images[i]);
    }
    lg_graph_destroy(&g.graph);
    lg_graph_destroy(&other.graph);
}

// ---- passes of a blur ---------------------------------------------------------------------------

// As often as the filter stands in a pipeline. Figures are those of the image before all passes.
static void test_passes(lg_context *context)
{
    static const char *const texts[][2] = {
        {"gaussian_blur:sigma=1.5:blur_passes=3",
         "gaussian_blur:sigma=1.5 | gaussian_blur:sigma=1.5 | gaussian_blur:sigma=1.5"},
        {"contrast | box_blur:radius=2:border=mirror:blur_passes=2 | gamma",
         "contrast | box_blur:radius=2:border=mirror | box_blur:radius=2:border=mirror | gamma"},
        {"contrast #c | gaussian_blur:sigma=@mean*2:blur_passes=2",
         "contrast #c | gaussian_blur:sigma=@mean*2 | gaussian_blur:sigma=@#c.mean*2"},
        {"multiply_blend:fit=tile | box_blur:radius=1:blur_passes=2 | screen_blend",
         "multiply_blend:fit=tile | box_blur:radius=1 | box_blur:radius=1 | screen_blend"},
        {"gaussian_blur:blur_passes=1", "gaussian_blur"}};
    for (size_t i = 0; i < LG_COUNT(texts); i++) {
        lg_image *in = kernel_image(FIRST, CONTENT_UNIT),
                 *over = kernel_image(SECOND, CONTENT_UNIT);
        lg_image *got = run(context, texts[i][0], in, over);
        lg_image *wanted = run(context, texts[i][1], in, over);
        CHECK(got && wanted && samples_equal(got, wanted), "%s", texts[i][0]);
        lg_image_destroy(&in);
        lg_image_destroy(&over);
        lg_image_destroy(&got);
        lg_image_destroy(&wanted);
    }
}

static void test_pass_figures(void)
{
    const lg_image_params shapes[2] = {FIRST, SECOND};
    lg_image *images[2] = {kernel_image(FIRST, CONTENT_UNIT), kernel_image(SECOND, CONTENT_UNIT)};
    pipeline p;
    lg_figure_value values[4];
    size_t count = 0;
    NEED(pipeline_open(&p, kernel_context(), "gaussian_blur:sigma=@mean*2:blur_passes=3", shapes, 2,
                       NULL),
         "no plan");
    lg_image *out = kernel_zeros(FIRST);
    NEED(!lg_plan_run(p.plan, images, &out, &error), "%s", error.message);
    CHECK(!lg_plan_figures(p.plan, values, 4, &count, &error) && count == 1 && values[0].node == 2,
          "%zu figures", count);
    pipeline other;
    CHECK(pipeline_try(&other, kernel_context(), "box_blur:blur_passes=@mean*9", shapes, 1, NULL,
                       &error) == LG_ERROR_ARGUMENT &&
              strstr(error.message, "how many filters"),
          "measured passes: %s", error.message);
    CHECK(lg_plan_set(p.plan, 2, "radius", 3, &error) == LG_ERROR_UNSUPPORTED, "a value of passes");
    pipeline_close(&p);
    for (int i = 0; i < 2; i++)
        lg_image_destroy(&images[i]);
    lg_image_destroy(&out);
}

// ---- on Vulkan ----------------------------------------------------------------------------------

static void test_devices(void)
{
    device_pair pair = {device_open_cpu(), device_open(NULL, NULL)};
    static const char *const texts[] = {
        "multiply_blend:fit={stretch|none|cover|contain|tile}",
        "mask:fit={stretch|none|cover|contain|tile}",
        "variable_box_blur:radius=3:fit={stretch|none|cover|contain|tile}",
        "poisson_blend:num_iterations=3:fit={stretch|none|cover|contain|tile} | overlay_blend"};
    for (int i = 0; pair.cpu && pair.vulkan && i < test_extent(4, 16, 200); i++) {
        lg_image_params first, second;
        draw_shapes(&first, &second);
        device_compare_two(&pair, texts[i % (int)LG_COUNT(texts)], first, second, first.type,
                           CONTENT_UNIT);
    }
    if (pair.vulkan) {
        test_numbers(pair.vulkan);
        test_passes(pair.vulkan);
    }
    lg_context_destroy(&pair.cpu);
    device_close(&pair.vulkan);
}

static void test_all(void)
{
    test_catalogue();
    test_meanings();
    test_worked();
    test_stages();
    test_numbers(kernel_best_context());
    test_passes(kernel_best_context());
    test_pass_figures();
    if (test_wants_vulkan())
        test_devices();
    else
        check_skip("fitted images on Vulkan");
}

int main(void)
{
    return kernel_main("fit", NULL, 0, test_all);
}

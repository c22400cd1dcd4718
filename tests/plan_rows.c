// The rows that a plan reads: those that it tells, against images whose other rows are poisoned, for every
// filter of the catalogue, on the CPU and on Vulkan; and bands of rows against the whole image.
#include "check.h"
#include "content.h"
#include "device.h"
#include "pipeline.h"
#include "samples.h"

#include "graph/plan.h"
#include "graph/plan_rows.h"
#include "vulkan/vk.h"

#include <stdio.h>
#include <string.h>

static lg_error error;
static lg_context *context;

// ---- what is told -------------------------------------------------------------------------------

typedef struct told {
    const char *text;
    int rows; // -1: all
    const char *why;
    int more; // rows above: a part begins at a multiple of this and one
} told;

static const told cases[] = {
    {"color_invert | contrast:contrast=2", 0, NULL},
    {"vignette", 0, NULL},
    {"sobel_edge_detection", 1, NULL},
    {"sharpen | emboss | laplacian", 3, NULL},
    {"sharpen:offset=4 | sobel_edge_detection:texel_height=3:texel_width=9", 7, NULL},
    {"laplacian:texel_height=2.1:texel_width=9.5", 3, NULL},
    {"box_blur:radius=7", 7, NULL},
    {"box_blur:radius=7 | sharpen | dilation:radius=2", 10, NULL},
    {"box_blur:radius=0:border=wrap", 0, NULL},
    {"box_blur:radius=1:border=wrap", -1, "other end"},
    {"gaussian_blur:sigma=2", 6, NULL},
    {"unsharp_mask:sigma=2", 6, NULL},
    {"gaussian_blur:sigma=6", 22, NULL, 1},
    {"gaussian_blur:sigma=12", 48, NULL, 3},
    {"gaussian_blur:sigma=2:radius=9", 9, NULL},
    {"gaussian_blur:sigma=6:texel_spacing_multiplier=2", 36, NULL},
    {"opening:radius=4", 8, NULL},
    {"rgb_erosion:radius=9", 9, NULL},
    {"box_blur:height=4:width=9", 1, NULL, 1},
    {"rgb_erosion:height=6", 2, NULL, 1},
    {"dilation:height=6", 3, NULL, -1},
    {"closing:height=4 | box_blur:width=3", 7, NULL},
    {"bilateral:radius=5", 5, NULL},
    {"gaussian_blur:sigma=6 | gaussian_blur:sigma=12", 70, NULL, 4},
    {"bilateral:method=grid", -1, "cells"},
    {"kuwahara:radius=4", 4, NULL, 4},
    {"kuwahara:radius=2 | kuwahara:radius=4", 6, NULL, 6},
    {"median | median:radius=5", 6, NULL},
    {"rolling_ball:radius=4.5 | sharpen", 9, NULL},
    {"local_mean:radius=6", 6, NULL},
    {"local_stddev:radius=6:radius_y=2", 2, NULL},
    {"color_invert | sharpen | local_mean", -1, "largest sample"},
    {"fast_corner_detection", 4, NULL},
    {"fast_corner_detection:non_maximum_suppression=0", 3, NULL},
    {"colour_fast_sampling", 3, NULL},
    {"swirl", -1, "between rows"},
    {"canny_edge_detection", -1, "whole image"},
    {"contrast:contrast=@mean", 0, NULL},
    {"contrast:contrast=@components", 0, NULL},
    {"gaussian_blur:sigma=@mean", -1, "which rows"},
    {"low_pass", -1, "later run"},
    {"sharpen | contrast:contrast=@mean | color_invert", 1, NULL},
};

static void test_told(void)
{
    const lg_image_params shape = SHAPE(20, 200, 1, 4, LG_U8, LG_ALPHA_OPAQUE);
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        const told *t = &cases[i];
        pipeline p;
        lg_row_reach reach;
        if (!pipeline_open(&p, context, t->text, &shape, 1, NULL))
            continue;
        NEED(!lg_plan_input_reach(p.plan, 0, &reach, &error), "%s", error.message);
        CHECK(t->why ? reach.whole && strstr(reach.whole, t->why)
                     : !reach.whole && reach.above == t->rows + t->more && reach.below == t->rows,
              "%s: %lld and %lld rows, %s", t->text, (long long)reach.above, (long long)reach.below,
              reach.whole ? reach.whole : "no more");
        CHECK(lg_plan_input_reach(p.plan, 1, &reach, &error) == LG_ERROR_ARGUMENT,
              "a second input");
        pipeline_close(&p);
    }
}

// The second image of a blend is read in the rows of what follows it, a table in all.
static void test_second(void)
{
    static const told second[] = {
        {"sharpen | multiply_blend:over=#over | box_blur:radius=3", 3, NULL},
        {"variable_box_blur:over=#over:radius=5 | emboss", 1, NULL}};
    const lg_image_params shapes[2] = {SHAPE(20, 200, 1, 4, LG_U8, LG_ALPHA_OPAQUE),
                                       SHAPE(20, 200, 1, 4, LG_U8, LG_ALPHA_OPAQUE)};
    static const int first[] = {4, 6};
    for (size_t i = 0; i < LG_COUNT(second); i++) {
        pipeline p;
        lg_row_reach a, b;
        if (!pipeline_open(&p, context, second[i].text, shapes, 2, NULL))
            continue;
        NEED(!lg_plan_input_reach(p.plan, 0, &a, &error) &&
                 !lg_plan_input_reach(p.plan, 1, &b, &error),
             "%s", error.message);
        CHECK(a.above == first[i] && b.above == second[i].rows && b.below == second[i].rows &&
                  !a.whole && !b.whole,
              "%s: %lld and %lld rows", second[i].text, (long long)a.above, (long long)b.above);
        pipeline_close(&p);
    }
}

// A second image of another height is fitted: then all of its rows are read.
static void test_sizes(void)
{
    static const char *const texts[] = {"variable_box_blur:over=#over",
                                        "anisotropic_box:over=#over", "poisson_blend:over=#over",
                                        "multiply_blend:over=#over:fit=tile"};
    for (size_t i = 0; i < LG_COUNT(texts); i++)
        for (int other = 0; other < 2; other++) {
            const lg_image_params shapes[2] = {
                SHAPE(20, 30, 1, 4, LG_U8, LG_ALPHA_OPAQUE),
                SHAPE(20 + other, 30 - !other, 1, 4, LG_U8, LG_ALPHA_OPAQUE)};
            pipeline p;
            lg_row_reach reach;
            if (!pipeline_open(&p, context, texts[i], shapes, 2, NULL))
                continue;
            NEED(!lg_plan_input_reach(p.plan, 1, &reach, &error), "%s", error.message);
            CHECK(other ? i < 3 || !reach.whole : reach.whole != NULL, "%s: %s", texts[i],
                  reach.whole ? reach.whole : "not all rows");
            pipeline_close(&p);
        }
}

// ---- what is read -------------------------------------------------------------------------------

enum { HEIGHT = 61 };

static uint8_t *row_of(const lg_image *image, int64_t y, int32_t z)
{
    return (uint8_t *)image->data + (size_t)y * image->shape.row_stride +
           (size_t)z * image->shape.layer_stride;
}

// A copy whose rows outside first .. end - 1 hold bytes of all ones: white, or NaN.
static lg_image *poisoned(const lg_image *image, int64_t first, int64_t end)
{
    lg_image *copy = image_zeros(context, image->shape);
    const size_t bytes = (size_t)image->shape.width * lg_pixel_size(&image->shape);
    for (int32_t z = 0; copy && z < image->shape.layers; z++)
        for (int64_t y = 0; y < image->shape.height; y++)
            if (y >= first && y < end)
                memcpy(row_of(copy, y, z), row_of(image, y, z), bytes);
            else
                memset(row_of(copy, y, z), 0xff, bytes);
    return copy;
}

static lg_image *run(const pipeline *p, lg_image *const *in, const char *name)
{
    lg_image *out = image_zeros(context, p->out);
    CHECK(out && !lg_plan_run(p->plan, in, &out, &error), "%s: %s", name, error.message);
    return out;
}

static bool same_rows(const lg_image *a, const lg_image *b, int64_t first, int64_t end)
{
    const size_t bytes = (size_t)a->shape.width * lg_pixel_size(&a->shape);
    bool same = true;
    for (int32_t z = 0; z < a->shape.layers; z++)
        for (int64_t y = first; y < end; y++)
            same = same && memcmp(row_of(a, y, z), row_of(b, y, z), bytes) == 0;
    return same;
}

// Runs on the rows that a band needs, without `missing` of them on either side.
static bool band_is_same(const pipeline *p, lg_image *const *in, const lg_image *want,
                         const lg_row_reach *reach, int64_t first, int64_t end, int missing,
                         const char *name)
{
    lg_image *part[2];
    for (int k = 0; k < 2; k++)
        part[k] = reach[k].whole ? poisoned(in[k], 0, HEIGHT)
                                 : poisoned(in[k], first - reach[k].above + missing,
                                            end + reach[k].below - missing);
    lg_image *got = run(p, part, name);
    const bool same = got && same_rows(want, got, first, end);
    lg_image_destroy(&got);
    lg_image_destroy(&part[0]);
    lg_image_destroy(&part[1]);
    return same;
}

// ---- what is computed ---------------------------------------------------------------------------

// Rows first .. end - 1 of an image as an image of their own, which shares them.
static lg_image *rows_of(const lg_image *image, int64_t first, int64_t end)
{
    lg_image_params shape = image->shape;
    lg_image *part = NULL;
    shape.height = (int32_t)(end - first);
    NEED(!lg_image_wrap(context, &shape, row_of(image, first, 0), &part, &error), "%s",
         error.message);
    return part;
}

// One band into `out`, from images that have the rows that it needs and no more.
static lg_status run_band(const pipeline *p, lg_image *const *in, const lg_row_reach *reach,
                          lg_image *out, int64_t first, int64_t end)
{
    lg_plan_band band = {.first = first, .rows = end - first, .outputs = {first}};
    lg_image *poison[2], *part[2], *result = rows_of(out, first, end);
    for (int k = 0; k < 2; k++) {
        // An image that a generator takes its kind of may have fewer rows than the output.
        int64_t from, to;
        lg_row_reach_rows(&reach[k], in[k]->shape.height, first, end, &from, &to);
        poison[k] = poisoned(in[k], from, to);
        part[k] = rows_of(poison[k], from, to);
        band.inputs[k] = from;
    }
    const lg_status status = lg_plan_run_rows(p->plan, &band, part, &result, &error);
    for (int k = 0; k < 2; k++) {
        lg_image_destroy(&part[k]);
        lg_image_destroy(&poison[k]);
    }
    lg_image_destroy(&result);
    return status;
}

// What is not computed in bands: figures, and what needs images of runs before.
static bool is_refused(const lg_plan *plan)
{
    bool refused = lg_graph_remembers(plan->graph);
    for (int i = 0; i < plan->graph->count; i++)
        refused = refused || (plan->nodes[i].uses && plan->graph->nodes[i].figure_count);
    return refused;
}

static int banded;

static void check_bands(const pipeline *p, lg_image *const *in, const lg_row_reach *reach,
                        const char *text, bool refused)
{
    static const int64_t sizes[] = {1, 7, 32};
    lg_image *want = run(p, in, text);
    for (size_t i = 0; want && i < LG_COUNT(sizes); i++) {
        lg_image *got = image_zeros(context, p->out);
        const int64_t height = p->out.height;
        lg_status status = LG_OK;
        for (int64_t y = 0; y < height && !status; y += sizes[i])
            status = run_band(p, in, reach, got, y, LG_MIN(y + sizes[i], height));
        CHECK(refused ? status == LG_ERROR_UNSUPPORTED : !status && same_rows(want, got, 0, height),
              "%s of %s in bands of %lld rows: %s", text, lg_type_name(in[0]->shape.type),
              (long long)sizes[i], error.message);
        banded += !status;
        lg_image_destroy(&got);
    }
    lg_image_destroy(&want);
}

static void test_refused(void)
{
    const lg_image_params shape = SHAPE(20, 50, 1, 4, LG_U8, LG_ALPHA_OPAQUE);
    static const struct {
        const char *text, *part;
        lg_plan_band band;
        lg_status status;
    } tries[] = {
        {"sharpen", "rows 9 to 20 are needed", {10, 10, {10}, {10}}, LG_ERROR_ARGUMENT},
        {"sharpen", "output 0 has rows 12 to 21", {10, 10, {9}, {12}}, LG_ERROR_ARGUMENT},
        {"swirl", "needed: pixels move", {10, 10, {9}, {10}}, LG_ERROR_ARGUMENT},
        {"sharpen", "not all in output", {45, 10, {44}, {45}}, LG_ERROR_ARGUMENT},
        {"box_blur", "rows 6 to 23 are needed", {10, 10, {9}, {10}}, LG_ERROR_ARGUMENT},
        {"contrast:contrast=@mean", "figures", {10, 10, {9}, {10}}, LG_ERROR_UNSUPPORTED},
    };
    lg_image *image = image_zeros(context, shape), *in = rows_of(image, 9, 21);
    lg_image *out = rows_of(image, 30, 40);
    for (size_t i = 0; i < LG_COUNT(tries); i++) {
        pipeline p;
        NEED(pipeline_open(&p, context, tries[i].text, &shape, 1, NULL), "no plan");
        const lg_status status = lg_plan_run_rows(p.plan, &tries[i].band, &in, &out, &error);
        CHECK(status == tries[i].status && strstr(error.message, tries[i].part), "%s: %s",
              tries[i].text, error.message);
        pipeline_close(&p);
    }
    lg_image_destroy(&in);
    lg_image_destroy(&out);
    lg_image_destroy(&image);
}

// ---- the catalogue ------------------------------------------------------------------------------

static bool has_second(const lg_filter *f)
{
    return f->inputs == 2 && f->kind != LG_FILTER_POINT && f->kind != LG_FILTER_GENERATE;
}

static int tight, bounded;

static void check_filter(const lg_filter *f, lg_image *const *in)
{
    static const int64_t bands[][2] = {{30, 31}, {0, 7}, {HEIGHT - 5, HEIGHT}, {20, 52}};
    const lg_image_params shapes[2] = {in[0]->shape, in[1]->shape};
    char text[200];
    snprintf(text, sizeof text, "%s%s", f->name, has_second(f) ? ":over=#over" : "");
    pipeline p;
    if (pipeline_try(&p, context, text, shapes, has_second(f) ? 2 : 1, NULL, &error))
        return;
    lg_row_reach reach[2] = {lg_row_reach_of(0), lg_row_reach_of(0)};
    NEED(!lg_plan_input_reach(p.plan, 0, &reach[0], &error), "%s", error.message);
    if (has_second(f))
        NEED(!lg_plan_input_reach(p.plan, 1, &reach[1], &error), "%s", error.message);
    if (!reach[0].whole && p.out.height == HEIGHT && !is_refused(p.plan)) {
        lg_image *want = run(&p, in, text);
        bounded++;
        for (size_t i = 0; i < (test_is_short() ? 2 : LG_COUNT(bands)); i++)
            CHECK(band_is_same(&p, in, want, reach, bands[i][0], bands[i][1], 0, text),
                  "%s of %s: rows %lld .. %lld take more than %lld and %lld rows", text,
                  lg_type_name(in[0]->shape.type), (long long)bands[i][0],
                  (long long)bands[i][1] - 1, (long long)reach[0].above, (long long)reach[0].below);
        tight += !band_is_same(&p, in, want, reach, 30, 31, 1, text);
        lg_image_destroy(&want);
    }
    check_bands(&p, in, reach, text, is_refused(p.plan));
    pipeline_close(&p);
}

// Chains of several stages, with images between them; the second one has levels, which have their places in
// the whole image.
static void check_chains(lg_image *const *in)
{
    static const struct {
        const char *text;
        int inputs;
        bool whole;
    } chains[] = {
        {"sharpen | vignette | emboss:border=mirror | swirl | multiply_blend:over=#over | "
         "laplacian",
         2, true},
        {"gaussian_blur:sigma=5 | sharpen | gaussian_blur:sigma=6.5:border=mirror", 1, false},
        // Outputs of other heights.
        {"resize:scale=0.6 | emboss", 1, false},
        {"resize:scale=0.5:light=linear", 1, false},
        {"resize:scale=2.3:method=bilinear", 1, false},
        {"resize:width=20:height=50:fit=cover:method=nearest | canvas:height=90", 1, false},
        {"pad:top=9:bottom=40:left=3:border=constant:color=0.2,0.4,0.6,1 | dilation", 1, false},
        {"crop:y=20:height=30:unit=px | resize:scale=1.4", 1, false}};
    const lg_image_params shapes[2] = {in[0]->shape, in[1]->shape};
    for (size_t i = 0; i < LG_COUNT(chains); i++) {
        pipeline p;
        lg_row_reach reach[2] = {lg_row_reach_of(0), lg_row_reach_of(0)};
        if (!pipeline_open(&p, context, chains[i].text, shapes, chains[i].inputs, NULL))
            continue;
        for (int k = 0; k < chains[i].inputs; k++)
            NEED(!lg_plan_input_reach(p.plan, k, &reach[k], &error), "%s", error.message);
        CHECK(!reach[0].whole == !chains[i].whole && reach[1].above == chains[i].inputs - 1, "%s",
              chains[i].text);
        const int before = banded;
        check_bands(&p, in, reach, chains[i].text, false);
        CHECK(banded == before + 3, "%s: %s", chains[i].text, error.message);
        pipeline_close(&p);
    }
}

// On a device, whose compiler may take a second for a kernel: filters with kernels of their own, of which the
// short form has one in three, and a few others.
static bool is_wanted(size_t filter)
{
    if (!context->vk || filter % 8 == 0)
        return true;
    return lg_filter_at(filter)->kind == LG_FILTER_NATIVE && (!test_is_short() || filter % 3 == 0);
}

static void test_catalogue(lg_image_params shape)
{
    const int least = !context->vk ? 100 : test_is_short() ? 10 : 20;
    const int least_bounded = !context->vk ? 80 : test_is_short() ? 5 : 10;
    shape.height = HEIGHT;
    lg_image *in[2] = {content_image(context, shape, CONTENT_UNIT),
                       content_image(context, shape, CONTENT_UNIT)};
    NEED(in[0] && in[1], "no images");
    tight = bounded = banded = 0;
    for (size_t i = 0; i < lg_filter_count(); i++)
        if (is_wanted(i))
            check_filter(lg_filter_at(i), in);
    // Without a row of the reach other pixels come out: of nearly all, as few read less than they tell.
    CHECK(bounded > least_bounded && tight > bounded * 3 / 4,
          "%d of %d filters read all the rows that they tell", tight, bounded);
    CHECK(banded > 3 * least, "%d runs in bands", banded);
    check_chains(in);
    lg_image_destroy(&in[0]);
    lg_image_destroy(&in[1]);
}

static void test_context(void)
{
    test_told();
    test_second();
    test_sizes();
    test_refused();
    test_catalogue(SHAPE(37, HEIGHT, 1, 4, LG_U8, LG_ALPHA_OPAQUE));
    // Software compiles each kernel for a second.
    if (!context->vk || (lg_vk_get_limits(context->vk)->hardware && !test_is_short()))
        test_catalogue(SHAPE(35, HEIGHT, 2, 1, LG_U16, LG_ALPHA_NONE));
    if (!context->vk)
        test_catalogue(SHAPE(33, HEIGHT, 1, 4, LG_F32, LG_ALPHA_STRAIGHT));
}

int main(void)
{
    random_seed(11);
    context = device_open_cpu();
    if (context)
        test_context();
    lg_context_destroy(&context);
    context = device_open(NULL, NULL);
    if (context) {
        test_context();
        device_close(&context);
    }
    return check_finish("plan_rows");
}

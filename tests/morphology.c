// Morphology against brute force: every type, channel count, border and operation, radii larger
// than the image, images larger than strips and bands, all CPU levels and thread counts.
#include "check.h"
#include "device.h"
#include "kernel.h"
#include "pipeline.h"

#include "filter/native/morphology/morphology.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const operations[] = {"dilation", "erosion", "opening", "closing"};

static int window_of(const lg_native_call *call, const char *name)
{
    const int given = kernel_whole(call, name);
    return given ? given : 2 * kernel_whole(call, "radius") + 1;
}

// Of an even number of pixels the window of an erosion has one more before its own.
static lg_window_side side_of(const lg_native_call *call, const char *name)
{
    const int window = window_of(call, name);
    return (lg_window_side){window / 2, (window - 1) / 2};
}

static lg_status reference(const lg_native_call *call)
{
    const char *name = call->filter->name;
    const bool grey = strncmp(name, "rgb_", 4) != 0;
    int operation = 0;
    while (strcmp(name + (grey ? 0 : 4), operations[operation]) != 0)
        operation++;
    return lg_morphology_ref((lg_morphology_operation)operation, grey, side_of(call, "height"),
                             side_of(call, "width"), (lg_border)kernel_whole(call, "border"),
                             call->in[0], call->out);
}

// Premultiplied colour is divided and multiplied, in which roundings may differ.
static double allowed(const lg_image_params *out)
{
    const bool divided = out->alpha == LG_ALPHA_PREMULTIPLIED && out->channels != 1;
    return !divided ? 0 : out->type == LG_U8 ? 1.01 / 255 : 0.002;
}

#define CASE(name)                                                                                 \
    {                                                                                              \
        .filter = name,                                                                            \
        .params = "radius={0|1|2|3|4}:border={*}:width={0|0|1|2|9}:height={0|0|1|2|6}",            \
        .params_small = "radius={0|1|2|3|4|7|15|60}:border={*}:width={0|0|0|1|2|4|8|31|90|300}:"   \
                        "height={0|0|0|1|2|5|6|16|81|300}",                                        \
        .reference = reference, .shapes = kernel_any_type, .allowed = allowed,                     \
        .plain_premultiplied = true, .extreme = CONTENT_ALL_BITS, .share = 3, .bench = "radius=5"  \
    }

static const kernel_case cases[] = {CASE("dilation"),    CASE("erosion"),      CASE("opening"),
                                    CASE("closing"),     CASE("rgb_dilation"), CASE("rgb_erosion"),
                                    CASE("rgb_opening"), CASE("rgb_closing")};

// ---- larger than strips and bands ---------------------------------------------------------------

// One direction at a time, plainly; `stride` in samples.
static void extreme_line(const uint8_t *from, uint8_t *to, int64_t size, int64_t stride, int window,
                         lg_border border, bool max)
{
    for (int64_t i = 0; i < size; i++) {
        int best = max ? -1 : 256;
        const int64_t first = i - (max ? (window - 1) / 2 : window / 2);
        for (int64_t k = first; k < first + window; k++) {
            const int64_t at = lg_border_index(k, size, border);
            const int v = at < 0 ? 0 : from[at * stride];
            best = max ? LG_MAX(best, v) : LG_MIN(best, v);
        }
        to[i * stride] = (uint8_t)best;
    }
}

static void extreme_image(uint8_t *image, uint8_t *spare, int w, int h, int c, int rows,
                          int columns, lg_border border, bool max)
{
    for (int64_t y = 0; y < h; y++)
        for (int k = 0; k < c; k++)
            extreme_line(image + y * w * c + k, spare + y * w * c + k, w, c, columns, border, max);
    for (int64_t x = 0; x < (int64_t)w * c; x++)
        extreme_line(spare + x, image + x, h, (int64_t)w * c, rows, border, max);
}

// The plain way in lines, for images that windows are too slow for.
static lg_status reference_large(const lg_native_call *call)
{
    const lg_image *in = call->in[0], *out = call->out;
    const int w = in->shape.width, h = in->shape.height, c = in->shape.channels;
    const size_t row = (size_t)w * (size_t)c, count = row * (size_t)h;
    const char *name = call->filter->name + (strncmp(call->filter->name, "rgb_", 4) ? 0 : 4);
    const bool max = name[0] == 'd' || name[0] == 'c', twice = name[0] == 'o' || name[0] == 'c';
    const lg_border border = (lg_border)kernel_whole(call, "border");
    const int rows = window_of(call, "height"), columns = window_of(call, "width");
    uint8_t *want = malloc(count), *spare = malloc(count);
    for (size_t y = 0; y < (size_t)h; y++)
        memcpy(want + y * row, (char *)in->data + y * in->shape.row_stride, row);
    extreme_image(want, spare, w, h, c, rows, columns, border, max);
    if (twice)
        extreme_image(want, spare, w, h, c, rows, columns, border, !max);
    for (size_t y = 0; y < (size_t)h; y++)
        memcpy((char *)out->data + y * out->shape.row_stride, want + y * row, row);
    free(want);
    free(spare);
    return LG_OK;
}

static void test_large(void)
{
    static const struct {
        int w, h, c;
        const char *filter, *params;
    } large[] = {{701, 331, 1, "dilation", "radius=1:border=replicate"},
                 {701, 331, 1, "erosion", "radius=2:border=constant"},
                 {513, 700, 1, "dilation", "radius=15:border=replicate"},
                 {1999, 97, 1, "opening", "radius=40:border=mirror"},
                 {97, 1999, 1, "closing", "radius=40:border=wrap"},
                 {300, 211, 4, "rgb_erosion", "radius=15:border=wrap"},
                 {129, 515, 2, "rgb_opening", "radius=33:border=constant"},
                 {600, 300, 1, "closing", "radius=110:border=replicate"},
                 {640, 400, 1, "dilation", "radius=70:border=wrap"},
                 {50, 40, 4, "rgb_erosion", "radius=4096:border=mirror"},
                 {530, 1100, 1, "closing", "radius=5:border=constant"},
                 {701, 331, 1, "opening", "width=2:height=64:border=replicate"},
                 {701, 331, 4, "rgb_closing", "width=64:height=2:border=wrap"},
                 {97, 1999, 1, "closing", "width=96:height=1:border=constant"},
                 {1999, 97, 1, "opening", "width=1000:height=96:border=wrap"},
                 {300, 211, 2, "rgb_dilation", "width=1:height=8193:border=mirror"}};
    for (size_t i = 0; i < LG_COUNT(large); i++)
        kernel_try(&(const kernel_case){.filter = large[i].filter, .reference = reference_large},
                   large[i].params,
                   SHAPE(large[i].w, large[i].h, 1, large[i].c, LG_U8, LG_ALPHA_NONE),
                   CONTENT_UNIT);
}

// ---- levels and threads -------------------------------------------------------------------------

static void test_levels(void)
{
    static const struct {
        int w, h;
        const char *filter, *params;
    } large[] = {{611, 237, "rgb_opening", "radius=1"},
                 {1030, 90, "closing", "radius=5"},
                 {33, 801, "rgb_dilation", "radius=40"}};
    for (int t = 0; t < LG_TYPES; t++)
        for (int c = 1; c <= 4; c *= 2)
            for (size_t k = 0; k < LG_COUNT(large); k++)
                kernel_try(&(const kernel_case){.filter = large[k].filter}, large[k].params,
                           SHAPE(large[k].w, large[k].h, 1, c, t,
                                 c == 1 ? LG_ALPHA_NONE : LG_ALPHA_STRAIGHT),
                           CONTENT_ALL_BITS);
}

// Through a graph: between stages images are f32 with four channels.
static void test_graph(void)
{
    const lg_image_params shape = SHAPE(123, 45, 1, 4, LG_U8, LG_ALPHA_OPAQUE);
    lg_image *a = kernel_image(shape, CONTENT_UNIT), *b = kernel_zeros(shape);
    lg_image *want = kernel_zeros(shape);
    pipeline p;
    if (pipeline_open(&p, kernel_best_context(), "rgb_erosion:radius=3 | rgb_dilation:radius=3",
                      &shape, 1, NULL))
        CHECK(!lg_plan_run(p.plan, &a, &b, NULL), "the plan does not run");
    kernel_run(kernel_best_context(), "rgb_opening", "radius=3", a, NULL, want);
    CHECK(samples_equal(b, want), "opening is not dilation of erosion in a graph");
    pipeline_close(&p);
    lg_image_destroy(&a);
    lg_image_destroy(&b);
    lg_image_destroy(&want);
}

static void test_more(void)
{
    test_graph();
    test_large();
    test_levels();
}

int main(void)
{
    return kernel_main("morphology", cases, LG_COUNT(cases), test_more);
}

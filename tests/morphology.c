// Morphology against brute force: every type, channel count, border and operation, radii larger
// than the image, images larger than strips and bands, all CPU levels and thread counts.
#include "check.h"
#include "content.h"
#include "filter_call.h"

#include "filter/native/morphology/morphology.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const operations[] = {"dilation", "erosion", "opening", "closing"};
static const char *const borders[] = {"replicate", "mirror", "wrap", "constant"};

static void describe(char *out, size_t size, const lg_image_params *s, const char *filter,
                     const char *params, content kind)
{
    snprintf(out, size, "%s:%s on %d x %d x %d, %d channels of %s, alpha %d, %s", filter, params,
             s->width, s->height, s->layers, s->channels, lg_type_name(s->type), (int)s->alpha,
             content_name(kind));
}

// Premultiplied colour is divided and multiplied, in which roundings may differ.
static float worst_difference(const lg_image *a, const lg_image *b)
{
    const lg_image_params *s = &a->shape;
    float worst = 0;
    for (int32_t z = 0; z < s->layers; z++)
        for (int32_t y = 0; y < s->height; y++)
            for (int32_t x = 0; x < s->width; x++)
                for (int c = 0; c < s->channels; c++) {
                    const float v = filter_sample(a, x, y, z, c), w = filter_sample(b, x, y, z, c);
                    worst = fmaxf(worst, fabsf(v - w) / fmaxf(1, fabsf(w)));
                }
    return worst;
}

static void compare(lg_context *context, lg_image_params shape, lg_type out_type, int operation,
                    bool grey, int radius, int border, content kind)
{
    char filter[40], params[60], text[200];
    snprintf(filter, sizeof filter, "%s%s", grey ? "" : "rgb_", operations[operation]);
    snprintf(params, sizeof params, "radius=%d:border=%s", radius, borders[border]);
    describe(text, sizeof text, &shape, filter, params, kind);
    lg_image *in = content_image(context, shape, kind);
    shape.type = out_type;
    lg_image *got = filter_image(context, shape), *want = filter_image(context, shape);
    filter_run(context, filter, params, in, NULL, got);
    lg_morphology_ref((lg_morphology_operation)operation, grey, radius, (lg_border)border, in,
                      want);
    if (shape.alpha == LG_ALPHA_PREMULTIPLIED && shape.channels != 1) {
        const float worst = worst_difference(got, want);
        const float allowed = shape.type == LG_U8 ? 1.01f / 255 : 0.002f;
        CHECK(worst <= allowed, "%s, to %s: off by %g", text, lg_type_name(out_type), worst);
    } else {
        CHECK(filter_equal(got, want), "%s, to %s", text, lg_type_name(out_type));
    }
    lg_image_destroy(&in);
    lg_image_destroy(&got);
    lg_image_destroy(&want);
}

static void test_against_brute_force(lg_context *context)
{
    static const int sizes[][2] = {{1, 1},  {1, 9},  {7, 1},   {2, 2},  {13, 11},
                                   {5, 40}, {67, 5}, {130, 9}, {64, 17}};
    static const int radii[] = {0, 1, 2, 3, 4, 7, 15, 60};
    static const content kinds[] = {CONTENT_UNIT, CONTENT_SPECIAL, CONTENT_ALL_BITS};
    const int runs = test_is_short() ? 300 : 2000;
    for (int run = 0; run < runs; run++) {
        const int *size = sizes[random_below(LG_COUNT(sizes))];
        static const int channels[] = {1, 2, 4};
        const int pixels = size[0] * size[1];
        const int radius = radii[random_below(pixels > 500 ? 5 : pixels > 20 ? 7 : 8)];
        const lg_type type = (lg_type)random_below(LG_TYPES);
        const int c = channels[random_below(3)];
        lg_alpha alpha = c == 1 ? LG_ALPHA_NONE : (lg_alpha)random_below(4);
        if (c == 2 && alpha == LG_ALPHA_OPAQUE)
            alpha = LG_ALPHA_STRAIGHT;
        const bool premultiplied = alpha == LG_ALPHA_PREMULTIPLIED && c != 1;
        // Alpha that is never tiny, and no NaN to divide by.
        const content kind = premultiplied ? CONTENT_UNIT : kinds[random_below(3)];
        const bool other = random_below(3) == 0 && kind == CONTENT_UNIT;
        compare(context, SHAPE(size[0], size[1], 1 + (int)random_below(2), c, type, alpha),
                other ? (lg_type)random_below(LG_TYPES) : type, (int)random_below(4),
                random_below(2), radius, (int)random_below(4), kind);
    }
}

// ---- larger than strips and bands ---------------------------------------------------------------

// One direction at a time, plainly; `stride` in samples.
static void extreme_line(const uint8_t *from, uint8_t *to, int64_t size, int64_t stride, int radius,
                         lg_border border, bool max)
{
    for (int64_t i = 0; i < size; i++) {
        int best = max ? -1 : 256;
        for (int64_t k = i - radius; k <= i + radius; k++) {
            const int64_t at = lg_border_index(k, size, border);
            const int v = at < 0 ? 0 : from[at * stride];
            best = max ? LG_MAX(best, v) : LG_MIN(best, v);
        }
        to[i * stride] = (uint8_t)best;
    }
}

static void extreme_image(uint8_t *image, uint8_t *spare, int w, int h, int c, int radius,
                          lg_border border, bool max)
{
    for (int64_t y = 0; y < h; y++)
        for (int k = 0; k < c; k++)
            extreme_line(image + y * w * c + k, spare + y * w * c + k, w, c, radius, border, max);
    for (int64_t x = 0; x < (int64_t)w * c; x++)
        extreme_line(spare + x, image + x, h, (int64_t)w * c, radius, border, max);
}

typedef struct large {
    int w, h, c, radius, operation, border;
} large;

static void compare_large(const large *l, const lg_image *in, const uint8_t *want,
                          lg_cpu_level level, int threads)
{
    lg_context *context = filter_context(level, threads);
    if (!context)
        return;
    char filter[40], params[60];
    snprintf(filter, sizeof filter, "%s%s", l->c == 1 ? "" : "rgb_", operations[l->operation]);
    snprintf(params, sizeof params, "radius=%d:border=%s", l->radius, borders[l->border]);
    lg_image *out = filter_image(context, in->shape);
    filter_run(context, filter, params, in, NULL, out);
    int64_t wrong = 0;
    for (int y = 0; y < l->h; y++)
        for (int x = 0; x < l->w * l->c; x++)
            wrong += ((uint8_t *)out->data)[(size_t)y * out->shape.row_stride + (size_t)x] !=
                     want[(size_t)y * (size_t)l->w * (size_t)l->c + (size_t)x];
    CHECK(wrong == 0, "%s:%s on %d x %d x %d, %s, %d threads: %lld samples differ", filter, params,
          l->w, l->h, l->c, lg_cpu_level_name(level), threads, (long long)wrong);
    lg_image_destroy(&out);
    lg_context_destroy(&context);
}

static void test_large(lg_context *context)
{
    static const large cases[] = {
        {701, 331, 1, 1, 0, 0},  {701, 331, 1, 2, 1, 3},   {513, 700, 1, 15, 0, 0},
        {1999, 97, 1, 40, 2, 1}, {97, 1999, 1, 40, 3, 2},  {300, 211, 4, 15, 1, 2},
        {129, 515, 2, 33, 2, 3}, {600, 300, 1, 110, 3, 0}, {640, 400, 1, 70, 0, 2},
        {50, 40, 4, 4096, 1, 1}, {530, 1100, 1, 5, 3, 3}};
    for (size_t i = 0; i < LG_COUNT(cases); i++) {
        const large *l = &cases[i];
        const size_t row = (size_t)l->w * (size_t)l->c, count = row * (size_t)l->h;
        uint8_t *want = malloc(count), *spare = malloc(count);
        lg_image *in =
            content_image(context, SHAPE(l->w, l->h, 1, l->c, LG_U8, LG_ALPHA_NONE), CONTENT_UNIT);
        for (size_t y = 0; y < (size_t)l->h; y++)
            memcpy(want + y * row, (char *)in->data + y * in->shape.row_stride, row);
        const bool max =
            l->operation == LG_MORPHOLOGY_DILATION || l->operation == LG_MORPHOLOGY_CLOSING;
        const lg_border border = (lg_border)l->border;
        extreme_image(want, spare, l->w, l->h, l->c, l->radius, border, max);
        if (l->operation >= LG_MORPHOLOGY_OPENING)
            extreme_image(want, spare, l->w, l->h, l->c, l->radius, border, !max);
        for (int level = 0; level <= (int)lg_cpu_level_best(); level++)
            for (int threads = 1; threads <= (test_is_short() ? 2 : 4); threads++)
                compare_large(l, in, want, (lg_cpu_level)level, threads);
        free(want);
        free(spare);
        lg_image_destroy(&in);
    }
}

// ---- levels and threads -------------------------------------------------------------------------

static void test_levels(void)
{
    lg_context *base = filter_context(LG_CPU_BASE, 1);
    static const int sizes[][3] = {{611, 237, 1}, {1030, 90, 5}, {33, 801, 40}};
    for (int t = 0; t < LG_TYPES; t++)
        for (int c = 1; c <= 4; c *= 2)
            for (size_t k = 0; k < LG_COUNT(sizes); k++) {
                const lg_image_params shape = SHAPE(sizes[k][0], sizes[k][1], 1, c, t,
                                                    c == 1 ? LG_ALPHA_NONE : LG_ALPHA_STRAIGHT);
                const char *filter = k == 0 ? "rgb_opening" : k == 1 ? "closing" : "rgb_dilation";
                char params[40];
                snprintf(params, sizeof params, "radius=%d", sizes[k][2]);
                lg_image *in = content_image(base, shape, CONTENT_ALL_BITS);
                lg_image *want = filter_image(base, shape), *got = filter_image(base, shape);
                filter_run(base, filter, params, in, NULL, want);
                for (int level = 0; level <= (int)lg_cpu_level_best(); level++)
                    for (int threads = 1; threads <= 5; threads += 2) {
                        lg_context *context = filter_context((lg_cpu_level)level, threads);
                        if (!context)
                            continue;
                        memset(got->data, 0x55, (size_t)shape.height * got->shape.row_stride);
                        filter_run(context, filter, params, in, NULL, got);
                        CHECK(filter_equal(got, want), "%s of %s x %d: %s, %d threads", filter,
                              lg_type_name(shape.type), c, lg_cpu_level_name(level), threads);
                        lg_context_destroy(&context);
                    }
                lg_image_destroy(&in);
                lg_image_destroy(&want);
                lg_image_destroy(&got);
            }
    lg_context_destroy(&base);
}

// An image over memory of the caller: nothing beside its pixels is written.
static void test_margins(lg_context *context)
{
    enum { W = 601, H = 40, STRIDE = 640 };
    static uint8_t memory[H * STRIDE];
    lg_image *in = content_image(context, SHAPE(W, H, 1, 1, LG_U8, LG_ALPHA_NONE), CONTENT_UNIT);
    lg_image_params shape = in->shape;
    shape.row_stride = STRIDE;
    shape.layer_stride = sizeof memory;
    for (int radius = 0; radius < 90; radius += 11) {
        char params[40];
        snprintf(params, sizeof params, "radius=%d", radius);
        memset(memory, 0xa5, sizeof memory);
        lg_image *out = NULL;
        lg_error error = {LG_OK, ""};
        NEED(lg_image_wrap(context, &shape, memory, &out, &error) == LG_OK, "%s", error.message);
        filter_run(context, "closing", params, in, NULL, out);
        int spoiled = 0;
        for (int y = 0; y < H; y++)
            for (int x = W; x < STRIDE; x++)
                spoiled += memory[y * STRIDE + x] != 0xa5;
        CHECK(spoiled == 0, "radius %d: %d bytes beside the image", radius, spoiled);
        lg_image_destroy(&out);
    }
    lg_image_destroy(&in);
}

// Through a graph: between stages images are f32 with four channels.
static void test_graph(lg_context *context)
{
    lg_graph *graph = NULL;
    lg_plan *plan = NULL;
    lg_node in, out;
    lg_error error = {LG_OK, ""};
    const lg_image_params shape = SHAPE(123, 45, 1, 4, LG_U8, LG_ALPHA_OPAQUE);
    lg_image *a = content_image(context, shape, CONTENT_UNIT), *b = filter_image(context, shape);
    lg_image *want = filter_image(context, shape);
    NEED(!lg_graph_create(&graph, &error) && !lg_graph_input(graph, "in", &in, &error) &&
             !lg_graph_parse(graph, "rgb_erosion:radius=3 | rgb_dilation:radius=3", in, &out,
                             &error) &&
             !lg_graph_output(graph, out, &error) &&
             !lg_plan_create(context, graph, &shape, 1, NULL, &plan, &error) &&
             !lg_plan_run(plan, &a, &b, &error),
         "%s", error.message);
    filter_run(context, "rgb_opening", "radius=3", a, NULL, want);
    CHECK(filter_equal(b, want), "opening is not dilation of erosion in a graph");
    lg_plan_destroy(&plan);
    lg_graph_destroy(&graph);
    lg_image_destroy(&a);
    lg_image_destroy(&b);
    lg_image_destroy(&want);
}

int main(void)
{
    random_seed(31);
    lg_context *context = filter_context(LG_CPU_BEST, 3);
    test_against_brute_force(context);
    test_margins(context);
    test_graph(context);
    test_large(context);
    lg_context_destroy(&context);
    test_levels();
    return check_finish("morphology");
}

// FAST-9 against the textbook: every type, size and parameter, levels and thread counts; worked
// corners.
#include "check.h"
#include "content.h"
#include "filter_call.h"

#include "filter/native/fast_corner_detection/fast_corner_detection.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int64_t compare(lg_context *context, const lg_image *in, lg_type out_type,
                       const char *params)
{
    return filter_compare_marks(context, "fast_corner_detection", params, lg_fast_ref, in,
                                out_type);
}

// Bars and steps that turn, with a little noise: corners of many scores, and long edges without.
static void draw(lg_image *image, int cell)
{
    const lg_image_params *s = &image->shape;
    for (int32_t z = 0; z < s->layers; z++)
        for (int32_t y = 0; y < s->height; y++)
            for (int32_t x = 0; x < s->width; x++) {
                const int u = x / cell + (y % (3 * cell) > cell), v = y / cell;
                const double grey = ((u * 7 + v * 3) % 5) / 5.0 + 0.03 * random_unit();
                for (int c = 0; c < s->channels; c++)
                    filter_put(image, x, y, z, c, c == 3 ? 0.3 + 0.7 * grey : grey);
            }
}

static void test_against_reference(void)
{
    static const int sizes[][2] = {{1, 1},  {6, 6},   {7, 7},   {8, 7},    {1, 30},
                                   {30, 1}, {64, 20}, {71, 71}, {131, 40}, {300, 33}};
    static const float thresholds[] = {0, 0.01f, 0.08f, 0.2f, 0.5f, 1};
    static lg_context *contexts[FILTER_CONTEXTS];
    const int count = filter_contexts(contexts);
    int64_t corners = 0;
    const int runs = test_is_short() ? 150 : 1500;
    for (int run = 0; run < runs; run++) {
        lg_context *context = contexts[random_below((uint32_t)count)];
        const int *size = sizes[random_below(LG_COUNT(sizes))];
        const lg_type type = random_below(2) ? LG_U8 : (lg_type)random_below(LG_TYPES);
        lg_image *in = filter_image(context, filter_any_shape(size, type));
        if (run % 3 == 0)
            content_fill(in, run % 2 ? CONTENT_UNIT : CONTENT_SPECIAL);
        else
            draw(in, 4 + (int)random_below(9));
        char params[100];
        snprintf(params, sizeof params, "threshold=%g:non_maximum_suppression=%d:output=%s",
                 thresholds[random_below(LG_COUNT(thresholds))], (int)random_below(2),
                 random_below(2) ? "corners" : "score");
        corners +=
            compare(context, in, random_below(3) ? type : (lg_type)random_below(LG_TYPES), params);
        lg_image_destroy(&in);
    }
    CHECK(corners > runs, "hardly any corners in these images: %lld", (long long)corners);
    // Wider than a strip, more rows than a band.
    for (int k = 0; k < count; k++)
        for (int c = 1; c <= 4; c *= 4) {
            lg_image *in =
                filter_image(contexts[k], SHAPE(c == 1 ? 20011 : 5003, 41, 1, c, LG_U8,
                                                c == 1 ? LG_ALPHA_NONE : LG_ALPHA_OPAQUE));
            draw(in, 7);
            compare(contexts[k], in, LG_U8, "threshold=0.1:output=score");
            lg_image_destroy(&in);
        }
    for (int k = 0; k < count; k++)
        lg_context_destroy(&contexts[k]);
}

// An arc of `length` pixels of value `v` on the circle around the centre of a flat 9 x 9 image.
static void test_arcs(lg_context *context)
{
    static const int ring[16][2] = {{0, -3}, {1, -3},  {2, -2},  {3, -1}, {3, 0},  {3, 1},
                                    {2, 2},  {1, 3},   {0, 3},   {-1, 3}, {-2, 2}, {-3, 1},
                                    {-3, 0}, {-3, -1}, {-2, -2}, {-1, -3}};
    lg_image *in = filter_image(context, SHAPE(9, 9, 1, 1, LG_U8, LG_ALPHA_NONE));
    lg_image *out = filter_image(context, in->shape);
    for (int start = 0; start < 16; start++)
        for (int length = 7; length <= 16; length++)
            for (int v = 75; v <= 125; v += 5) {
                uint8_t *data = in->data;
                for (int y = 0; y < 9; y++)
                    memset(data + (size_t)y * in->shape.row_stride, 100, 9);
                for (int k = start; k < start + length; k++)
                    data[(size_t)(4 + ring[k % 16][1]) * in->shape.row_stride +
                         (size_t)(4 + ring[k % 16][0])] = (uint8_t)v;
                filter_run(context, "fast_corner_detection",
                           "threshold=0.0784314:output=score:non_maximum_suppression=0", in, NULL,
                           out);
                const int got = (int)(filter_sample(out, 4, 4, 0, 0) * 255 + 0.5f);
                const int difference = v > 100 ? v - 100 : 100 - v;
                const int want = length >= 9 && difference > 20 ? difference : 0;
                CHECK(got == want, "an arc of %d from %d, 100 and %d: score %d, not %d", length,
                      start, v, got, want);
            }
    lg_image_destroy(&in);
    lg_image_destroy(&out);
}

int main(void)
{
    random_seed(41);
    lg_context *context = filter_context(LG_CPU_BEST, 1);
    test_arcs(context);
    lg_context_destroy(&context);
    test_against_reference();
    return check_finish("fast_corners");
}

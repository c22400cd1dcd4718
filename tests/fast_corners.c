// FAST-9 against the textbook: every type, size and parameter, levels and thread counts; worked
// corners.
#include "check.h"
#include "kernel.h"

#include "filter/native/fast_corner_detection/fast_corner_detection.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Bars and steps that turn, with a little noise: corners of many scores, and long edges without.
static void draw_bars(lg_image *image, int cell)
{
    const lg_image_params *s = &image->shape;
    for (int32_t z = 0; z < s->layers; z++)
        for (int32_t y = 0; y < s->height; y++)
            for (int32_t x = 0; x < s->width; x++) {
                const int u = x / cell + (y % (3 * cell) > cell), v = y / cell;
                const double grey = ((u * 7 + v * 3) % 5) / 5.0 + 0.03 * random_unit();
                for (int c = 0; c < s->channels; c++)
                    sample_put(image, x, y, z, c, c == 3 ? 0.3 + 0.7 * grey : grey);
            }
}

static void draw(lg_image *image)
{
    draw_bars(image, 4 + (int)random_below(9));
}

static int64_t corners;

static const kernel_case fast = {
    .filter = "fast_corner_detection",
    .params = "threshold={0|0.01|0.08|0.2|0.5|1}:non_maximum_suppression={0|1}:"
              "output={corners|score}",
    .reference = lg_fast_ref,
    .shapes = kernel_any_type,
    .draw = draw,
    .marks = &corners,
    .bench = "threshold=0.1"};

// The smallest images with corners, bytes of them, wider than a strip, more rows than a band.
static void test_larger(void)
{
    static const int sizes[][2] = {{6, 6}, {7, 7}, {8, 7}, {71, 71}, {131, 40}, {300, 33}};
    for (int run = 0; run < (test_is_short() ? 18 : 180); run++) {
        const int *size = sizes[run % (int)LG_COUNT(sizes)];
        lg_image_params shape = kernel_any_shape(size[0], size[1]);
        shape.type = random_below(2) ? LG_U8 : shape.type;
        char params[100];
        kernel_pick(params, sizeof params, fast.params);
        kernel_try(&fast, params, shape, random_below(6) ? CONTENT_UNIT : CONTENT_SPECIAL);
    }
    CHECK(corners > 1500, "hardly any corners in these images: %lld", (long long)corners);
    for (int c = 1; c <= 4; c *= 4) {
        lg_image *in = kernel_zeros(SHAPE(c == 1 ? 20011 : 5003, 41, 1, c, LG_U8,
                                          c == 1 ? LG_ALPHA_NONE : LG_ALPHA_OPAQUE));
        draw_bars(in, 7);
        lg_image *want = kernel_compare(&fast, "threshold=0.1:output=score", in, NULL, in->shape);
        lg_image_destroy(&want);
        lg_image_destroy(&in);
    }
}

// An arc of `length` pixels of value `v` on the circle around the centre of a flat 9 x 9 image.
static void test_arcs(void)
{
    static const int ring[16][2] = {{0, -3}, {1, -3},  {2, -2},  {3, -1}, {3, 0},  {3, 1},
                                    {2, 2},  {1, 3},   {0, 3},   {-1, 3}, {-2, 2}, {-3, 1},
                                    {-3, 0}, {-3, -1}, {-2, -2}, {-1, -3}};
    lg_image *in = kernel_zeros(SHAPE(9, 9, 1, 1, LG_U8, LG_ALPHA_NONE));
    lg_image *out = kernel_zeros(in->shape);
    for (int start = 0; start < 16; start++)
        for (int length = 7; length <= 16; length++)
            for (int v = 75; v <= 125; v += 5) {
                uint8_t *data = in->data;
                for (int y = 0; y < 9; y++)
                    memset(data + (size_t)y * in->shape.row_stride, 100, 9);
                for (int k = start; k < start + length; k++)
                    data[(size_t)(4 + ring[k % 16][1]) * in->shape.row_stride +
                         (size_t)(4 + ring[k % 16][0])] = (uint8_t)v;
                kernel_run(kernel_best_context(), "fast_corner_detection",
                           "threshold=0.0784314:output=score:non_maximum_suppression=0", in, NULL,
                           out);
                const int got = (int)(sample_get(out, 4, 4, 0, 0) * 255 + 0.5f);
                const int difference = v > 100 ? v - 100 : 100 - v;
                const int want = length >= 9 && difference > 20 ? difference : 0;
                CHECK(got == want, "an arc of %d from %d, 100 and %d: score %d, not %d", length,
                      start, v, got, want);
            }
    lg_image_destroy(&in);
    lg_image_destroy(&out);
}

static void test_more(void)
{
    test_arcs();
    test_larger();
}

int main(void)
{
    return kernel_main("fast_corners", &fast, 1, test_more);
}

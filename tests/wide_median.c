// Medians of wide windows: every result is a sample of its window, with no more than half of the others
// below it or above it.
#include "check.h"
#include "kernel.h"

#include "filter/stage.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// How samples compare: -0 before +0, and NaN behind everything.
static bool is_below(double a, double b)
{
    if (isnan(a) || isnan(b))
        return !isnan(a) && isnan(b);
    return a < b || (a == b && signbit(a) && !signbit(b));
}

// Whether the sample of `out` is the median of the window around it.
static bool is_median(const lg_native_call *done, int x, int y, int z, int channel)
{
    const lg_image *in = done->in[0];
    const lg_image_params *s = &in->shape;
    const int radius = kernel_whole(done, "radius"), border = kernel_whole(done, "border");
    const double got = sample_get(done->out, x, y, z, channel);
    int64_t below = 0, above = 0, equal = 0;
    for (int dy = -radius; dy <= radius; dy++)
        for (int dx = -radius; dx <= radius; dx++) {
            const int64_t column = border_walk(x + dx, s->width, border);
            const int64_t row = border_walk(y + dy, s->height, border);
            const double v = column < 0 || row < 0 ? 0 : sample_get(in, column, row, z, channel);
            below += is_below(v, got);
            above += is_below(got, v);
            equal += !is_below(v, got) && !is_below(got, v);
        }
    const int64_t half = (below + above + equal) / 2;
    return equal > 0 && below <= half && above <= half;
}

// Alpha, and components that are data, are those of the centre.
static bool is_right(const lg_native_call *done, int x, int y, int z)
{
    const lg_image_params *s = &done->out->shape;
    const bool alpha = s->channels == 4 || (s->channels == 2 && s->alpha != LG_ALPHA_NONE);
    bool right = true;
    for (int k = 0; k < s->channels; k++) {
        const double centre = sample_get(done->in[0], x, y, z, k);
        const double got = sample_get(done->out, x, y, z, k);
        if (!alpha || k + 1 < s->channels)
            right &= is_median(done, x, y, z, k);
        else if (s->alpha == LG_ALPHA_OPAQUE)
            right &= got == 1;
        else
            right &= got == centre || (isnan(got) && isnan(centre));
    }
    return right;
}

static void check_medians(const lg_native_call *done, content kind)
{
    const lg_image_params *s = &done->out->shape;
    const int radius = kernel_whole(done, "radius");
    const int64_t pixels = (int64_t)s->width * s->height;
    int64_t wrong = 0, count = 0;
    (void)kind;
    if (!kernel_keeps_kind(done) || (s->alpha == LG_ALPHA_PREMULTIPLIED && s->channels != 1))
        return;
    const int64_t wanted = LG_MAX(1, LG_MIN(100, 400000 / ((2 * radius + 1) * (2 * radius + 1))));
    for (int z = 0; z < s->layers; z++)
        for (int64_t i = 0; i < pixels; i += 1 + pixels / wanted, count++)
            wrong += !is_right(done, (int)(i % s->width), (int)(i / s->width), z);
    CHECK(wrong == 0, "%lld of %lld pixels of %d x %d, %s x %d, alpha %d, radius %d, border %d",
          (long long)wrong, (long long)count, s->width, s->height, lg_type_name(s->type),
          s->channels, (int)s->alpha, radius, kernel_whole(done, "border"));
}

static const kernel_case medians = {.filter = "wide_median",
                                    .params = "radius={0|1|2|3|10|40|130}:border={*}",
                                    .params_small = "radius={0|1|2|3|10|40|130|300}:border={*}",
                                    .oracle = check_medians,
                                    .shapes = kernel_or_between,
                                    .extreme = CONTENT_ALL_BITS,
                                    .plain_premultiplied = true,
                                    .share = 12,
                                    .bench = "radius=10"};

// A radius of 1 gives the bits of the median of 3 x 3 pixels.
static void test_three(void)
{
    static const lg_type types[] = {LG_U8, LG_U16, LG_F16, LG_F32};
    static const int channels[] = {1, 2, 4};
    for (size_t i = 0; i < LG_COUNT(types) * LG_COUNT(channels); i++) {
        const int n = channels[i % LG_COUNT(channels)];
        const lg_image_params shape = SHAPE(93, 71, 1, n, types[i / LG_COUNT(channels)],
                                            n == 4 ? LG_ALPHA_STRAIGHT : LG_ALPHA_NONE);
        lg_image *in = kernel_image(shape, CONTENT_UNIT), *out = kernel_zeros(shape);
        kernel_run(kernel_context(), "wide_median", "radius=1:border=mirror", in, NULL, out);
        int64_t wrong = 0;
        const lg_native_call call = {.in = {in}, .out = out};
        for (int y = 1; y < 70; y++)
            for (int x = 1; x < 92; x++)
                for (int k = 0; k < (n == 4 ? 3 : n); k++) {
                    double v[9];
                    for (int j = 0; j < 9; j++) {
                        v[j] = sample_get(call.in[0], x - 1 + j % 3, y - 1 + j / 3, 0, k);
                        for (int m = j; m > 0 && v[m] < v[m - 1]; m--) {
                            const double swap = v[m];
                            v[m] = v[m - 1];
                            v[m - 1] = swap;
                        }
                    }
                    wrong += sample_get(out, x, y, 0, k) != v[4];
                }
        CHECK(wrong == 0, "%lld samples of %s x %d", (long long)wrong, lg_type_name(shape.type), n);
        lg_image_destroy(&in);
        lg_image_destroy(&out);
    }
}

// By hand: of 25 pixels 13 have 0.75 around (2, 2), so that it is the median; of radius 1 there are four.
static void test_by_hand(void)
{
    const lg_image_params shape = SHAPE(5, 5, 1, 1, LG_F32, LG_ALPHA_NONE);
    lg_image *in = kernel_zeros(shape), *out = kernel_zeros(shape);
    for (int i = 0; i < 25; i++) {
        const bool middle = i / 5 >= 1 && i / 5 <= 3 && i % 5 >= 1 && i % 5 <= 3;
        const bool high = middle ? i % 2 == 0 && i != 12 : i % 2 == 0 || i == 1;
        ((float *)in->data)[(size_t)(i / 5) * (in->shape.row_stride / 4) + (size_t)(i % 5)] =
            high ? 0.75f : 0.25f;
    }
    kernel_run(kernel_context(), "wide_median", "radius=2", in, NULL, out);
    CHECK(sample_get(out, 2, 2, 0, 0) == 0.75, "radius 2: %g", sample_get(out, 2, 2, 0, 0));
    kernel_run(kernel_context(), "wide_median", "radius=1", in, NULL, out);
    CHECK(sample_get(out, 2, 2, 0, 0) == 0.25, "radius 1: %g", sample_get(out, 2, 2, 0, 0));
    lg_image_destroy(&in);
    lg_image_destroy(&out);
}

// Whether so many of the 25 samples around a result are below it, and above it, as of a median.
static bool is_of_five(const lg_image *in, const lg_image *out, int32_t x, int32_t y, int channel,
                       int border)
{
    const double found = sample_stored(out, x, y, 0, channel);
    int below = 0, above = 0;
    for (int k = 0; k < 25; k++) {
        const int64_t column = border_walk(x + k % 5 - 2, in->shape.width, border);
        const int64_t row = border_walk(y + k / 5 - 2, in->shape.height, border);
        const double v = column < 0 || row < 0 ? 0 : sample_stored(in, column, row, 0, channel);
        below += v < found;
        above += v > found;
    }
    return below <= 12 && above <= 12 && below + above < 25;
}

// 5 x 5 integers at the sides of an image, of strips and of the parts of a row that are computed together.
static void test_sides_of_five(void)
{
    enum { STRIP = 65536, HEIGHT = 5 };
    static const lg_image_params shapes[] = {
        SHAPE(STRIP + 700, HEIGHT, 1, 1, LG_U8, LG_ALPHA_NONE),
        SHAPE(STRIP / 2 + 333, HEIGHT, 1, 2, LG_U8, LG_ALPHA_NONE),
        SHAPE(STRIP / 4 + 101, HEIGHT, 1, 4, LG_U8, LG_ALPHA_STRAIGHT),
        SHAPE(STRIP + 65, HEIGHT, 1, 1, LG_U16, LG_ALPHA_NONE)};
    for (size_t i = 0; i < LG_COUNT(shapes) * 4; i++) {
        const lg_image_params shape = shapes[i / 4];
        const int border = (int)(i % 4), strip = STRIP / shape.channels;
        lg_image *in = kernel_image(shape, CONTENT_UNIT), *out = kernel_zeros(shape);
        char text[60];
        int wrong = 0;
        snprintf(text, sizeof text, "radius=2:border=%s", border_names[border]);
        kernel_run(kernel_context(), "wide_median", text, in, NULL, out);
        for (int32_t k = 0; k < shape.width * HEIGHT * LG_MIN(shape.channels, 3); k++) {
            const int32_t y = k % HEIGHT, x = k / HEIGHT % shape.width;
            if (x < 1200 || (x > strip - 80 && x < strip + 80) || x > shape.width - 300)
                wrong += !is_of_five(in, out, x, y, k / HEIGHT / shape.width, border);
        }
        CHECK(wrong == 0, "%s of %s x %d: %d samples", text, lg_type_name(shape.type),
              shape.channels, wrong);
        lg_image_destroy(&in);
        lg_image_destroy(&out);
    }
}

static void test_more(void)
{
    test_sides_of_five();
    test_three();
    test_by_hand();
    // Wider than a strip, counts of 16 bits, and a sort of more than one tile.
    kernel_try(&medians, "radius=10", SHAPE(2100, 90, 1, 1, LG_U8, LG_ALPHA_NONE), CONTENT_UNIT);
    kernel_try(&medians, "radius=129", SHAPE(900, 40, 1, 4, LG_U8, LG_ALPHA_OPAQUE), CONTENT_UNIT);
    kernel_try(&medians, "radius=6", SHAPE(300, 300, 1, 1, LG_F32, LG_ALPHA_NONE), CONTENT_UNIT);
}

int main(void)
{
    return kernel_main("wide_median", &medians, 1, test_more);
}

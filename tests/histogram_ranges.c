// Ranges of floats: samples times a power of two fall into the same bins, have the
// same level and the same foreground, from subnormal numbers to the largest; a
// value that all samples have is its own level.
#include "check.h"
#include "device.h"
#include "samples.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/histogram/histogram.h"

enum { WIDTH = 61, HEIGHT = 7, PIXELS = WIDTH * HEIGHT };

static lg_context *contexts[2];
static int context_count;
static lg_error error;

static float *sample(lg_image *image, int pixel, int channel)
{
    return (float *)(void *)((char *)image->data +
                             (size_t)(pixel / WIDTH) * image->shape.row_stride) +
           pixel % WIDTH * image->shape.channels + channel;
}

// What the rules are tried on: whole numbers, of colours with lumas of their own.
static void fill(lg_image *image, int min, int max, int exponent)
{
    random_seed(11);
    for (int i = 0; i < PIXELS; i++) {
        const int wide = max - min + 1;
        int value = min + (int)(random_unit() * random_unit() * wide);
        value = i == 0 ? min : i == 1 ? max : value;
        for (int k = 0; k < image->shape.channels; k++)
            *sample(image, i, k) = ldexpf((float)(k == 3 ? 1 : value), exponent);
    }
}

static lg_image *new_image(lg_context *context, int channels)
{
    const lg_alpha alpha = channels == 4 ? LG_ALPHA_OPAQUE : LG_ALPHA_NONE;
    return image_zeros(context, SHAPE(WIDTH, HEIGHT, 1, channels, LG_F32, alpha));
}

static lg_histogram *count(lg_context *context, const lg_image *image, int32_t bins, bool automatic,
                           double lo, double hi)
{
    lg_histogram *h = NULL;
    const lg_histogram_params params =
        WITH(lg_histogram_params, it.bins = bins, it.type_range = false,
             it.automatic_range = automatic, it.lo = lo, it.hi = hi, it.space = LG_SPACE_LUMA);
    NEED(!lg_measure_histogram(context, image, &params, &h, &error), "%g:%g: %s", lo, hi,
         error.message);
    return h;
}

// ---- powers of two ------------------------------------------------------------------------------

typedef struct answer {
    uint64_t counts[300], foreground;
    lg_status status;
} answer;

static void ask(lg_context *context, lg_image *image, lg_threshold_method method, int32_t bins,
                answer *out)
{
    lg_histogram *h = count(context, image, bins, true, 0, 0);
    const lg_threshold_params params =
        WITH(lg_threshold_params, it.method = method, it.bins = bins);
    lg_threshold t = {.foreground = UINT64_MAX};
    memset(out, 0, sizeof *out);
    if (h)
        memcpy(out->counts, h->channel[0].counts, (size_t)bins * sizeof(uint64_t));
    lg_histogram_destroy(&h);
    out->status = lg_threshold_image(context, image, &params, &t, 1, NULL, &error);
    out->foreground = t.foreground;
}

// A level in the units of the samples: label compares with it as threshold does.
static void check_label(lg_context *context, lg_image *image)
{
    lg_threshold t;
    lg_components *found = NULL;
    const lg_threshold_params how = lg_threshold_params_default();
    NEED(!lg_threshold_image(context, image, &how, &t, 1, NULL, &error), "%s", error.message);
    const lg_label_params params =
        WITH(lg_label_params, it.foreground = LG_FOREGROUND_ABOVE, it.level = t.level[0]);
    NEED(!lg_label_image(context, image, &params, NULL, NULL, &found, &error), "%s", error.message);
    CHECK(found && (lg_components_count(found) > 0) == (t.foreground > 0),
          "no components of %d pixels above %g", (int)t.foreground, t.level[0]);
    lg_components_destroy(&found);
}

// Whatever the exponent, the answers are those of 1.
static void check_powers(int channels, int min, int max, const int *exponents)
{
    static const lg_threshold_method methods[] = {LG_THRESHOLD_OTSU, LG_THRESHOLD_LI,
                                                  LG_THRESHOLD_TRIANGLE, LG_THRESHOLD_MULTI_OTSU,
                                                  LG_THRESHOLD_ISODATA};
    for (int c = 0; c < context_count; c++) {
        lg_image *image = new_image(contexts[c], channels);
        for (size_t m = 0; m < (test_is_short() ? 1 : LG_COUNT(methods)); m++) {
            answer first, other;
            fill(image, min, max, 0);
            ask(contexts[c], image, methods[m], 256, &first);
            for (const int *e = exponents; *e; e++) {
                fill(image, min, max, *e);
                ask(contexts[c], image, methods[m], 256, &other);
                CHECK(memcmp(first.counts, other.counts, sizeof first.counts) == 0,
                      "%d channels, 2^%d on %s: other bins", channels, *e, contexts[c]->info.name);
                CHECK(first.status == other.status && first.foreground == other.foreground,
                      "%d channels, 2^%d on %s, %s: %d of the foreground instead of %d (%s)",
                      channels, *e, contexts[c]->info.name, lg_threshold_method_name(methods[m]),
                      (int)other.foreground, (int)first.foreground, error.message);
                if (m == 0 && channels == 1)
                    check_label(contexts[c], image);
            }
        }
        lg_image_destroy(&image);
    }
}

static void test_powers(void)
{
    // Narrow and wide ranges on either side of where the rule changes, and the ends of the format.
    static const int far[] = {-149, -148, -140, -127, -126, -120, -109, -108, -107,
                              -106, -101, -30,  40,   100,  117,  118,  119,  0};
    static const int signs[] = {-149, -126, -110, -109, -108, -107, -50, 90, 118, 119, 120, 0};
    check_powers(1, 0, 255, far);
    check_powers(1, 3, 200, far);
    check_powers(1, -255, 255, signs); // the width is beyond the largest float
    // Sums of weighted components round where they are subnormal.
    static const int colors[] = {-115, -109, -108, -107, -106, -101, 40, 117, 118, 119, 0};
    check_powers(4, 0, 255, colors);
}

// ---- explicit ranges ----------------------------------------------------------------------------

// In the middle of its bin a sample is nowhere near a rounding error of an edge.
static void check_explicit(lg_context *context, double lo, double hi, int32_t bins)
{
    lg_image *image = new_image(context, 1);
    const double width = hi / bins - lo / bins;
    for (int i = 0; i < PIXELS; i++)
        *sample(image, i, 0) = (float)(lo + (i % bins + 0.5) * width);
    lg_histogram *h = count(context, image, bins, false, lo, hi);
    for (int32_t k = 0; h && k < bins; k++)
        CHECK(h->channel[0].counts[k] == (uint64_t)(PIXELS / bins + (k < PIXELS % bins)),
              "%g:%g on %s: %d in bin %d", lo, hi, context->info.name, (int)h->channel[0].counts[k],
              k);
    lg_histogram_destroy(&h);
    lg_image_destroy(&image);
}

static void test_explicit(void)
{
    const double largest = (double)FLT_MAX;
    for (int c = 0; c < context_count; c++) {
        check_explicit(contexts[c], -largest, largest, 16);
        check_explicit(contexts[c], 0, largest, 1);
        check_explicit(contexts[c], 0, 1e-36, 10);
        check_explicit(contexts[c], -1e-33, 1e-32, 10);
        check_explicit(contexts[c], 0, 0x1p-142, 16); // subnormal ends, bins of 2^-146
        check_explicit(contexts[c], -0x1p-140, 0x1p-139, 4);
        check_explicit(contexts[c], 1e-30, 3e-30, 10);
    }
}

// ---- one value ----------------------------------------------------------------------------------

static void check_one(lg_context *context, lg_type type, int channels, float value)
{
    lg_image *image = NULL;
    lg_threshold t = {.foreground = 1};
    const lg_alpha alpha = channels == 4 ? LG_ALPHA_OPAQUE : LG_ALPHA_NONE;
    NEED(!lg_image_create(context, &SHAPE(9, 3, 1, channels, type, alpha), &image, &error), "%s",
         error.message);
    const uint16_t half = lg_float_to_half(value);
    for (int y = 0; y < 3; y++)
        for (int i = 0; i < 9 * channels; i++) {
            char *row = (char *)image->data + (size_t)y * image->shape.row_stride;
            if (type == LG_F32)
                ((float *)(void *)row)[i] = value;
            else
                ((uint16_t *)(void *)row)[i] = half;
        }
    const double wanted = type == LG_F32 ? (double)value : (double)lg_half_to_float(half);
    for (int m = 0; m < LG_THRESHOLD_METHODS; m++) {
        const lg_threshold_params params =
            WITH(lg_threshold_params, it.method = (lg_threshold_method)m);
        if (m == LG_THRESHOLD_VALUE || m == LG_THRESHOLD_MULTI_OTSU ||
            m == LG_THRESHOLD_INTERMODES || m == LG_THRESHOLD_MINIMUM)
            continue;
        NEED(!lg_threshold_image(context, image, &params, &t, 1, NULL, &error), "%s: %s",
             lg_threshold_method_name(params.method), error.message);
        CHECK(t.level[0] == wanted && t.foreground == 0, "%s of %g: level %.17g, foreground %d",
              lg_threshold_method_name(params.method), wanted, t.level[0], (int)t.foreground);
    }
    lg_histogram *h = count(context, image, 256, true, 0, 0);
    CHECK(h && h->channel[0].total == 27 && h->channel[0].lo <= wanted &&
              wanted <= h->channel[0].hi &&
              lg_histogram_percentile(&h->channel[0], 50) >= h->channel[0].lo,
          "the one value %g is not in its range", wanted);
    lg_histogram_destroy(&h);
    lg_image_destroy(&image);
}

static void test_one_value(void)
{
    static const float values[] = {0,       1,     -3.25F, FLT_MAX, -FLT_MAX, 1e-31F,
                                   -1e-31F, 1e-7F, 65504,  FLT_MIN, 1e-45F,   1e30F};
    for (int c = 0; c < context_count; c++)
        for (size_t i = 0; i < LG_COUNT(values); i++)
            for (int channels = 1; channels <= 4; channels += 3) {
                const bool subnormal = fabsf(values[i]) < FLT_MIN && values[i] != 0;
                if (channels == 1 || !subnormal)
                    check_one(contexts[c], LG_F32, channels, values[i]);
                if (fabsf(values[i]) <= 65504)
                    check_one(contexts[c], LG_F16, channels, values[i]);
            }
}

// ---- integers -----------------------------------------------------------------------------------

static lg_histogram *count_bytes(const uint8_t *values, int n, int32_t bins, double lo, double hi)
{
    lg_image *image = NULL;
    lg_histogram *h = NULL;
    const lg_histogram_params params =
        WITH(lg_histogram_params, it.bins = bins, it.type_range = false, it.lo = lo, it.hi = hi);
    NEED(!lg_image_create(contexts[0], &SHAPE(n, 1, 1, 1, LG_U8, LG_ALPHA_NONE), &image, &error),
         "%s", error.message);
    memcpy(image->data, values, (size_t)n);
    NEED(!lg_measure_histogram(contexts[0], image, &params, &h, &error), "%s", error.message);
    lg_image_destroy(&image);
    return h;
}

static void expect_count(const uint8_t *values, int n, int32_t bins, double lo, double hi, int bin,
                         uint64_t wanted)
{
    lg_histogram *h = count_bytes(values, n, bins, lo, hi);
    CHECK(h && h->channel[0].counts[bin] == wanted, "%g:%g: %d in bin %d instead of %d", lo, hi,
          h ? (int)h->channel[0].counts[bin] : -1, bin, (int)wanted);
    lg_histogram_destroy(&h);
}

// Ranges far beyond the samples, and samples at the upper end of a range that
// begins between two of them.
static void test_integers(void)
{
    static const uint8_t values[] = {0, 100, 200};
    static const double ends[] = {1e300, 1e306, 1e308, DBL_MAX};
    for (size_t i = 0; i < LG_COUNT(ends); i++) {
        expect_count(values, 3, 10, -ends[i], ends[i], 5, 3);
        expect_count(values, 3, 3, -ends[i], ends[i], 1, 3);
        expect_count(values, 3, 10, 0, ends[i], 0, 3);
        expect_count(values, 3, 10, -ends[i], 200, 9, 3);
        lg_histogram *h = count_bytes(values, 3, 10, -ends[i], ends[i]);
        CHECK(h && fabs(lg_histogram_bin_value(&h->channel[0], 10) / ends[i] - 1) < 1e-15 &&
                  fabs(lg_histogram_mode(&h->channel[0])) <= 200,
              "edges of +-%g", ends[i]);
        lg_histogram_destroy(&h);
    }
    for (int32_t bins = 1; bins < 40; bins++) {
        expect_count(values, 3, bins, 99.5, 200, bins - 1, bins == 1 ? 2 : 1);
        expect_count(values, 3, bins, 0.25, 100, bins - 1, 1);
    }
}

static lg_histogram *count_halves(const uint16_t *halves, int n, const lg_histogram_params *params)
{
    lg_image *image = NULL;
    lg_histogram *h = NULL;
    NEED(!lg_image_create(contexts[0], &SHAPE(n, 1, 1, 1, LG_F16, LG_ALPHA_NONE), &image, &error),
         "%s", error.message);
    memcpy(image->data, halves, (size_t)n * sizeof *halves);
    NEED(!lg_measure_histogram(contexts[0], image, params, &h, &error), "%s", error.message);
    lg_image_destroy(&image);
    return h;
}

// What lies outside the range takes no part.
static void test_percentiles_inside(void)
{
    static const uint8_t values[] = {0, 1, 2, 110, 120, 130, 140, 150, 251, 252, 253, 254};
    static const double percents[][2] = {{0, 110}, {25, 120}, {50, 130}, {62.5, 135}, {100, 150}};
    const lg_histogram_params params =
        WITH(lg_histogram_params, it.type_range = false, it.lo = 100, it.hi = 200);
    uint16_t halves[12];
    for (int i = 0; i < 12; i++)
        halves[i] = lg_float_to_half(values[i]);
    for (int type = 0; type < 2; type++) {
        lg_histogram *h =
            type ? count_halves(halves, 12, &params) : count_bytes(values, 12, 256, 100, 200);
        const char *name = type ? "f16" : "u8";
        for (size_t i = 0; h && i < LG_COUNT(percents); i++)
            CHECK(lg_histogram_percentile(&h->channel[0], percents[i][0]) == percents[i][1],
                  "%s: percentile %g is %g", name, percents[i][0],
                  lg_histogram_percentile(&h->channel[0], percents[i][0]));
        CHECK(h && lg_histogram_mode(&h->channel[0]) == 110, "%s: mode %g", name,
              lg_histogram_mode(&h->channel[0]));
        lg_histogram_destroy(&h);
    }
}

// A place that is a whole number is that sample, with nothing of the next one.
static void test_whole_places(void)
{
    uint8_t values[101];
    for (int i = 0; i < 101; i++)
        values[i] = i <= 29 ? 0 : (uint8_t)(100 + i);
    lg_histogram *h = count_bytes(values, 101, 256, 0, 255);
    for (int p = 0; h && p <= 100; p++)
        CHECK(lg_histogram_percentile(&h->channel[0], p) == values[p], "percentile %d is %.17g", p,
              lg_histogram_percentile(&h->channel[0], p));
    CHECK(h && lg_histogram_percentile(&h->channel[0], 29.1) == 0.1 * 130,
          "percentile 29.1 is %.17g", lg_histogram_percentile(&h->channel[0], 29.1));
    lg_histogram_destroy(&h);
}

// +0 and -0 are one value.
static void test_zeros(void)
{
    static const uint16_t halves[] = {0x0000, 0x8000, 0x0000, 0x8000, 0x3c00,
                                      0x3c00, 0x3c00, 0xbc00, 0xbc00, 0xbc00};
    const lg_histogram_params params = WITH(lg_histogram_params, it.automatic_range = true);
    lg_histogram *h = count_halves(halves, 10, &params);
    CHECK(h && lg_histogram_mode(&h->channel[0]) == 0, "mode %g",
          lg_histogram_mode(&h->channel[0]));
    const double half = h ? lg_histogram_percentile(&h->channel[0], 50) : NAN;
    CHECK(half == 0 && !signbit(half), "median %g", half);
    // -1 three times, 0 four times, 1 three times
    const double low = h ? lg_histogram_percentile(&h->channel[0], 20) : NAN;
    const double high = h ? lg_histogram_percentile(&h->channel[0], 80) : NAN;
    CHECK(low == -1 && high == 1, "percentiles 20 and 80 are %g and %g", low, high);
    lg_histogram_destroy(&h);
}

// Colours whose components are finite have a lightness, however large they are.
static void test_lightness(void)
{
    static const struct {
        float rgb[3];
        int bin; // of 16 over 0 .. the largest float
    } colors[] = {{{3.4e38F, 3.4e38F, 3.4e38F}, 15}, {{FLT_MAX, 1, 0}, 8},
                  {{3e38F, 2e38F, 1.9e38F}, 11},     {{1e38F, 1e38F, 1.2e38F}, 5},
                  {{0x1p127F, 0x1p127F, 0}, 4},      {{2e38F, 0x1p127F, 2e38F}, 8}};
    lg_histogram_params params = WITH(lg_histogram_params, it.bins = 16, it.type_range = false,
                                      it.lo = 0, it.hi = (double)FLT_MAX);
    params.space = LG_SPACE_HSL;
    for (int c = 0; c < context_count; c++)
        for (size_t k = 0; k < LG_COUNT(colors); k++) {
            lg_image *image = new_image(contexts[c], 4);
            for (int i = 0; i < 4 * PIXELS; i++)
                *sample(image, i / 4, i % 4) = i % 4 == 3 ? 1 : colors[k].rgb[i % 4];
            lg_histogram *h = NULL;
            NEED(!lg_measure_histogram(contexts[c], image, &params, &h, &error), "%s",
                 error.message);
            const lg_histogram_channel *l = &h->channel[2];
            CHECK(l->counts[colors[k].bin] == PIXELS && l->inf_count == 0,
                  "%g %g %g on %s: %d in bin %d, %d infinite", (double)colors[k].rgb[0],
                  (double)colors[k].rgb[1], (double)colors[k].rgb[2], contexts[c]->info.name,
                  (int)l->counts[colors[k].bin], colors[k].bin, (int)l->inf_count);
            lg_histogram_destroy(&h);
            lg_image_destroy(&image);
        }
}

int main(void)
{
    context_count = device_open_both(contexts, "ranges");
    test_powers();
    test_explicit();
    test_one_value();
    test_integers();
    test_percentiles_inside();
    test_whole_places();
    test_zeros();
    test_lightness();
    device_close_both(contexts);
    return check_finish("histogram_ranges");
}

// One figure, one value: what a graph measures is what the command of that name prints, divided by
// full scale and rounded once to float, on the CPU and on Vulkan, for every type; of integers also
// what exact arithmetic of the test's own makes of the samples.
#include "check.h"
#include "content.h"
#include "device.h"
#include "device_filter.h"
#include "exact.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lg_context *contexts[2];
static int context_count;
static lg_error error;

typedef enum kind {
    BYTES,
    WORDS,
    TWELVE_BITS,
    PEAKS,
    HALVES,
    FLOATS,
    UNITS,
    FAINT,
    HUGE_ONES,
    KINDS
} kind;

static const struct {
    const char *name;
    lg_type type;
} kinds[KINDS] = {[BYTES] = {"u8", LG_U8},
                  [WORDS] = {"u16", LG_U16},
                  [TWELVE_BITS] = {"12 bits", LG_U16},
                  [PEAKS] = {"two peaks of u16", LG_U16},
                  [HALVES] = {"f16", LG_F16},
                  [FLOATS] = {"f32", LG_F32},
                  [UNITS] = {"f32 in 0..1", LG_F32},
                  [FAINT] = {"faint f32", LG_F32},
                  [HUGE_ONES] = {"huge f32", LG_F32}};

// ---- images -------------------------------------------------------------------------------------

static void *row_of(const lg_image *image, int row)
{
    return (char *)image->data + (size_t)(row / image->shape.height) * image->shape.layer_stride +
           (size_t)(row % image->shape.height) * image->shape.row_stride;
}

static double random_sample(kind k)
{
    const double v = random_unit() * random_unit();
    switch (k) {
    case BYTES:
        return floor(256 * v);
    case WORDS:
        return floor(65536 * v);
    case TWELVE_BITS:
        return floor(4096 * v);
    case PEAKS:
        return 30000 + 20 * random_below(2);
    case HALVES:
    case FLOATS:
        return 100 * v - 30;
    case FAINT:
        return v * 0x1p-103;
    case HUGE_ONES:
        return (2 * random_unit() - 1) * (double)FLT_MAX;
    default:
        return v;
    }
}

static void store(void *row, lg_type type, int i, double v)
{
    if (type == LG_U8)
        ((uint8_t *)row)[i] = (uint8_t)v;
    else if (type == LG_U16)
        ((uint16_t *)row)[i] = (uint16_t)v;
    else if (type == LG_F16)
        ((uint16_t *)row)[i] = lg_float_to_half((float)v);
    else
        ((float *)row)[i] = (float)v;
}

static double load(const lg_image *image, int row, int i)
{
    const void *from = row_of(image, row);
    switch (image->shape.type) {
    case LG_U8:
        return ((const uint8_t *)from)[i];
    case LG_U16:
        return ((const uint16_t *)from)[i];
    case LG_F16:
        return (double)lg_half_to_float(((const uint16_t *)from)[i]);
    default:
        return (double)((const float *)from)[i];
    }
}

static lg_image *random_image(lg_image_params shape, kind k)
{
    lg_image *image = NULL;
    NEED(!lg_image_create(contexts[0], &shape, &image, &error), "%s", error.message);
    for (int row = 0; row < shape.height * shape.layers; row++)
        for (int i = 0; i < shape.width * shape.channels; i++)
            store(row_of(image, row), shape.type, i, random_sample(k));
    return image;
}

// A channel, or with -1 the luma, as an image of its own; integer luma as the definitions have it.
static double luma_of(const lg_image *image, int row, int x)
{
    double c[3];
    for (int k = 0; k < 3; k++)
        c[k] = load(image, row, image->shape.channels * x + k);
    if (image->shape.type <= LG_U16)
        return floor((13926 * c[0] + 46885 * c[1] + 4725 * c[2] + 32768) / 65536);
    const float r = (float)c[0], g = (float)c[1], b = (float)c[2];
    const float y = (0.2125F * r + 0.7154F * g) + 0.0721F * b;
    return (double)fminf(fmaxf(y, fminf(r, fminf(g, b))), fmaxf(r, fmaxf(g, b)));
}

static lg_image *extract(const lg_image *image, int channel)
{
    lg_image_params shape = image->shape;
    lg_image *out = NULL;
    shape.channels = 1;
    shape.alpha = LG_ALPHA_NONE;
    shape.row_stride = shape.layer_stride = 0;
    shape.type = channel < 0 && shape.type == LG_F16 ? LG_F32 : shape.type;
    NEED(!lg_image_create(contexts[0], &shape, &out, &error), "%s", error.message);
    for (int row = 0; row < shape.height * shape.layers; row++)
        for (int x = 0; x < shape.width; x++)
            store(row_of(out, row), shape.type, x,
                  channel < 0 ? luma_of(image, row, x)
                              : load(image, row, image->shape.channels * x + channel));
    return out;
}

// ---- what the commands print --------------------------------------------------------------------

static double full_scale(lg_type type)
{
    return type == LG_U8 ? 255 : type == LG_U16 ? 65535 : 1;
}

static double of_stats(const lg_image *one, const char *figure)
{
    lg_moments m;
    const lg_moments_params params = {
        .size = sizeof(lg_moments_params), .select = lg_select_default(), .stack = true};
    CHECK(!lg_measure_moments(contexts[0], one, &params, &m, 1, &error), "%s", error.message);
    return strcmp(figure, "mean") == 0       ? m.mean
           : strcmp(figure, "min") == 0      ? m.min
           : strcmp(figure, "max") == 0      ? m.max
           : strcmp(figure, "range") == 0    ? m.max - m.min
           : strcmp(figure, "variance") == 0 ? m.variance
                                             : sqrt(m.variance);
}

// The range is that of all channels of the image.
static double of_histogram(const lg_image *image, int channel, double percent)
{
    lg_histogram *h = NULL;
    const lg_histogram_params params =
        WITH(lg_histogram_params, it.stack = true, it.bins = LG_MAX_BINS, it.automatic_range = true,
             it.space = channel < 0 ? LG_SPACE_LUMA : LG_SPACE_STORED, it.luma = LG_LUMA_GPUIMAGE);
    NEED(!lg_measure_histogram(contexts[0], image, &params, &h, &error), "%s", error.message);
    const double value =
        h ? lg_histogram_percentile(&h->channel[LG_MAX(channel, 0)], percent) : NAN;
    lg_histogram_destroy(&h);
    return value;
}

// Half a step above the level, or the next float.
static float of_threshold(const lg_image *one)
{
    lg_threshold t;
    const lg_threshold_params params = WITH(lg_threshold_params, it.stack = true);
    NEED(!lg_threshold_image(contexts[0], one, &params, &t, 1, NULL, &error), "%s", error.message);
    const double scale = full_scale(one->shape.type);
    return scale > 1 ? (float)((t.level[0] + 0.5) / scale)
                     : nextafterf((float)t.level[0], INFINITY);
}

static float printed(const lg_image *image, const lg_image *one, int channel, const char *figure)
{
    const double scale = full_scale(image->shape.type);
    if (strcmp(figure, "otsu") == 0)
        return of_threshold(one);
    if (strcmp(figure, "median") == 0)
        return (float)(of_histogram(image, channel, 50) / scale);
    if (figure[0] == 'p' && isdigit((unsigned char)figure[1]))
        return (float)(of_histogram(image, channel, atof(figure + 1)) / scale);
    const double unit = strcmp(figure, "variance") == 0 ? scale * scale : scale;
    const double x = of_stats(one, figure) / unit;
    return fabs(x) > (double)FLT_MAX ? copysignf(FLT_MAX, (float)x) : (float)x;
}

// ---- exact arithmetic ---------------------------------------------------------------------------

// Whether `got` is the float nearest to (a / b) or to its root.
static bool is_nearest(float got, exact a, exact b, bool root)
{
    exact side[2];
    const float next[2] = {nextafterf(got, -INFINITY), nextafterf(got, INFINITY)};
    for (int i = 0; i < 2; i++) {
        const double middle = ((double)got + (double)next[i]) / 2;
        const exact m = exact_double(middle, 200);
        side[i] = root ? exact_mul(exact_mul(m, m), b) : exact_mul(exact_shift(m, 200), b);
    }
    const exact x = exact_shift(a, 400);
    const exact above = exact_sub(x, side[0]), below = exact_sub(side[1], x);
    return (got == 0 || exact_sign(&above) >= 0) && exact_sign(&below) >= 0;
}

// From the samples themselves; figures that are no such quotient are right by themselves.
static bool is_exact(const lg_image *one, const char *figure, float got)
{
    uint64_t n = 0, sum = 0, squares = 0, low = UINT64_MAX, high = 0;
    for (int row = 0; row < one->shape.height * one->shape.layers; row++)
        for (int x = 0; x < one->shape.width; x++) {
            const uint64_t v = (uint64_t)load(one, row, x);
            n++;
            sum += v;
            squares += v * v;
            low = LG_MIN(low, v);
            high = LG_MAX(high, v);
        }
    const uint64_t scale = (uint64_t)full_scale(one->shape.type);
    const exact count = exact_u64(n), step = exact_u64(scale);
    if (strcmp(figure, "mean") == 0)
        return is_nearest(got, exact_u64(sum), exact_mul(count, step), false);
    if (strcmp(figure, "range") == 0)
        return is_nearest(got, exact_u64(high - low), step, false);
    const bool root = strcmp(figure, "stddev") == 0;
    if (!root && strcmp(figure, "variance") != 0)
        return true;
    const exact spread =
        exact_sub(exact_mul(count, exact_u64(squares)), exact_mul(exact_u64(sum), exact_u64(sum)));
    const exact unit = exact_mul(count, step);
    return is_nearest(got, spread, exact_mul(unit, unit), root);
}

// ---- figures ------------------------------------------------------------------------------------

static lg_image *copy_to(lg_context *context, const lg_image *image)
{
    lg_image *copy = NULL;
    NEED(!lg_image_create(context, &image->shape, &copy, &error), "%s", error.message);
    memcpy(copy->data, image->data, image->shape.layer_stride * (size_t)image->shape.layers);
    return copy;
}

static bool same(float a, float b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (a == 0 && b == 0);
}

// `channel`: -1 luma, -2 each its own.
static void check_figure(lg_image *image, lg_image *const ones[4], const char *prefix, int channel,
                         const char *figure, kind k)
{
    char text[80];
    snprintf(text, sizeof text, "solid_color:color=@%s%s", prefix, figure);
    const lg_image_params *s = &image->shape;
    const int measured = lg_image_measured_channels(s), numbers = measured >= 3 ? 4 : 1;
    float wanted[4] = {1, 1, 1, 1};
    for (int i = 0; i < numbers; i++) {
        const int of = channel == -2 ? i : channel;
        if (of < measured)
            wanted[i] =
                printed(image, ones[of < 0 && measured >= 3 ? 3 : LG_MAX(of, 0)], of, figure);
        const lg_image *one = ones[of < 0 && measured >= 3 ? 3 : LG_MAX(of, 0)];
        if (of < measured && of < 3 && s->type <= LG_U16)
            CHECK(is_exact(one, figure, wanted[i]), "%s of %s: %.9g is not the nearest", text,
                  kinds[k].name, (double)wanted[i]);
    }
    for (int c = 0; c < context_count; c++) {
        lg_image *in = copy_to(contexts[c], image);
        lg_image *out = device_run(contexts[c], text, in, NULL, LG_F32);
        const float *got = out ? (const float *)out->data : NULL;
        for (int i = 0; got && i < LG_MIN(numbers, out->shape.channels); i++)
            CHECK(same(got[i], wanted[i]),
                  "%s of %s, %d x %d x %d, %d channels on %s: %.9g, wanted %.9g", text,
                  kinds[k].name, s->width, s->height, s->layers, s->channels,
                  contexts[c]->info.name, (double)got[i], (double)wanted[i]);
        lg_image_destroy(&out);
        lg_image_destroy(&in);
    }
}

// `threshold:level=@otsu` is the binary image of `threshold`.
static void check_mask(lg_image *image, kind k)
{
    const lg_image_params *s = &image->shape;
    lg_threshold t;
    const lg_threshold_params params =
        WITH(lg_threshold_params, it.stack = true, it.luma = LG_LUMA_GPUIMAGE);
    // Integer luma is rounded, that of a filter is not.
    if (s->type <= LG_U16 && lg_image_measured_channels(s) >= 3)
        return;
    lg_image *binary = NULL;
    NEED(!lg_threshold_image(contexts[0], image, &params, &t, 1, &binary, &error), "%s",
         error.message);
    for (int c = 0; c < context_count; c++) {
        lg_image *in = copy_to(contexts[c], image);
        lg_image *out = device_run(contexts[c], "threshold:level=@otsu", in, NULL, LG_U8);
        int wrong = 0;
        for (int row = 0; out && row < s->height * s->layers; row++)
            for (int x = 0; x < s->width; x++)
                wrong += load(out, row, out->shape.channels * x) != load(binary, row, x);
        CHECK(out && wrong == 0, "%s, %d x %d, %d channels on %s: %d other pixels above %g",
              kinds[k].name, s->width, s->height, s->channels, contexts[c]->info.name, wrong,
              t.level[0]);
        lg_image_destroy(&out);
        lg_image_destroy(&in);
    }
    lg_image_destroy(&binary);
}

static void check_image(lg_image_params shape, kind k)
{
    static const char *const figures[] = {"mean",     "min",    "max",  "range", "stddev",
                                          "variance", "median", "otsu", "p0",    "p1",
                                          "p33.3",    "p99.9",  "p100"};
    lg_image *image = random_image(shape, k);
    const int measured = lg_image_measured_channels(&shape);
    lg_image *ones[4] = {NULL};
    for (int i = 0; i < measured && i < 4; i++)
        ones[i] = extract(image, i);
    if (measured == 3)
        ones[3] = extract(image, -1);
    const int first = (int)random_below(LG_COUNT(figures));
    for (int f = 0; f < test_extent(2, 6, LG_COUNT(figures)); f++) {
        const char *figure = figures[(size_t)(first + f) % LG_COUNT(figures)];
        check_figure(image, ones, "", -2, figure, k);
        check_figure(image, ones, "luma.", measured >= 3 ? -1 : 0, figure, k);
        if (measured >= 3)
            check_figure(image, ones, "g.", 1, figure, k);
    }
    check_mask(image, k);
    for (int i = 0; i < 4; i++)
        lg_image_destroy(&ones[i]);
    lg_image_destroy(&image);
}

static void test_figures(void)
{
    for (int k = 0; k < KINDS; k++) {
        const lg_type type = kinds[k].type;
        check_image(SHAPE(67, 31, 1, 1, type, LG_ALPHA_NONE), (kind)k);
        check_image(SHAPE(40, 9, 2, 4, type, LG_ALPHA_OPAQUE), (kind)k);
        check_image(SHAPE(1, 2 + (int)random_below(7), 1, 1, type, LG_ALPHA_NONE), (kind)k);
    }
}

// A percentile of another image than the filter's own, of one value, of one sample.
static void test_constant(void)
{
    static const double values[] = {0, 1, 3, 200, 255};
    for (int k = 0; k < KINDS; k++) {
        for (size_t i = 0; i < LG_COUNT(values); i++) {
            lg_image *image =
                random_image(SHAPE(5, 3, 1, 1, kinds[k].type, LG_ALPHA_NONE), (kind)k);
            const double unit = k == FAINT ? 0x1p-120 : k == HUGE_ONES ? 0x1p120 : 1;
            for (int row = 0; row < 3; row++)
                for (int x = 0; x < 5; x++)
                    store(row_of(image, row), kinds[k].type, x, values[i] * unit);
            check_mask(image, (kind)k);
            lg_image_destroy(&image);
        }
    }
}

int main(void)
{
    random_seed(83);
    context_count = device_open_both(contexts, "figures");
    test_figures();
    test_constant();
    device_close_both(contexts);
    return check_finish("figure_values");
}

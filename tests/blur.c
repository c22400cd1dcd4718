// Blurs: every CPU level and number of threads has the bits of the plain definition, and that agrees
// with double arithmetic written here once more.
#include "check.h"
#include "kernel.h"

#include "filter/native/box_blur/box_blur.h"
#include "filter/native/gaussian_blur/gaussian_blur.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- an oracle of its own -----------------------------------------------------------------------

// What the filter means: colours that may be averaged (times alpha), and alpha or -1.
static void meaning(const lg_image *in, int x, int y, int z, double c[4], bool *alpha)
{
    const lg_image_params *s = &in->shape;
    *alpha = s->channels > 1 && s->alpha >= LG_ALPHA_STRAIGHT;
    for (int k = 0; k < 4; k++)
        c[k] = k < s->channels ? sample_get(in, x, y, z, k) : 0;
    for (int k = 0; *alpha && s->alpha == LG_ALPHA_STRAIGHT && k < s->channels - 1; k++)
        c[k] *= c[s->channels - 1];
}

// Weights at[phase][-radius .. radius] of an axis, by the position of the pixel modulo `phases`.
typedef struct axis_weights {
    int radius, phases;
    double *at[8];
    double *down; // of columns, where they are others
} axis_weights;

// The separable filter at one pixel, as stored samples.
static void oracle(const lg_image *in, const axis_weights *w, int border, int x, int y, int z,
                   double out[4])
{
    const int radius = w->radius;
    const double *across = w->at[x % w->phases], *down = w->down ? w->down : w->at[y % w->phases];
    const lg_image_params *s = &in->shape;
    double sum[4] = {0};
    bool alpha = false;
    for (int j = -radius; j <= radius; j++)
        for (int i = -radius; i <= radius; i++) {
            const int column = (int)border_walk(x + i, s->width, border),
                      row = (int)border_walk(y + j, s->height, border);
            if (column < 0 || row < 0)
                continue;
            double c[4];
            meaning(in, column, row, z, c, &alpha);
            for (int k = 0; k < s->channels; k++)
                sum[k] += across[i] * down[j] * c[k];
        }
    for (int k = 0; k < s->channels; k++) {
        const double a = sum[s->channels - 1];
        const bool divided = alpha && s->alpha == LG_ALPHA_STRAIGHT && k < s->channels - 1;
        out[k] = divided ? (a > 1e-12 ? sum[k] / a : 0) : sum[k];
    }
    if (s->channels > 1 && s->alpha == LG_ALPHA_OPAQUE)
        out[s->channels - 1] = 1;
}

// Every sample of `got`, which is of the kind of `in`, against the oracle: integers within `steps`
// of the largest sample more than rounding, floats within `bound` times the largest magnitude.
static void check_oracle(const lg_image *in, const lg_image *got, const axis_weights *w, int border,
                         double bound, const char *what)
{
    const lg_image_params *s = &in->shape;
    const double unit = s->type == LG_U8 ? 255 : s->type == LG_U16 ? 65535 : 0;
    double worst = 0;
    for (int z = 0; z < s->layers; z++)
        for (int y = 0; y < s->height; y++)
            for (int x = 0; x < s->width; x++) {
                double e[4];
                oracle(in, w, border, x, y, z, e);
                for (int c = 0; c < s->channels; c++) {
                    const double v = sample_get(got, x, y, z, c);
                    const double d = unit ? fabs(v * unit - e[c] * unit) - 0.5 : fabs(v - e[c]);
                    worst = fmax(worst, d);
                }
            }
    CHECK(worst <= bound, "%s, radius %d, %s, %dx%d %s x%d alpha %d: off by %g, allowed %g", what,
          w->radius, border_names[border], s->width, s->height, lg_type_name(s->type), s->channels,
          s->alpha, worst, bound);
}

// ---- box ----------------------------------------------------------------------------------------

// Of an even number of pixels the middle is the right one of two.
static void fill_box(double *weights, int size)
{
    for (int i = -16; i <= 16; i++)
        weights[i] = 2 * i >= -size && 2 * i < size ? 1.0 / size : 0;
}

static void oracle_box(const lg_native_call *done, content kind)
{
    const lg_image_params *s = &done->in[0]->shape;
    const int radius = kernel_whole(done, "radius");
    const int width = kernel_whole(done, "width"), height = kernel_whole(done, "height");
    double across[2 * 16 + 1] = {0}, down[2 * 16 + 1] = {0};
    if (kind != CONTENT_UNIT || radius > 16 || width > 32 || height > 32 ||
        !kernel_keeps_kind(done))
        return;
    fill_box(across + 16, width ? width : 2 * radius + 1);
    fill_box(down + 16, height ? height : 2 * radius + 1);
    // u8 and u16 without alpha are exact; with it the float path has a few roundings.
    const bool exact = s->channels == 1 || s->alpha <= LG_ALPHA_OPAQUE;
    const double bound = s->type == LG_F16   ? 0x1p-11
                         : s->type == LG_F32 ? 0x1p-19
                         : exact             ? 1e-9
                                             : 0.02;
    const axis_weights w = {16, 1, {across + 16}, down + 16};
    check_oracle(done->in[0], done->out, &w, kernel_whole(done, "border"), bound, "box_blur");
}

static const kernel_case box = {.filter = "box_blur",
                                .params =
                                    "radius={0|1|2|5|15|40}:border={*}:width={0|0|0|1|2|8|31|90}:"
                                    "height={0|0|0|1|2|6|16|81}",
                                .reference = lg_box_blur_ref,
                                .oracle = oracle_box,
                                .shapes = kernel_or_between,
                                .bench = "radius=5"};

// How often each of `size` samples stands in the window around `at`.
static void count_window(int at, int window, int size, int border, int64_t *counts)
{
    memset(counts, 0, (size_t)size * sizeof *counts);
    for (int i = at - window / 2; i < at - window / 2 + window; i++) {
        const int k = (int)border_walk(i, size, border);
        if (k >= 0)
            counts[k]++;
    }
}

// Integer samples against sums of 64 bits; for windows that the plain definition is too slow for.
static void check_sums_on(lg_context *context, int width, int height, int channels, lg_type type,
                          int rows, int columns, int border)
{
    char params[80];
    lg_error error = {LG_OK, ""};
    const lg_image_params s = SHAPE(width, height, 1, channels, type, LG_ALPHA_NONE);
    const int largest = type == LG_U8 ? 255 : 65535;
    const int64_t n = (int64_t)rows * columns;
    snprintf(params, sizeof params, "width=%d:height=%d:border=%s", columns, rows,
             border_names[border]);
    lg_image *in = content_image(kernel_context(), s, CONTENT_UNIT), *out = NULL;
    int64_t *across = calloc((size_t)(width + height), sizeof *across), *down = across + width;
    NEED(!lg_image_create(kernel_context(), &s, &out, &error) && across, "%s", error.message);
    kernel_run(context, "box_blur", params, in, NULL, out);
    int wrong = 0;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int64_t sum[4] = {0};
            count_window(x, columns, width, border, across);
            count_window(y, rows, height, border, down);
            for (int j = 0; j < height; j++)
                for (int i = 0; i < width; i++)
                    for (int c = 0; down[j] && across[i] && c < channels; c++)
                        sum[c] += down[j] * across[i] *
                                  (int64_t)(sample_get(in, i, j, 0, c) * largest + 0.5);
            for (int c = 0; c < channels; c++)
                wrong += (int64_t)(sample_get(out, x, y, 0, c) * largest + 0.5) !=
                         (2 * sum[c] + n) / (2 * n);
        }
    CHECK(wrong == 0, "box_blur %s, %dx%d %s x%d: %d means are wrong", params, width, height,
          lg_type_name(type), channels, wrong);
    free(across);
    lg_image_destroy(&in);
    lg_image_destroy(&out);
}

static void check_sums(int width, int height, int channels, lg_type type, int rows, int columns,
                       int border)
{
    check_sums_on(kernel_best_context(), width, height, channels, type, rows, columns, border);
}

// Squares of 3 x 3 bytes: rows shorter than a vector, as long, and longer; few and many of them.
static void test_threes(void)
{
    static const int sizes[][2] = {{15, 2}, {16, 1}, {33, 3}, {64, 4}, {65, 17}, {131, 34}};
    lg_context *const *contexts;
    const int count = kernel_contexts(&contexts);
    for (int i = 0; i < (int)LG_COUNT(sizes) * 4 * count; i++) {
        const int *size = sizes[i % (int)LG_COUNT(sizes)], border = i / (int)LG_COUNT(sizes) % 4;
        lg_context *context = contexts[i / (int)LG_COUNT(sizes) / 4];
        check_sums_on(context, size[0], size[1], 1, LG_U8, 3, 3, border);
        check_sums_on(context, size[0] / 2, size[1], 4, LG_U8, 3, 3, border);
    }
    kernel_try(&box, "radius=1", SHAPE(70, 40, 1, 4, LG_U8, LG_ALPHA_OPAQUE), CONTENT_UNIT);
}

static void test_box_sums(void)
{
    random_seed(22);
    // Radii on either side of what bytes have kernels for; rows of several strips.
    for (int border = 0; border < (test_is_short() ? 1 : 4); border++) {
        check_sums(2100, 2, 1, LG_U8, 127, 127, border);
        check_sums(2100, 2, 4, LG_U8, 125, 125, border);
        check_sums(1100, 3, 1, LG_U8, 129, 129, border);
        check_sums(300, 5, 2, LG_U16, 401, 401, border);
    }
    for (int border = 0; border < 4; border++) {
        check_sums(7, 5, 4, LG_U8, 8193, 8193, border);
        check_sums(1, 1, 1, LG_U16, 8193, 8193, border);
        check_sums(9, 6, 4, LG_U16, 6001, 6001, border);
        check_sums(5, 300, 1, LG_U8, 127, 127, border);
        // Halves are whole numbers of samples: they round up.
        check_sums(61, 40, 1, LG_U8, 1, 2, border);
        check_sums(61, 40, 4, LG_U8, 6, 1, border);
        check_sums(300, 9, 1, LG_U16, 10, 14, border);
        check_sums(7, 5, 1, LG_U8, 2, 8192, border);
        check_sums(5, 9, 4, LG_U16, 8192, 8190, border);
    }
}

// Kernels for bytes round the product of a sum and a float; sums on either side of every half.
static void test_rounding(void)
{
    int wrong = 0;
    for (int n = 1; n <= (2 * LG_BOX_BYTES_RADIUS + 1) * (2 * LG_BOX_BYTES_RADIUS + 1); n += 2)
        for (int k = 0; k < 255; k++) {
            const int below = k * n + (n - 1) / 2;
            const float scale = (float)(1.0 / n);
            wrong +=
                lrintf((float)below * scale) != k || lrintf((float)(below + 1) * scale) != k + 1;
        }
    CHECK(wrong == 0, "%d means of bytes would be rounded wrongly", wrong);
}

// Bands of rows are cut by threads: a tall image in several of them.
static void test_tall(void)
{
    kernel_try(&box, "radius=3", SHAPE(70, 1200, 1, 4, LG_U8, LG_ALPHA_OPAQUE), CONTENT_UNIT);
}

static void check_constant(const char *name, const char *params)
{
    for (int type = 0; type < LG_TYPES; type++)
        for (int alpha = 0; alpha < 4; alpha++) {
            const lg_image_params s = SHAPE(45, 23, 1, 4, type, alpha);
            lg_image *in = content_image(kernel_context(), s, CONTENT_CONSTANT), *out = NULL;
            lg_error error = {LG_OK, ""};
            for (int i = 0; in && i < 45 * 23; i++)
                sample_put(in, i % 45, i / 45, 0, 3, 1);
            NEED(!lg_image_create(kernel_context(), &s, &out, &error), "%s", error.message);
            kernel_run(kernel_best_context(), name, params, in, NULL, out);
            double worst = 0;
            for (int i = 0; i < 45 * 23 * 4; i++)
                worst = fmax(worst, fabs(sample_get(in, i / 4 % 45, i / 180, 0, i % 4) -
                                         sample_get(out, i / 4 % 45, i / 180, 0, i % 4)));
            CHECK(worst <= (type == LG_F32 ? 0x1p-21 : 0),
                  "%s alpha %d: a constant image is off by %g", lg_type_name((lg_type)type), alpha,
                  worst);
            lg_image_destroy(&in);
            lg_image_destroy(&out);
        }
}

// ---- Gaussian -----------------------------------------------------------------------------------

#define KERNEL 512

// Weights w[-KERNEL .. KERNEL] of a row.
typedef struct weights {
    double of[2 * KERNEL + 1];
} weights;

// [1 4 6 4 1] of what stands `apart` from each other, times `scale`.
static void spread(weights *w, int apart, double scale)
{
    static const double binomial[] = {1, 4, 6, 4, 1};
    weights from = *w;
    memset(w, 0, sizeof *w);
    for (int i = 0; i <= 2 * KERNEL; i++)
        for (int k = 0; k < 5; k++) {
            const int to = i + (k - 2) * apart;
            if (to >= 0 && to <= 2 * KERNEL)
                w->of[to] += scale * binomial[k] * from.of[i];
        }
}

// The weights of one axis as docs/definitions.md has them, in double, around the pixel at position `phase`;
// returns the number of phases. Wide ones come from an image that was halved, weighed and doubled.
static int gaussian_kernel(double sigma, int phase, int *radius, weights *out)
{
    int apart = 1;
    double rest = sigma, sum = 0;
    for (int next = 2; sigma >= 4.9; next *= 2) {
        const double left = sigma * sigma - 2.0 * (next * next - 1) / 3;
        if (left <= 0 || sqrt(left) / next < 1.35)
            break;
        apart = next;
        rest = sqrt(left) / next;
    }
    const int taps = (int)ceil(3 * rest);
    *radius = taps * apart + 4 * (apart - 1);
    weights large = {{0}}, small = {{0}};
    large.of[KERNEL + phase] = 1; // which samples of the smallest image the pixel takes
    for (int d = 1; d < apart; d *= 2)
        spread(&large, d, 1.0 / 8);
    for (int i = -taps; i <= taps; i++)
        sum += rest > 0 ? exp(-0.5 * i * i / rest / rest) : i == 0;
    for (int i = 0; i <= 2 * KERNEL; i++)
        for (int t = -taps; (i - KERNEL) % apart == 0 && t <= taps; t++)
            if (large.of[i] > 0)
                small.of[i + t * apart] +=
                    large.of[i] * (rest > 0 ? exp(-0.5 * t * t / rest / rest) : 1) / sum;
    for (int d = 1; d < apart; d *= 2)
        spread(&small, d, 1.0 / 16);
    memset(out, 0, sizeof *out);
    memcpy(out->of, small.of + phase, (2 * KERNEL + 1 - (size_t)phase) * sizeof(double));
    return apart;
}

// Every weight of a window up to 3 sigma, so many pixels apart; returns the last place that has one.
static int spaced_kernel(double sigma, int spacing, weights *w)
{
    const int half = (int)ceil(3 * sigma);
    double sum = 0;
    memset(w, 0, sizeof *w);
    for (int i = -half; i <= half; i++)
        sum += w->of[KERNEL + i * spacing] = half ? exp(-0.5 * i * i / sigma / sigma) : 1;
    for (int i = -half; i <= half; i++)
        w->of[KERNEL + i * spacing] /= sum;
    return half * spacing;
}

static void oracle_gaussian(const lg_native_call *done, content kind)
{
    const lg_image_params *s = &done->in[0]->shape;
    if (kind != CONTENT_UNIT || !kernel_keeps_kind(done))
        return;
    static weights of[8];
    axis_weights w = {.phases = 1};
    const double sigma = (double)lg_native_value(done->filter, done->values, "sigma");
    const int spacing = kernel_whole(done, "texel_spacing_multiplier");
    if (spacing > 1) {
        w.radius = spaced_kernel(sigma, spacing, &of[0]);
        w.at[0] = of[0].of + KERNEL;
    }
    for (int phase = 0; spacing == 1 && phase < w.phases; phase++) {
        w.phases = gaussian_kernel(sigma, phase, &w.radius, &of[phase]);
        w.at[phase] = of[phase].of + KERNEL;
    }
    // Whole numbers round to 1/64 a few times; floats once an operation.
    const bool whole = s->type == LG_U8 && (s->channels == 1 || s->alpha <= LG_ALPHA_OPAQUE);
    const double bound = s->type == LG_F16   ? 0x1p-11
                         : s->type == LG_F32 ? 0x1p-19
                         : whole             ? 0.06
                                             : 0.05;
    check_oracle(done->in[0], done->out, &w, kernel_whole(done, "border"), bound, "gaussian_blur");
}

// Windows of the plain definition cost their area.
static const kernel_case gaussian = {
    .filter = "gaussian_blur",
    .params = "sigma={0|0.3|0.7|1.2|2|3.4}:border={*}:texel_spacing_multiplier={1|1|1|2}",
    .params_small = "sigma={0|0.3|0.7|1.2|2|3.4|6.1|10|21}:border={*}:"
                    "texel_spacing_multiplier={1|1|1|1|2|3}",
    .reference = lg_gaussian_blur_ref,
    .oracle = oracle_gaussian,
    .shapes = kernel_or_between,
    .bench = "sigma=2"};

// One bright column: what stands beside it is the kernel of one axis. With all its steps it is within
// 0.2 % of the endless Gaussian, which it is compared with; every float is off by little.
static void test_impulse(void)
{
    static const struct {
        const char *params;
        double sigma, allowed; // of half the sum of differences
    } cases[] = {{"sigma=1.5", 1.5, 0.0025},
                 {"sigma=4", 4, 0.002},
                 {"sigma=5", 5, 0.002},
                 {"sigma=10", 10, 0.002},
                 {"sigma=30", 30, 0.002},
                 {"sigma=100", 100, 0.002},
                 {"sigma=10:rule=exact", 10, 0.003},
                 {"sigma=10:radius=50", 10, 1e-5},
                 {"sigma=10:texel_spacing_multiplier=1", 10, 0.002}};
    const lg_image_params s = SHAPE(1001, 3, 1, 1, LG_F32, LG_ALPHA_NONE);
    for (size_t k = 0; k < LG_COUNT(cases); k++) {
        lg_image *in = content_image(kernel_context(), s, CONTENT_ZEROS), *out = NULL;
        lg_error error = {LG_OK, ""};
        NEED(in && !lg_image_create(kernel_context(), &s, &out, &error), "%s", error.message);
        double sum = 0, off = 0, total = 0;
        for (int y = 0; y < 3; y++)
            sample_put(in, 500, y, 0, 0, 1);
        kernel_run(kernel_best_context(), "gaussian_blur", cases[k].params, in, NULL, out);
        for (int i = -2000; i <= 2000; i++)
            sum += exp(-0.5 * i * i / cases[k].sigma / cases[k].sigma);
        for (int i = -2000; i <= 2000; i++) {
            const double v = i < -500 || i > 500 ? 0 : sample_get(out, 500 + i, 1, 0, 0);
            off += fabs(v - exp(-0.5 * i * i / cases[k].sigma / cases[k].sigma) / sum) / 2;
            total += v;
        }
        CHECK(off <= cases[k].allowed && fabs(total - 1) < 2e-6,
              "%s: %g of the weight is elsewhere, allowed %g; the sum is %.8f", cases[k].params,
              off, cases[k].allowed, total);
        lg_image_destroy(&in);
        lg_image_destroy(&out);
    }
}

// Windows by the tables of GPUImage's rule; and rules and radii together.
static void test_rules(void)
{
    static const int radius[][2] = {{1, 4},   {2, 6},   {3, 8},   {4, 10},  {5, 12},  {6, 14},
                                    {7, 16},  {8, 18},  {10, 22}, {12, 24}, {16, 30}, {20, 36},
                                    {24, 40}, {30, 46}, {36, 52}, {48, 58}};
    lg_gaussian g;
    lg_error error = {LG_OK, ""};
    for (size_t k = 0; k < LG_COUNT(radius); k++)
        for (int part = 0; part < 2; part++) {
            const float sigma = (float)radius[k][0] + (part ? 0.4f : -0.5f);
            CHECK(!lg_gaussian_create(sigma, 0, LG_GAUSSIAN_GPUIMAGE, &g, &error) &&
                      g.radius == radius[k][1] && g.levels == 0,
                  "GPUImage's sigma %g: radius %d, not %d", (double)sigma, g.radius, radius[k][1]);
            lg_gaussian_destroy(&g);
        }
    CHECK(!lg_gaussian_create(0.4f, 0, LG_GAUSSIAN_GPUIMAGE, &g, &error) && g.radius == 0,
          "GPUImage's sigma 0.4 does not copy");
    lg_gaussian_destroy(&g);
    CHECK(lg_gaussian_create(103, 0, LG_GAUSSIAN_GPUIMAGE, &g, &error) == LG_ERROR_ARGUMENT,
          "GPUImage's sigma 103 is taken");
    for (int k = 0; k <= 256; k++) {
        CHECK(!lg_gaussian_create((float)k, 0, LG_GAUSSIAN_AUTO, &g, &error) && g.radius >= 3 * k &&
                  g.radius <= 6 * k + 8 && g.taps <= 15,
              "sigma %d: radius %d, %d taps", k, g.radius, g.taps);
        int32_t sum = g.whole[0];
        for (int i = 1; i <= g.taps; i++)
            sum += 2 * g.whole[i];
        CHECK(sum == 1 << g.shift && g.whole[0] < 32768, "sigma %d: weights sum to %d", k, sum);
        lg_gaussian_destroy(&g);
    }
}

static void test_more(void)
{
    test_box_sums();
    test_threes();
    test_rounding();
    test_tall();
    check_constant("box_blur", "radius=9:border=mirror");
    check_constant("gaussian_blur", "sigma=3.3");
    check_constant("gaussian_blur", "sigma=23");
    test_impulse();
    test_rules();
}

int main(void)
{
    const kernel_case cases[] = {box, gaussian};
    return kernel_main("blur", cases, LG_COUNT(cases), test_more);
}

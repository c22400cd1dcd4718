// Blurs: every CPU level and number of threads has the bits of the plain definition, and that agrees
// with double arithmetic written here once more.
#include "check.h"
#include "native.h"

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
        c[k] = k < s->channels ? native_sample(in, x, y, z, k) : 0;
    for (int k = 0; *alpha && s->alpha == LG_ALPHA_STRAIGHT && k < s->channels - 1; k++)
        c[k] *= c[s->channels - 1];
}

// The separable filter with weights w[-radius .. radius] at one pixel, as stored samples.
static void oracle(const lg_image *in, const double *w, int radius, int border, int x, int y, int z,
                   double out[4])
{
    const lg_image_params *s = &in->shape;
    double sum[4] = {0};
    bool alpha = false;
    for (int j = -radius; j <= radius; j++)
        for (int i = -radius; i <= radius; i++) {
            const int column = native_walk(x + i, s->width, border),
                      row = native_walk(y + j, s->height, border);
            if (column < 0 || row < 0)
                continue;
            double c[4];
            meaning(in, column, row, z, c, &alpha);
            for (int k = 0; k < s->channels; k++)
                sum[k] += w[i] * w[j] * c[k];
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
static void check_oracle(const lg_image *in, const lg_image *got, const double *w, int radius,
                         int border, double bound, const char *what)
{
    const lg_image_params *s = &in->shape;
    const double unit = s->type == LG_U8 ? 255 : s->type == LG_U16 ? 65535 : 0;
    double worst = 0;
    for (int z = 0; z < s->layers; z++)
        for (int y = 0; y < s->height; y++)
            for (int x = 0; x < s->width; x++) {
                double e[4];
                oracle(in, w, radius, border, x, y, z, e);
                for (int c = 0; c < s->channels; c++) {
                    const double v = native_sample(got, x, y, z, c);
                    const double d = unit ? fabs(v * unit - e[c] * unit) - 0.5 : fabs(v - e[c]);
                    worst = fmax(worst, d);
                }
            }
    CHECK(worst <= bound, "%s, radius %d, %s, %dx%d %s x%d alpha %d: off by %g, allowed %g", what,
          radius, native_borders[border], s->width, s->height, lg_type_name(s->type), s->channels,
          s->alpha, worst, bound);
}

// ---- box ----------------------------------------------------------------------------------------

static const struct {
    int width, height;
} sizes[] = {{1, 1}, {1, 9}, {17, 1}, {13, 11}, {37, 7}, {8, 64}, {67, 31}};

// An image of this content; no colour without alpha where colours are multiplied by it.
static void check_box(lg_image_params shape, int radius, int border, content kind, bool inner)
{
    char params[80];
    double weight[2 * 128 + 1];
    snprintf(params, sizeof params, "radius=%d:border=%s", radius, native_borders[border]);
    lg_image *in = native_image(shape, kind);
    lg_image *ref = in ? native_compare("box_blur", params, lg_box_blur_ref, in, shape) : NULL;
    for (int i = 0; i <= 2 * radius && radius <= 128; i++)
        weight[i] = 1.0 / (2 * radius + 1);
    // u8 and u16 without alpha are exact; with it the float path has a few roundings.
    const bool exact = shape.channels == 1 || shape.alpha <= LG_ALPHA_OPAQUE;
    const double bound = shape.type == LG_F16   ? 0x1p-11
                         : shape.type == LG_F32 ? 0x1p-19
                         : exact                ? 1e-9
                                                : 0.02;
    if (ref && kind == CONTENT_UNIT && radius <= 16)
        check_oracle(in, ref, weight + radius, radius, border, bound, "box_blur");
    lg_image_destroy(&ref);
    if (in && inner)
        ref = native_compare("box_blur", params, lg_box_blur_ref, in, native_inner(shape));
    lg_image_destroy(&ref);
    lg_image_destroy(&in);
}

static void test_box(void)
{
    static const int radii[] = {0, 1, 2, 5, 15, 40};
    random_seed(21);
    for (size_t k = 0; k < LG_COUNT(sizes); k++)
        for (int type = 0; type < LG_TYPES; type++)
            for (int channels = 1; channels <= 4; channels *= 2)
                for (int alpha = 0; alpha < (channels == 1 ? 1 : 4); alpha++) {
                    const int turn = (int)random_below(1000);
                    const int radius = radii[turn % (int)LG_COUNT(radii)];
                    if (test_is_short() && turn % 4)
                        continue;
                    check_box(
                        SHAPE(sizes[k].width, sizes[k].height, 1 + turn % 2, channels, type, alpha),
                        radius, turn / 7 % 4, turn % 5 ? CONTENT_UNIT : CONTENT_SPECIAL,
                        turn % 3 == 0);
                }
}

// How often each of `size` samples stands in the window around `at`.
static void count_window(int at, int radius, int size, int border, int64_t *counts)
{
    memset(counts, 0, (size_t)size * sizeof *counts);
    for (int i = at - radius; i <= at + radius; i++) {
        const int k = native_walk(i, size, border);
        if (k >= 0)
            counts[k]++;
    }
}

// Integer samples against sums of 64 bits; for windows that the plain definition is too slow for.
static void check_sums(int width, int height, int channels, lg_type type, int radius, int border)
{
    char params[80];
    lg_error error = {LG_OK, ""};
    const lg_image_params s = SHAPE(width, height, 1, channels, type, LG_ALPHA_NONE);
    const int largest = type == LG_U8 ? 255 : 65535;
    const int64_t n = (int64_t)(2 * radius + 1) * (2 * radius + 1);
    snprintf(params, sizeof params, "radius=%d:border=%s", radius, native_borders[border]);
    lg_image *in = content_image(native_context(), s, CONTENT_UNIT), *out = NULL;
    int64_t *across = calloc((size_t)(width + height), sizeof *across), *down = across + width;
    NEED(!lg_image_create(native_context(), &s, &out, &error) && across, "%s", error.message);
    native_run(native_last_context(), "box_blur", params, in, out);
    int wrong = 0;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int64_t sum[4] = {0};
            count_window(x, radius, width, border, across);
            count_window(y, radius, height, border, down);
            for (int j = 0; j < height; j++)
                for (int i = 0; i < width; i++)
                    for (int c = 0; down[j] && across[i] && c < channels; c++)
                        sum[c] += down[j] * across[i] *
                                  (int64_t)(native_sample(in, i, j, 0, c) * largest + 0.5);
            for (int c = 0; c < channels; c++)
                wrong += (int64_t)(native_sample(out, x, y, 0, c) * largest + 0.5) !=
                         (2 * sum[c] + n) / (2 * n);
        }
    CHECK(wrong == 0, "box_blur %s, %dx%d %s x%d: %d means are wrong", params, width, height,
          lg_type_name(type), channels, wrong);
    free(across);
    lg_image_destroy(&in);
    lg_image_destroy(&out);
}

static void test_box_sums(void)
{
    random_seed(22);
    // Radii on either side of what bytes have kernels for; rows of several strips.
    for (int border = 0; border < (test_is_short() ? 1 : 4); border++) {
        check_sums(2100, 2, 1, LG_U8, 63, border);
        check_sums(2100, 2, 4, LG_U8, 62, border);
        check_sums(1100, 3, 1, LG_U8, 64, border);
        check_sums(300, 5, 2, LG_U16, 200, border);
    }
    for (int border = 0; border < 4; border++) {
        check_sums(7, 5, 4, LG_U8, 4096, border);
        check_sums(1, 1, 1, LG_U16, 4096, border);
        check_sums(9, 6, 4, LG_U16, 3000, border);
        check_sums(5, 300, 1, LG_U8, 63, border);
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
    const lg_image_params s = SHAPE(70, 1200, 1, 4, LG_U8, LG_ALPHA_OPAQUE);
    lg_image *in = content_image(native_context(), s, CONTENT_UNIT);
    lg_image *out = native_compare("box_blur", "radius=3", lg_box_blur_ref, in, s);
    lg_image_destroy(&out);
    lg_image_destroy(&in);
}

static void check_constant(const char *name, const char *params)
{
    for (int type = 0; type < LG_TYPES; type++)
        for (int alpha = 0; alpha < 4; alpha++) {
            const lg_image_params s = SHAPE(45, 23, 1, 4, type, alpha);
            lg_image *in = content_image(native_context(), s, CONTENT_CONSTANT), *out = NULL;
            lg_error error = {LG_OK, ""};
            for (int i = 0; in && i < 45 * 23; i++)
                native_put(in, i % 45, i / 45, 0, 3, 1);
            NEED(!lg_image_create(native_context(), &s, &out, &error), "%s", error.message);
            native_run(native_last_context(), name, params, in, out);
            double worst = 0;
            for (int i = 0; i < 45 * 23 * 4; i++)
                worst = fmax(worst, fabs(native_sample(in, i / 4 % 45, i / 180, 0, i % 4) -
                                         native_sample(out, i / 4 % 45, i / 180, 0, i % 4)));
            CHECK(worst <= (type == LG_F32 ? 0x1p-21 : 0),
                  "%s alpha %d: a constant image is off by %g", lg_type_name((lg_type)type), alpha,
                  worst);
            lg_image_destroy(&in);
            lg_image_destroy(&out);
        }
}

// ---- Gaussian -----------------------------------------------------------------------------------

#define KERNEL 512

// The weights of one axis as docs/definitions.md has them, in double, centred in w[KERNEL]; returns
// the radius. Wide ones are 1/4 1/2 1/4 twice at distances 1, 2, 4 ... and a sparse Gaussian.
static int gaussian_kernel(double sigma, bool steps, double *w)
{
    double from[2 * KERNEL + 1], sum = 0, rest = sigma;
    int apart = 1, radius = 0;
    while (steps) {
        const double wider = sigma * sigma - (4.0 * apart * apart - 1) / 3;
        if (wider <= 0 || sqrt(wider) / (2 * apart) < 2.4)
            break;
        apart *= 2;
        rest = sqrt(wider) / apart;
    }
    const int taps = (int)ceil(3 * rest);
    memset(w, 0, (2 * KERNEL + 1) * sizeof *w);
    for (int i = -taps; i <= taps; i++)
        sum += w[KERNEL + i * apart] = rest > 0 ? exp(-0.5 * i * i / rest / rest) : 1;
    for (int i = 0; i <= 2 * KERNEL; i++)
        w[i] /= sum;
    radius = taps * apart;
    for (int d = 1; d < apart; d *= 2)
        for (int twice = 0; twice < 2; twice++) {
            memcpy(from, w, sizeof from);
            radius += d;
            for (int i = d; i <= 2 * KERNEL - d; i++)
                w[i] = (from[i - d] + 2 * from[i] + from[i + d]) / 4;
        }
    return radius;
}

static void check_gaussian(lg_image_params shape, double sigma, int border, content kind,
                           bool inner)
{
    char params[80];
    double weight[2 * KERNEL + 1];
    const int radius = gaussian_kernel(sigma, true, weight);
    snprintf(params, sizeof params, "sigma=%g:border=%s", sigma, native_borders[border]);
    lg_image *in = native_image(shape, kind);
    lg_image *ref =
        in ? native_compare("gaussian_blur", params, lg_gaussian_blur_ref, in, shape) : NULL;
    // Whole numbers round to 1/64 a few times; floats once an operation.
    const bool whole =
        shape.type == LG_U8 && (shape.channels == 1 || shape.alpha <= LG_ALPHA_OPAQUE);
    const double bound = shape.type == LG_F16   ? 0x1p-11
                         : shape.type == LG_F32 ? 0x1p-19
                         : whole                ? 0.06
                                                : 0.05;
    if (ref && kind == CONTENT_UNIT)
        check_oracle(in, ref, weight + KERNEL, radius, border, bound, "gaussian_blur");
    lg_image_destroy(&ref);
    if (in && inner)
        ref =
            native_compare("gaussian_blur", params, lg_gaussian_blur_ref, in, native_inner(shape));
    lg_image_destroy(&ref);
    lg_image_destroy(&in);
}

static void test_gaussian(void)
{
    static const double sigmas[] = {0, 0.3, 0.7, 1.2, 2, 3.4, 6.1, 10, 21};
    random_seed(31);
    for (size_t k = 0; k < LG_COUNT(sizes); k++)
        for (int type = 0; type < LG_TYPES; type++)
            for (int channels = 1; channels <= 4; channels *= 2)
                for (int alpha = 0; alpha < (channels == 1 ? 1 : 4); alpha++) {
                    const int turn = (int)random_below(1000);
                    if (test_is_short() && turn % 4)
                        continue;
                    // Windows of the plain definition cost their area.
                    const int limit = sizes[k].width * sizes[k].height > 200 ? 6 : 9;
                    check_gaussian(
                        SHAPE(sizes[k].width, sizes[k].height, 1 + turn % 2, channels, type, alpha),
                        sigmas[turn % limit], turn / 7 % 4,
                        turn % 5 ? CONTENT_UNIT : CONTENT_SPECIAL, turn % 3 == 0);
                }
}

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
                 {"sigma=10:radius=50", 10, 1e-5}};
    const lg_image_params s = SHAPE(1001, 3, 1, 1, LG_F32, LG_ALPHA_NONE);
    for (size_t k = 0; k < LG_COUNT(cases); k++) {
        lg_image *in = content_image(native_context(), s, CONTENT_ZEROS), *out = NULL;
        lg_error error = {LG_OK, ""};
        NEED(in && !lg_image_create(native_context(), &s, &out, &error), "%s", error.message);
        double sum = 0, off = 0, total = 0;
        for (int y = 0; y < 3; y++)
            native_put(in, 500, y, 0, 0, 1);
        native_run(native_last_context(), "gaussian_blur", cases[k].params, in, out);
        for (int i = -2000; i <= 2000; i++)
            sum += exp(-0.5 * i * i / cases[k].sigma / cases[k].sigma);
        for (int i = -2000; i <= 2000; i++) {
            const double v = i < -500 || i > 500 ? 0 : native_sample(out, 500 + i, 1, 0, 0);
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
                  g.radius <= 4 * k + 8 && g.taps <= 15,
              "sigma %d: radius %d, %d taps", k, g.radius, g.taps);
        int32_t sum = g.whole[0];
        for (int i = 1; i <= g.taps; i++)
            sum += 2 * g.whole[i];
        CHECK(sum == 1 << g.shift && g.whole[0] < 32768, "sigma %d: weights sum to %d", k, sum);
        lg_gaussian_destroy(&g);
    }
}

int main(void)
{
    test_box();
    test_box_sums();
    test_rounding();
    test_tall();
    check_constant("box_blur", "radius=9:border=mirror");
    check_constant("gaussian_blur", "sigma=3.3");
    check_constant("gaussian_blur", "sigma=23");
    test_gaussian();
    test_impulse();
    test_rules();
    native_close();
    return check_finish("blur");
}

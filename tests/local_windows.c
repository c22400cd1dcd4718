// Local means, deviations and thresholds: against their definitions by brute force, for every type and
// kind of image, and the same bits on every level with any number of threads.
#include "check.h"
#include "kernel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int decided, undecided; // thresholds: looks at pixels that lie clear of theirs, and others

enum { MEAN, DEVIATION, NIBLACK, SAUVOLA };
static const char *const names[] = {"local_mean", "local_stddev", "niblack", "sauvola"};

// ---- the definition -------------------------------------------------------------------------------

typedef struct pixel {
    double v[4];
} pixel;

// Straight colour.
static pixel pixel_at(const lg_image *image, int x, int y, int z)
{
    const lg_image_params *s = &image->shape;
    pixel p = {{0, 0, 0, 1}};
    for (int c = 0; c < s->channels; c++)
        p.v[c] = (double)sample_get(image, x, y, z, c);
    const bool pair = s->channels == 2 && s->alpha != LG_ALPHA_NONE;
    if (pair)
        p.v[3] = p.v[1];
    if (s->channels == 1 || pair)
        p.v[1] = p.v[2] = p.v[0];
    if (s->channels != 1 && s->alpha == LG_ALPHA_OPAQUE)
        p.v[3] = 1;
    for (int c = 0; c < 3 && s->channels != 1 && s->alpha == LG_ALPHA_PREMULTIPLIED; c++)
        p.v[c] = p.v[3] > 1e-12 ? p.v[c] / p.v[3] : 0;
    return p;
}

// Colour times alpha, as it is stored in integers: there may be some where alpha is 0.
static double weighted_at(const lg_image *image, const pixel *p, int x, int y, int z, int c)
{
    const lg_image_params *s = &image->shape;
    if (s->alpha == LG_ALPHA_PREMULTIPLIED && (s->type == LG_U8 || s->type == LG_U16))
        return (double)sample_get(image, x, y, z, s->channels == 2 ? 0 : c);
    return p->v[c] * p->v[3];
}

static double luma_of(const lg_image *image, const pixel *p)
{
    const lg_image_params *s = &image->shape;
    const double level = 0.2125 * p->v[0] + 0.7154 * p->v[1] + 0.0721 * p->v[2];
    if (s->type != LG_U8 || (s->alpha == LG_ALPHA_PREMULTIPLIED && s->channels > 1))
        return level;
    // Whole levels, with weights in 65536ths.
    long sum = 32768;
    static const long weights[] = {13926, 46885, 4725};
    for (int c = 0; c < 3; c++)
        sum += weights[c] * lround(p->v[c] * 255);
    return (double)(sum >> 16) / 255;
}

typedef struct window {
    pixel mean, deviation;
    double luma, luma_deviation;
} window;

static window window_at(const lg_image *image, int x, int y, int z, int rx, int ry)
{
    const lg_image_params *s = &image->shape;
    const bool alpha =
        s->channels > 1 && (s->alpha == LG_ALPHA_STRAIGHT || s->alpha == LG_ALPHA_PREMULTIPLIED);
    double sums[6] = {0}, plain[5] = {0}, squares[5] = {0}, n = 0;
    const int left = LG_MAX(x - rx, 0), right = LG_MIN(x + rx, s->width - 1);
    const int top = LG_MAX(y - ry, 0), bottom = LG_MIN(y + ry, s->height - 1);
    window w = {.luma = 0};
    for (int turn = 0; turn < 2; turn++)
        for (int j = top; j <= bottom; j++)
            for (int i = left; i <= right; i++) {
                const pixel p = pixel_at(image, i, j, z);
                const double values[5] = {p.v[0], p.v[1], p.v[2], p.v[3], luma_of(image, &p)};
                n += !turn;
                for (int c = 0; c < 5; c++)
                    if (turn)
                        squares[c] += pow(values[c] - plain[c] / n, 2);
                    else
                        plain[c] += values[c];
                for (int c = 0; c < 4 && !turn; c++)
                    sums[c] += alpha && c < 3 ? weighted_at(image, &p, i, j, z, c) : p.v[c];
            }
    for (int c = 0; c < 4; c++) {
        w.mean.v[c] = alpha && c < 3 ? (sums[3] > 1e-9 ? sums[c] / sums[3] : 0) : sums[c] / n;
        w.deviation.v[c] = alpha && c == 3 ? 1 : sqrt(squares[c] / n);
    }
    w.luma = plain[4] / n;
    w.luma_deviation = sqrt(squares[4] / n);
    return w;
}

// ---- comparing ------------------------------------------------------------------------------------

// Colour that the sample of a stored image is; of four planes the one it is in.
static int plane_of(const lg_image_params *s, int channel)
{
    return s->channels == 2 && channel == 1 && s->alpha != LG_ALPHA_NONE ? 3 : channel;
}

static void check_pixel(const lg_image *in, const lg_image *out, int x, int y, int z, int figure,
                        int rx, int ry, double k, double *worst)
{
    const lg_image_params *s = &in->shape;
    const window w = window_at(in, x, y, z, rx, ry);
    const pixel own = pixel_at(in, x, y, z);
    for (int c = 0; c < s->channels; c++) {
        const int plane = plane_of(s, c);
        const double got = (double)sample_get(out, x, y, z, c);
        double want = figure == MEAN ? w.mean.v[plane] : w.deviation.v[plane], max = 1;
        if (figure >= NIBLACK) {
            const double m = w.luma, d = w.luma_deviation;
            const double level = figure == NIBLACK ? m - k * d : m * (1 + k * (d / 0.5 - 1));
            const double off = luma_of(in, &own) - level;
            if (fabs(off) < 1e-5 && plane != 3) {
                undecided++;
                continue;
            }
            decided += plane != 3;
            want = plane == 3 ? own.v[3] : off >= 0;
        }
        if (s->channels > 1 && plane == 3 && s->alpha == LG_ALPHA_OPAQUE)
            continue;
        // Colour that is hardly there.
        if (figure == MEAN && plane != 3 && s->alpha != LG_ALPHA_NONE && s->channels > 1 &&
            w.mean.v[3] < 0.05)
            continue;
        max = fmax(1, fabs(want));
        *worst = fmax(*worst, fabs(got - want) / max);
    }
}

// Premultiplied colours may be far above 1.
static double largest_of(const lg_image *image)
{
    const lg_image_params *s = &image->shape;
    double max = 1;
    for (int z = 0; z < s->layers; z++)
        for (int y = 0; y < s->height; y++)
            for (int x = 0; x < s->width; x++) {
                const pixel p = pixel_at(image, x, y, z);
                for (int c = 0; c < 3; c++)
                    max = fmax(max, fabs(p.v[c]));
            }
    return max;
}

// 60 pixels against the definition. `look` gives a pixel's window.
typedef void (*look_fn)(const lg_native_call *done, int x, int y, int z, int radius[2]);

static void check_pixels(const lg_native_call *done, int figure, double k, look_fn look)
{
    const lg_image *in = done->in[0];
    const lg_image_params *s = &in->shape;
    double worst = 0;
    for (int looks = 0; looks < 60; looks++) {
        const int x = (int)random_below((uint32_t)s->width),
                  y = (int)random_below((uint32_t)s->height),
                  z = (int)random_below((uint32_t)s->layers);
        int radius[2];
        look(done, x, y, z, radius);
        check_pixel(in, done->out, x, y, z, figure, radius[0], radius[1], k, &worst);
    }
    // Alpha that is small makes much of roundings.
    const bool alpha = s->alpha == LG_ALPHA_STRAIGHT || s->alpha == LG_ALPHA_PREMULTIPLIED;
    const double allowed = (alpha ? 2e-4 : 2e-5) * largest_of(in);
    CHECK(worst <= allowed, "%s on %d x %d x %d, %d channels of %s, alpha %d: off by %g",
          done->filter->name, s->width, s->height, s->layers, s->channels, lg_type_name(s->type),
          (int)s->alpha, worst);
}

static void look_given(const lg_native_call *done, int x, int y, int z, int radius[2])
{
    (void)x, (void)y, (void)z;
    radius[0] = kernel_whole(done, "radius");
    radius[1] = kernel_whole(done, "radius_y");
    radius[1] = radius[1] < 0 ? radius[0] : radius[1];
}

static void check_figure(const lg_native_call *done, content kind)
{
    int figure = MEAN;
    while (strcmp(names[figure], done->filter->name) != 0)
        figure++;
    const double k =
        figure < NIBLACK ? 0 : (double)lg_native_value(done->filter, done->values, "k");
    const bool wild = kind == CONTENT_SIGNED && done->in[0]->shape.alpha != LG_ALPHA_NONE;
    if (kind != CONTENT_SPECIAL && !wild)
        check_pixels(done, figure, k, look_given);
}

static void to_floats(lg_image_params *in, lg_image_params *over, lg_image_params *out)
{
    (void)in;
    out->type = LG_F32;
    out->alpha = out->alpha == LG_ALPHA_PREMULTIPLIED ? LG_ALPHA_STRAIGHT : out->alpha;
    over->alpha = over->alpha == LG_ALPHA_PREMULTIPLIED ? LG_ALPHA_STRAIGHT : over->alpha;
}

// ---- windows from a second image --------------------------------------------------------------------

static int radius_of(double v, int max)
{
    return (int)floorf(fminf(fmaxf((float)v, 0), 1) * (float)max + 0.5f);
}

static void look_gathered(const lg_native_call *done, int x, int y, int z, int radius[2])
{
    const lg_image *over = done->in[1];
    const bool both = strcmp(done->filter->name, "anisotropic_box") == 0;
    const pixel p = pixel_at(over, x, y, over->shape.layers == 1 ? 0 : z);
    radius[0] = radius_of(p.v[0], kernel_whole(done, both ? "radius_x" : "radius"));
    radius[1] = radius_of(p.v[both], kernel_whole(done, both ? "radius_y" : "radius"));
}

static void check_gathered(const lg_native_call *done, content kind)
{
    if (kind == CONTENT_UNIT)
        check_pixels(done, MEAN, 0, look_gathered);
}

#define RADII "{0|1|2|3|5|7|20|40|150|32768}"
#define CASE(name, params_, oracle_)                                                               \
    {                                                                                              \
        .filter = name, .params = params_, .oracle = oracle_, .shapes = to_floats,                 \
        .extreme = CONTENT_SIGNED, .share = 3                                                      \
    }

static const kernel_case cases[] = {
    CASE("local_mean", "radius=" RADII ":radius_y={-1|-1|0|1|5|20|32768}", check_figure),
    CASE("local_stddev", "radius=" RADII ":radius_y={-1|-1|0|1|5|20|32768}", check_figure),
    CASE("niblack", "radius=" RADII ":radius_y={-1|-1|0|1|5|20|32768}:k={-0.25|0|0.25|0.5|0.75}",
         check_figure),
    CASE("sauvola", "radius=" RADII ":radius_y={-1|-1|0|1|5|20|32768}:k={-0.25|0|0.25|0.5|0.75}",
         check_figure),
    CASE("variable_box_blur", "radius=" RADII, check_gathered),
    CASE("anisotropic_box", "radius_x=" RADII ":radius_y=" RADII, check_gathered)};

// Rows of several strips.
static void test_wide(void)
{
    static const int sizes[][2] = {{130, 12}, {601, 9}, {1300, 5}};
    for (int run = 0; run < (test_is_short() ? 18 : 72); run++) {
        const kernel_case *k = &cases[run % (int)LG_COUNT(cases)];
        char params[100];
        kernel_pick(params, sizeof params, k->params);
        kernel_try(k, params, kernel_any_shape(sizes[run / 6 % 3][0], sizes[run / 6 % 3][1]),
                   CONTENT_UNIT);
    }
    CHECK(decided > 2 * undecided, "%d pixels lie clear of their thresholds, %d do not", decided,
          undecided);
}

// ---- what must be exact -----------------------------------------------------------------------------

// Equal pixels have no deviation, and none is darker than its threshold; floats that are small or large,
// and such that are not finite beside them.
static void test_flat(void)
{
    static const float values[] = {0, 1e-30f, 0.3f, 1, 1e30f};
    for (size_t i = 0; i < LG_COUNT(values); i++)
        for (int figure = MEAN; figure <= SAUVOLA; figure++) {
            const lg_image_params shape = SHAPE(40, 30, 1, 1, LG_F32, LG_ALPHA_NONE);
            lg_image *in = kernel_zeros(shape), *out = kernel_zeros(shape);
            for (int y = 0; y < 30; y++)
                for (int x = 0; x < 40; x++)
                    ((float *)in->data)[(size_t)y * (in->shape.row_stride / 4) + (size_t)x] =
                        values[i];
            kernel_run(kernel_context(), names[figure], "radius=6", in, NULL, out);
            const float want = figure == MEAN ? values[i] : figure == DEVIATION ? 0.0f : 1.0f;
            double worst = 0;
            for (int y = 0; y < 30; y++)
                for (int x = 0; x < 40; x++)
                    worst = fmax(worst, fabs((double)sample_get(out, x, y, 0, 0) - (double)want));
            // Below 2^-94 a sample is less than a unit.
            const double allowed = figure == MEAN ? fmax(1e-29, 3e-7 * (double)want) : 0;
            CHECK(worst <= allowed, "%s of %g everywhere is off by %g", names[figure],
                  (double)values[i], worst);
            lg_image_destroy(&in);
            lg_image_destroy(&out);
        }
}

// A sample that is not finite counts as 0.
static void test_not_finite(void)
{
    const lg_image_params shape = SHAPE(9, 9, 1, 1, LG_F32, LG_ALPHA_NONE);
    lg_image *in = kernel_zeros(shape), *out = kernel_zeros(shape);
    for (int y = 0; y < 9; y++)
        for (int x = 0; x < 9; x++)
            ((float *)in->data)[(size_t)y * (in->shape.row_stride / 4) + (size_t)x] =
                x == 4 && y == 4   ? NAN
                : x == 5 && y == 4 ? INFINITY
                                   : 0.5f;
    kernel_run(kernel_context(), "local_mean", "radius=1", in, NULL, out);
    CHECK(sample_get(out, 4, 4, 0, 0) > 0.3888f && sample_get(out, 4, 4, 0, 0) < 0.3890f,
          "7 of 9 samples are 0.5, the mean is %g", (double)sample_get(out, 4, 4, 0, 0));
    CHECK(sample_get(out, 0, 0, 0, 0) == 0.5f, "far from it the mean is %g",
          (double)sample_get(out, 0, 0, 0, 0));
    lg_image_destroy(&in);
    lg_image_destroy(&out);
}

static void test_more(void)
{
    test_wide();
    test_flat();
    test_not_finite();
}

int main(void)
{
    return kernel_main("local_windows", cases, LG_COUNT(cases), test_more);
}

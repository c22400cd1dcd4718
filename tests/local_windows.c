// Local means, deviations and thresholds: against their definitions by brute force, for every type and
// kind of image, and the same bits on every level with any number of threads.
#include "check.h"
#include "content.h"
#include "filter_call.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static lg_context *contexts[FILTER_CONTEXTS];
static int context_count;
static int decided, undecided; // thresholds: looks at pixels that lie clear of theirs, and others

enum { MEAN, DEVIATION, NIBLACK, SAUVOLA };
static const char *const names[] = {"local_mean", "local_stddev", "niblack", "sauvola"};

static const int sizes[][2] = {{1, 1},  {1, 9},   {8, 1},    {2, 2},   {5, 7},
                               {64, 3}, {67, 41}, {130, 12}, {601, 9}, {1300, 5}};

static lg_image_params any_shape(const int size[2])
{
    return filter_any_shape(size, (lg_type)random_below(LG_TYPES));
}

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
        p.v[c] = (double)filter_sample(image, x, y, z, c);
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
        return (double)filter_sample(image, x, y, z, s->channels == 2 ? 0 : c);
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
        const double got = (double)filter_sample(out, x, y, z, c);
        double want = figure == MEAN ? w.mean.v[plane] : w.deviation.v[plane], most = 1;
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
        most = fmax(1, fabs(want));
        *worst = fmax(*worst, fabs(got - want) / most);
    }
}

// Premultiplied colours may be far above 1.
static double largest_of(const lg_image *image)
{
    const lg_image_params *s = &image->shape;
    double most = 1;
    for (int z = 0; z < s->layers; z++)
        for (int y = 0; y < s->height; y++)
            for (int x = 0; x < s->width; x++) {
                const pixel p = pixel_at(image, x, y, z);
                for (int c = 0; c < 3; c++)
                    most = fmax(most, fabs(p.v[c]));
            }
    return most;
}

static void compare(int figure, lg_image_params shape, content kind, int rx, int ry)
{
    char params[80];
    const double k = figure < NIBLACK ? 0 : (double)random_below(9) / 8 - 0.25;
    int length = snprintf(params, sizeof params, "radius=%d:radius_y=%d", rx, ry);
    if (figure >= NIBLACK)
        snprintf(params + length, sizeof params - (size_t)length, ":k=%g", k);
    lg_image *in = content_image(contexts[0], shape, kind);
    lg_image_params to = shape;
    to.type = LG_F32;
    to.alpha = shape.alpha == LG_ALPHA_PREMULTIPLIED ? LG_ALPHA_STRAIGHT : shape.alpha;
    lg_image *first = filter_image(contexts[0], to);
    filter_run(contexts[0], names[figure], params, in, NULL, first);
    double worst = 0;
    for (int looks = 0; looks < 60; looks++)
        check_pixel(in, first, (int)random_below((uint32_t)shape.width),
                    (int)random_below((uint32_t)shape.height),
                    (int)random_below((uint32_t)shape.layers), figure, rx, ry < 0 ? rx : ry, k,
                    &worst);
    // Alpha that is small makes much of roundings.
    const bool alpha = shape.alpha == LG_ALPHA_STRAIGHT || shape.alpha == LG_ALPHA_PREMULTIPLIED;
    const double allowed = (alpha ? 2e-4 : 2e-5) * largest_of(in);
    CHECK(worst <= allowed, "%s:%s on %d x %d x %d, %d channels of %s, alpha %d, %s: off by %g",
          names[figure], params, shape.width, shape.height, shape.layers, shape.channels,
          lg_type_name(shape.type), (int)shape.alpha, content_name(kind), worst);
    for (int i = 1; i < context_count; i++) {
        lg_image *other = filter_image(contexts[i], to);
        filter_run(contexts[i], names[figure], params, in, NULL, other);
        CHECK(filter_equal(first, other), "%s:%s on %d x %d x %d, %d channels of %s: context %d",
              names[figure], params, shape.width, shape.height, shape.layers, shape.channels,
              lg_type_name(shape.type), i);
        lg_image_destroy(&other);
    }
    lg_image_destroy(&in);
    lg_image_destroy(&first);
}

static void test_figures(void)
{
    static const int radii[] = {0, 1, 2, 5, 7, 20, 150, 32768};
    const int runs = test_extent(40, 160, 2000);
    for (int run = 0; run < runs; run++) {
        const int *size = sizes[random_below(LG_COUNT(sizes))];
        const lg_image_params shape = any_shape(size);
        const bool floats = shape.type == LG_F16 || shape.type == LG_F32;
        const content kind = floats && shape.alpha == LG_ALPHA_NONE && random_below(3) == 0
                                 ? CONTENT_SIGNED
                                 : CONTENT_UNIT;
        compare(run % 4, shape, kind, radii[random_below(LG_COUNT(radii))],
                random_below(2) ? -1 : radii[random_below(LG_COUNT(radii))]);
    }
    CHECK(decided > 2 * undecided, "%d pixels lie clear of their thresholds, %d do not", decided,
          undecided);
}

// ---- windows from a second image --------------------------------------------------------------------

static int radius_of(double v, int most)
{
    return (int)floorf(fminf(fmaxf((float)v, 0), 1) * (float)most + 0.5f);
}

static void compare_gathered(lg_image_params shape, bool both, int radius_x, int radius_y)
{
    const char *name = both ? "anisotropic_box" : "variable_box_blur";
    lg_image_params other = any_shape((int[]){shape.width, shape.height}), to = shape;
    other.layers = random_below(2) ? 1 : shape.layers;
    other.alpha = other.alpha == LG_ALPHA_PREMULTIPLIED ? LG_ALPHA_STRAIGHT : other.alpha;
    to.type = LG_F32;
    to.alpha = shape.alpha == LG_ALPHA_PREMULTIPLIED ? LG_ALPHA_STRAIGHT : shape.alpha;
    char params[60];
    if (both)
        snprintf(params, sizeof params, "radius_x=%d:radius_y=%d", radius_x, radius_y);
    else
        snprintf(params, sizeof params, "radius=%d", radius_y = radius_x);
    lg_image *in = content_image(contexts[0], shape, CONTENT_UNIT);
    lg_image *over = content_image(contexts[0], other, CONTENT_UNIT);
    lg_image *first = filter_image(contexts[0], to);
    filter_run(contexts[0], name, params, in, over, first);
    double worst = 0;
    for (int looks = 0; looks < 60; looks++) {
        const int x = (int)random_below((uint32_t)shape.width),
                  y = (int)random_below((uint32_t)shape.height),
                  z = (int)random_below((uint32_t)shape.layers);
        const pixel p = pixel_at(over, x, y, other.layers == 1 ? 0 : z);
        check_pixel(in, first, x, y, z, MEAN, radius_of(p.v[0], radius_x),
                    radius_of(p.v[both], radius_y), 0, &worst);
    }
    const bool alpha = shape.alpha == LG_ALPHA_STRAIGHT || shape.alpha == LG_ALPHA_PREMULTIPLIED;
    const double allowed = (alpha ? 2e-4 : 2e-5) * largest_of(in);
    CHECK(worst <= allowed, "%s:%s on %d x %d x %d, %d channels of %s, alpha %d: off by %g", name,
          params, shape.width, shape.height, shape.layers, shape.channels, lg_type_name(shape.type),
          (int)shape.alpha, worst);
    for (int i = 1; i < context_count; i++) {
        lg_image *again = filter_image(contexts[i], to);
        filter_run(contexts[i], name, params, in, over, again);
        CHECK(filter_equal(first, again), "%s:%s on %d x %d x %d, %d channels of %s: context %d",
              name, params, shape.width, shape.height, shape.layers, shape.channels,
              lg_type_name(shape.type), i);
        lg_image_destroy(&again);
    }
    lg_image_destroy(&in);
    lg_image_destroy(&over);
    lg_image_destroy(&first);
}

static void test_gathered(void)
{
    static const int radii[] = {0, 1, 3, 7, 40, 150, 32768};
    for (int run = 0; run < test_extent(20, 60, 1000); run++) {
        const int *size = sizes[random_below(LG_COUNT(sizes))];
        compare_gathered(any_shape(size), run % 2, radii[random_below(LG_COUNT(radii))],
                         radii[random_below(LG_COUNT(radii))]);
    }
}

static void test_sizes_differ(void)
{
    lg_image *in = filter_image(contexts[0], SHAPE(8, 8, 1, 1, LG_U8, LG_ALPHA_NONE));
    lg_image *over = filter_image(contexts[0], SHAPE(8, 9, 1, 1, LG_U8, LG_ALPHA_NONE));
    lg_image *out = filter_image(contexts[0], in->shape);
    filter_job job;
    if (filter_prepare(&job, contexts[0], "variable_box_blur", NULL, in, over, out)) {
        const lg_native *native = ((const lg_filter_entry *)job.call.filter)->native;
        CHECK(native->cpu(&job.call) == LG_ERROR_ARGUMENT && strstr(job.error.message, "8 x 9"),
              "sizes that differ: %s", job.error.message);
    }
    lg_image_destroy(&in);
    lg_image_destroy(&over);
    lg_image_destroy(&out);
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
            lg_image *in = filter_image(contexts[0], shape),
                     *out = filter_image(contexts[0], shape);
            for (int y = 0; y < 30; y++)
                for (int x = 0; x < 40; x++)
                    ((float *)in->data)[(size_t)y * (in->shape.row_stride / 4) + (size_t)x] =
                        values[i];
            filter_run(contexts[0], names[figure], "radius=6", in, NULL, out);
            const float want = figure == MEAN ? values[i] : figure == DEVIATION ? 0.0f : 1.0f;
            double worst = 0;
            for (int y = 0; y < 30; y++)
                for (int x = 0; x < 40; x++)
                    worst =
                        fmax(worst, fabs((double)filter_sample(out, x, y, 0, 0) - (double)want));
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
    lg_image *in = filter_image(contexts[0], shape), *out = filter_image(contexts[0], shape);
    for (int y = 0; y < 9; y++)
        for (int x = 0; x < 9; x++)
            ((float *)in->data)[(size_t)y * (in->shape.row_stride / 4) + (size_t)x] =
                x == 4 && y == 4   ? NAN
                : x == 5 && y == 4 ? INFINITY
                                   : 0.5f;
    filter_run(contexts[0], "local_mean", "radius=1", in, NULL, out);
    CHECK(filter_sample(out, 4, 4, 0, 0) > 0.3888f && filter_sample(out, 4, 4, 0, 0) < 0.3890f,
          "7 of 9 samples are 0.5, the mean is %g", (double)filter_sample(out, 4, 4, 0, 0));
    CHECK(filter_sample(out, 0, 0, 0, 0) == 0.5f, "far from it the mean is %g",
          (double)filter_sample(out, 0, 0, 0, 0));
    lg_image_destroy(&in);
    lg_image_destroy(&out);
}

int main(void)
{
    random_seed(61);
    context_count = filter_contexts(contexts);
    test_figures();
    test_gathered();
    test_sizes_differ();
    test_flat();
    test_not_finite();
    while (context_count)
        lg_context_destroy(&contexts[--context_count]);
    return check_finish("local_windows");
}

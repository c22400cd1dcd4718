// transform: against bilinear sampling in double precision, pixel by pixel, of images of which parts lie
// outside, on every level and with several threads.
#include "check.h"
#include "cpu/cpu.h"
#include "kernel.h"
#include "pipeline.h"

#include <math.h>
#include <stdio.h>

typedef struct moved {
    const lg_image *in;
    const double *back; // from pixels of the result to those of the image, up to a factor
    int border;
} moved;

// The fourth of four channels of data is an alpha as well.
static bool has_alpha(const lg_image_params *s)
{
    return (s->channels > 1 && s->alpha >= LG_ALPHA_STRAIGHT) ||
           (s->channels == 4 && s->alpha == LG_ALPHA_NONE);
}

// The middle of pixel (x, y) of the result, in pixels of the image.
static void place_of(const moved *m, int x, int y, double to[2])
{
    const double *b = m->back, u = x + 0.5, v = y + 0.5, w = b[6] * u + b[7] * v + b[8];
    to[0] = (b[0] * u + b[1] * v + b[2]) / w;
    to[1] = (b[3] * u + b[4] * v + b[5]) / w;
}

// Channel k times alpha, or alpha itself for k < 0.
static double tap(const moved *m, int64_t x, int64_t y, int z, int k)
{
    const lg_image_params *s = &m->in->shape;
    const int64_t i = border_walk(x, s->width, m->border), j = border_walk(y, s->height, m->border);
    const bool inside = i >= 0 && j >= 0;
    if (!has_alpha(s))
        return k < 0 ? 1 : inside ? sample_get(m->in, i, j, z, k) : 0;
    const double a = inside ? sample_get(m->in, i, j, z, s->channels - 1) : 0;
    if (k < 0 || !inside)
        return a;
    return sample_get(m->in, i, j, z, k) * (s->alpha == LG_ALPHA_PREMULTIPLIED ? 1 : a);
}

// What is read for the middle of pixel (x, y) of the result.
static double read_at(const moved *m, int x, int y, int z, int k)
{
    double at[2];
    place_of(m, x, y, at);
    const double i = floor(at[0] - 0.5), s = at[0] - 0.5 - i;
    const double j = floor(at[1] - 0.5), t = at[1] - 0.5 - j;
    const double above = tap(m, (int64_t)i, (int64_t)j, z, k) * (1 - s) +
                         tap(m, (int64_t)i + 1, (int64_t)j, z, k) * s;
    const double below = tap(m, (int64_t)i, (int64_t)j + 1, z, k) * (1 - s) +
                         tap(m, (int64_t)i + 1, (int64_t)j + 1, z, k) * s;
    return above * (1 - t) + below * t;
}

// How far a pixel is off at most, in units of what floats of places and samples allow. Colours are compared
// times alpha.
static double off(const moved *m, const lg_image *got, int x, int y, int z)
{
    const lg_image_params *s = &got->shape;
    const bool alpha = has_alpha(s), straight = alpha && s->alpha != LG_ALPHA_PREMULTIPLIED;
    const double step = s->type == LG_U8    ? 1 / 255.0
                        : s->type == LG_U16 ? 1 / 65535.0
                        : s->type == LG_F16 ? 1e-3
                                            : 0;
    double at[2];
    place_of(m, x, y, at);
    const double sides = fmax(fabs(at[0] / m->in->shape.width), fabs(at[1] / m->in->shape.height));
    if (sides > 15) // as far as borders are followed
        return 0;
    const double a = alpha ? sample_get(got, x, y, z, s->channels - 1) : 1;
    double worst = alpha ? fabs(a - read_at(m, x, y, z, -1)) : 0;
    const int colors = alpha                         ? s->channels - 1
                       : s->alpha == LG_ALPHA_OPAQUE ? LG_MIN(3, s->channels)
                                                     : s->channels;
    for (int k = 0; k < colors; k++)
        worst = fmax(
            worst, fabs(sample_get(got, x, y, z, k) * (straight ? a : 1) - read_at(m, x, y, z, k)));
    return worst / (1.02 * step + 3e-3);
}

static void check_image(const char *text, const moved *m)
{
    lg_context *const *contexts;
    const int count = kernel_contexts(&contexts);
    const lg_image *in = m->in;
    lg_image *want = NULL;
    for (int i = 0; i < count; i++) {
        lg_error error = {0};
        lg_image *got = NULL;
        pipeline_run(contexts[i], text, &in, 1, in->shape.type, 1, &got, &error);
        CHECK(got && (!want || samples_equal(got, want)), "%s: context %d has other bits %s", text,
              i, error.message);
        if (want)
            lg_image_destroy(&got);
        else
            want = got;
    }
    double worst = 0;
    CHECK(want && want->shape.channels == in->shape.channels, "%s: other channels", text);
    for (int z = 0; want && z < want->shape.layers; z++)
        for (int y = 0; y < want->shape.height; y++)
            for (int x = 0; x < want->shape.width; x++)
                worst = fmax(worst, off(m, want, x, y, z));
    CHECK(worst <= 1, "%s of %d x %d x %d, %s, alpha %d: %.3g times off", text, in->shape.width,
          in->shape.height, in->shape.channels, lg_type_name(in->shape.type), (int)in->shape.alpha,
          worst);
    lg_image_destroy(&want);
}

// Grey bytes and opaque pixels of bytes, which have loops of their own: their results are those of floats,
// rounded.
static void check_bytes(const char *text, const moved *m)
{
    lg_context *const *contexts;
    const int count = kernel_contexts(&contexts);
    const lg_image *in = m->in;
    const int channels = in->shape.channels;
    lg_error error = {0};
    lg_image *want = NULL;
    pipeline_run(contexts[0], text, &in, 1, LG_F32, 1, &want, &error);
    for (int i = 0; i < count; i++) {
        lg_image *got = NULL;
        int wrong = 0;
        pipeline_run(contexts[i], text, &in, 1, LG_U8, 1, &got, &error);
        for (int y = 0; want && got && y < got->shape.height; y++)
            for (int x = 0; x < got->shape.width; x++)
                for (int k = 0; k < channels; k++)
                    wrong += sample_get(got, x, y, 0, k) * 255 !=
                             rint((double)((float)sample_get(want, x, y, 0, k) * 255.0f));
        CHECK(want && got && !wrong, "%s of %d x %d x %d: context %d has %d other bytes %s", text,
              in->shape.width, in->shape.height, channels, i, wrong, error.message);
        lg_image_destroy(&got);
    }
    lg_image_destroy(&want);
}

static void check_matrix(const double f[9], const lg_image *in, int border)
{
    const double back[9] = {
        f[4] * f[8] - f[5] * f[7], f[2] * f[7] - f[1] * f[8], f[1] * f[5] - f[2] * f[4],
        f[5] * f[6] - f[3] * f[8], f[0] * f[8] - f[2] * f[6], f[2] * f[3] - f[0] * f[5],
        f[3] * f[7] - f[4] * f[6], f[1] * f[6] - f[0] * f[7], f[0] * f[4] - f[1] * f[3]};
    const moved m = {in, back, border};
    char text[300];
    snprintf(text, sizeof text, "transform:matrix=%g,%g,%g,%g,%g,%g,%g,%g,%g:border=%s", f[0], f[1],
             f[2], f[3], f[4], f[5], f[6], f[7], f[8], border_names[border]);
    check_image(text, &m);
    const bool opaque =
        in->shape.channels == 1 || (in->shape.channels == 4 && in->shape.alpha == LG_ALPHA_OPAQUE);
    if (in->shape.type == LG_U8 && opaque && in->shape.layers == 1)
        check_bytes(text, &m);
}

static void test_more(void)
{
    // Turned so that rows leave the image at both sides, in perspective, all but a corner outside, smaller.
    static const double matrices[][9] = {{0.9, -0.4, 11.3, 0.4, 0.9, -9.6, 0, 0, 1},
                                         {0.9, -0.2, 20.2, 0.15, 1.1, -9.1, 3e-4, 2e-3, 1},
                                         {1, 0.1, 300.4, -0.1, 1, 20.7, 0, 0, 1},
                                         {0.21, 0, 30.1, 0, 0.3, 5.2, 0, 0, 1},
                                         // Onto pixels, halves between them, and all inside.
                                         {1, 0, 7, 0, 1, -3, 0, 0, 1},
                                         {1, 0, 0.5, 0, 1, 0.5, 0, 0, 1},
                                         {2, 0.3, -90, 0.2, 2, -30, 0, 0, 1}};
    static const int sizes[][2] = {{1, 9}, {2, 2}, {9, 1}, {131, 40}, {389, 27}, {640, 33}};
    for (int i = 0; i < (int)LG_COUNT(sizes) * (test_is_short() ? 5 : 9); i++) {
        const int round = i / (int)LG_COUNT(sizes);
        lg_cpu_gathers_choose(round < 4 ? round & 1 : -1);
        const int *size = sizes[i % (int)LG_COUNT(sizes)];
        lg_image_params shape = kernel_any_shape(size[0], size[1]);
        while (shape.channels == 2) // becomes an image of other channels
            shape = kernel_any_shape(size[0], size[1]);
        if (round < 4)
            shape = (lg_image_params){.width = size[0],
                                      .height = size[1],
                                      .layers = 1,
                                      .channels = round < 2 ? 1 : 4,
                                      .type = LG_U8,
                                      .alpha = round < 2 ? LG_ALPHA_NONE : LG_ALPHA_OPAQUE};
        lg_image *in = kernel_image(shape, CONTENT_UNIT);
        for (int border = 0; border < 4; border++)
            check_matrix(matrices[random_below(LG_COUNT(matrices))], in, border);
        lg_image_destroy(&in);
    }
}

int main(void)
{
    return kernel_main("transform", NULL, 0, test_more);
}

// The bilateral filter: every CPU level and number of threads has the bits of the plain definition, and that
// agrees with double arithmetic written here once more.
#include "check.h"
#include "native.h"

#include "filter/native/bilateral/bilateral.h"
#include "filter/native/bilateral/bilateral_weight.h"

#include <math.h>
#include <stdio.h>

typedef struct setting {
    int radius, border;
    double space, color;
} setting;

// Colour, times alpha, as r, g, b and alpha or the fourth channel.
static void colour_of(const lg_image *in, int x, int y, int z, int border, double c[4])
{
    const lg_image_params *s = &in->shape;
    const bool alpha = s->channels > 1 && s->alpha >= LG_ALPHA_STRAIGHT;
    x = native_walk(x, s->width, border);
    y = native_walk(y, s->height, border);
    for (int k = 0; k < 4; k++)
        c[k] = x < 0 || y < 0 || k >= s->channels ? 0 : native_sample(in, x, y, z, k);
    if (s->channels == 1 || (s->channels == 2 && s->alpha != LG_ALPHA_NONE)) {
        c[3] = c[1];
        c[1] = c[2] = c[0];
    }
    for (int k = 0; k < 3 && alpha && s->alpha == LG_ALPHA_STRAIGHT; k++)
        c[k] *= c[3];
}

static void oracle(const lg_image *in, const setting *f, int x, int y, int z, double out[4])
{
    const lg_image_params *s = &in->shape;
    const bool alpha = s->channels > 1 && s->alpha >= LG_ALPHA_STRAIGHT;
    double centre[4], c[4], sum[4] = {0}, weights = 0;
    colour_of(in, x, y, z, f->border, centre);
    for (int j = -f->radius; j <= f->radius; j++)
        for (int i = -f->radius; i <= f->radius; i++) {
            if (i * i + j * j > f->radius * f->radius)
                continue;
            colour_of(in, x + i, y + j, z, f->border, c);
            double n = 0;
            for (int k = 0; k < (alpha ? 4 : 3); k++)
                n += (c[k] - centre[k]) * (c[k] - centre[k]);
            // The least weight of a difference shows where a transparent pixel
            // has opaque neighbours.
            const double w = exp(-(i * i + j * j) / (2 * f->space * f->space)) *
                             fmax(exp(-n / (2 * f->color * f->color)), 0x1p-40);
            for (int k = 0; k < 4; k++)
                sum[k] += w * c[k];
            weights += w;
        }
    for (int k = 0; k < 4; k++)
        sum[k] /= weights;
    for (int k = 0; k < 3 && alpha && s->alpha == LG_ALPHA_STRAIGHT; k++)
        sum[k] = sum[3] > 1e-12 ? sum[k] / sum[3] : 0;
    for (int k = 0; k < s->channels; k++)
        out[k] = sum[s->channels == 2 && s->alpha != LG_ALPHA_NONE && k == 1 ? 3 : k];
    if (s->channels > 1 && s->alpha == LG_ALPHA_OPAQUE)
        out[s->channels - 1] = 1;
}

static void check_oracle(const lg_image *in, const lg_image *got, const setting *f)
{
    const lg_image_params *s = &in->shape;
    const double unit = s->type == LG_U8 ? 255 : s->type == LG_U16 ? 65535 : 0;
    const double allowed = s->type == LG_U8    ? 0.01
                           : s->type == LG_U16 ? 2
                           : s->type == LG_F16 ? 0x1p-10
                                               : 2e-5;
    double worst = 0;
    for (int z = 0; z < s->layers; z++)
        for (int i = 0; i < s->width * s->height; i++) {
            double e[4];
            oracle(in, f, i % s->width, i / s->width, z, e);
            for (int c = 0; c < s->channels; c++) {
                const double v = native_sample(got, i % s->width, i / s->width, z, c);
                worst = fmax(worst, unit ? fabs(v - e[c]) * unit - 0.5 : fabs(v - e[c]));
            }
        }
    CHECK(worst <= allowed, "radius %d, %s, %dx%d %s x%d alpha %d: off by %g, allowed %g",
          f->radius, native_borders[f->border], s->width, s->height, lg_type_name(s->type),
          s->channels, s->alpha, worst, allowed);
}

static void check(lg_image_params shape, const setting *f, content kind, bool inner)
{
    char params[120];
    snprintf(params, sizeof params, "radius=%d:sigma_space=%g:sigma_color=%g:border=%s", f->radius,
             f->space, f->color, native_borders[f->border]);
    lg_image *in = native_image(shape, kind);
    lg_image *ref = in ? native_compare("bilateral", params, lg_bilateral_ref, in, shape) : NULL;
    if (ref && kind == CONTENT_UNIT)
        check_oracle(in, ref, f);
    lg_image_destroy(&ref);
    if (in && inner)
        ref = native_compare("bilateral", params, lg_bilateral_ref, in, native_inner(shape));
    lg_image_destroy(&ref);
    lg_image_destroy(&in);
}

static void test_kinds(void)
{
    static const int sizes[][2] = {{1, 1}, {1, 9}, {17, 1}, {13, 11}, {37, 7}, {8, 64}, {67, 31}};
    static const int radii[] = {0, 1, 2, 5, 7};
    static const double colors[] = {0.02, 0.1, 0.5, 3};
    random_seed(41);
    for (size_t k = 0; k < LG_COUNT(sizes); k++)
        for (int type = 0; type < LG_TYPES; type++)
            for (int channels = 1; channels <= 4; channels *= 2)
                for (int alpha = 0; alpha < (channels == 1 ? 1 : 4); alpha++) {
                    const int turn = (int)random_below(1000);
                    const setting f = {radii[turn % 5], turn / 7 % 4, 0.7 + turn % 4,
                                       colors[turn / 3 % 4]};
                    if (turn % (test_is_short() ? 8 : 2))
                        continue;
                    check(SHAPE(sizes[k][0], sizes[k][1], 1 + turn % 3 / 2, channels, type, alpha),
                          &f, turn % 6 ? CONTENT_UNIT : CONTENT_SPECIAL, turn % 3 == 0);
                }
}

// Rows of several strips, tiles of several bands, and radii beyond which weights are computed twice.
static void test_tiles(void)
{
    const setting wide = {3, 1, 2, 0.2}, tall = {4, 0, 3, 0.1}, large = {20, 2, 9, 0.3};
    check(SHAPE(700, 5, 1, 1, LG_U8, 0), &wide, CONTENT_UNIT, true);
    check(SHAPE(330, 9, 1, 4, LG_U8, 1), &wide, CONTENT_UNIT, false);
    check(SHAPE(9, 600, 1, 1, LG_F32, 0), &tall, CONTENT_UNIT, false);
    check(SHAPE(23, 12, 1, 4, LG_U8, 0), &large, CONTENT_UNIT, true);
    check(SHAPE(30, 10, 1, 1, LG_F32, 0), &large, CONTENT_UNIT, false);
}

// The polynomial against exp2, and what it must not change.
static void test_weight(void)
{
    double worst = 0;
    for (int i = 0; i <= 400000; i++) {
        const float t = -(float)i * 1e-4f;
        worst = fmax(worst, fabs(bilateral_weight(t) / exp2(t) - 1));
    }
    CHECK(worst < 3e-6, "weights are off by %g", worst);
    CHECK(bilateral_weight(0) == 1 && bilateral_weight(-0.0f) == 1,
          "the weight of equals is not 1");
    CHECK(bilateral_weight(-1e30f) == 0x1p-40f, "weights of far colours");
}

int main(void)
{
    test_kinds();
    test_tiles();
    test_weight();
    native_close();
    return check_finish("bilateral");
}

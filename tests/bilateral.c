// The bilateral filter: every CPU level and number of threads has the bits of the plain definition, and that
// agrees with double arithmetic written here once more.
#include "check.h"
#include "kernel.h"

#include "filter/native/bilateral/bilateral.h"
#include "filter/native/bilateral/bilateral_weight.h"

#include <math.h>
#include <stdio.h>

typedef struct setting {
    int radius, border;
    double space, color;
} setting;

// Colour, times alpha, as r, g, b and alpha or the fourth channel.
static void color_of(const lg_image *in, int x, int y, int z, int border, double c[4])
{
    const lg_image_params *s = &in->shape;
    const bool alpha = s->channels > 1 && s->alpha >= LG_ALPHA_STRAIGHT;
    x = (int)border_walk(x, s->width, border);
    y = (int)border_walk(y, s->height, border);
    for (int k = 0; k < 4; k++)
        c[k] = x < 0 || y < 0 || k >= s->channels ? 0 : sample_get(in, x, y, z, k);
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
    color_of(in, x, y, z, f->border, centre);
    for (int j = -f->radius; j <= f->radius; j++)
        for (int i = -f->radius; i <= f->radius; i++) {
            if (i * i + j * j > f->radius * f->radius)
                continue;
            color_of(in, x + i, y + j, z, f->border, c);
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

static void check_oracle(const lg_native_call *done, content kind)
{
    const lg_image *in = done->in[0], *got = done->out;
    const setting own = {kernel_whole(done, "radius"), kernel_whole(done, "border"),
                         (double)lg_native_value(done->filter, done->values, "sigma_space"),
                         (double)lg_native_value(done->filter, done->values, "sigma_color")},
                  *f = &own;
    if (kind != CONTENT_UNIT || !kernel_keeps_kind(done))
        return;
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
                const double v = sample_get(got, i % s->width, i / s->width, z, c);
                worst = fmax(worst, unit ? fabs(v - e[c]) * unit - 0.5 : fabs(v - e[c]));
            }
        }
    CHECK(worst <= allowed, "radius %d, %s, %dx%d %s x%d alpha %d: off by %g, allowed %g",
          f->radius, border_names[f->border], s->width, s->height, lg_type_name(s->type),
          s->channels, s->alpha, worst, allowed);
}

static const kernel_case bilateral = {
    .filter = "bilateral",
    .params = "radius={0|1|2|5|7}:sigma_space={0.7|1.7|2.7|3.7}:sigma_color={0.02|0.1|0.5|3}:"
              "border={*}",
    .reference = lg_bilateral_ref,
    .oracle = check_oracle,
    .shapes = kernel_or_between,
    .share = 2,
    .bench = "radius=5:sigma_space=3"};

// Rows of several strips, tiles of several bands, and radii beyond which weights are computed twice.
static void test_tiles(void)
{
    static const char wide[] = "radius=3:sigma_space=2:sigma_color=0.2:border=mirror",
                      tall[] = "radius=4:sigma_space=3:sigma_color=0.1:border=replicate",
                      large[] = "radius=20:sigma_space=9:sigma_color=0.3:border=wrap";
    kernel_try(&bilateral, wide, SHAPE(700, 5, 1, 1, LG_U8, 0), CONTENT_UNIT);
    kernel_try(&bilateral, wide, SHAPE(330, 9, 1, 4, LG_U8, 1), CONTENT_UNIT);
    kernel_try(&bilateral, tall, SHAPE(9, 600, 1, 1, LG_F32, 0), CONTENT_UNIT);
    for (int i = 0; i < 4; i++) // as it is and as between two stages
        kernel_try(&bilateral, large, SHAPE(23, 12, 1, 4, LG_U8, 0), CONTENT_UNIT);
    kernel_try(&bilateral, large, SHAPE(30, 10, 1, 1, LG_F32, 0), CONTENT_UNIT);
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

static void test_more(void)
{
    test_tiles();
    test_weight();
}

int main(void)
{
    return kernel_main("bilateral", &bilateral, 1, test_more);
}

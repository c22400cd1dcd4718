// The bilateral grid: every CPU level and number of threads has the bits of the plain definition, that
// agrees with double arithmetic written here once more, and both are near the exact filter.
#include "check.h"
#include "kernel.h"

#include "filter/native/bilateral/bilateral_grid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct setting {
    double space, color;
    int border;
} setting;

// Colour, times alpha, as r, g, b and alpha or the fourth channel.
static void color_of(const lg_image *in, int x, int y, int border, double c[4])
{
    const lg_image_params *s = &in->shape;
    x = (int)border_walk(x, s->width, border);
    y = (int)border_walk(y, s->height, border);
    for (int k = 0; k < 4; k++)
        c[k] = x < 0 || y < 0 || k >= s->channels ? 0 : sample_get(in, x, y, 0, k);
    if (s->channels == 1 || (s->channels == 2 && s->alpha != LG_ALPHA_NONE)) {
        c[3] = c[1];
        c[1] = c[2] = c[0];
    }
    for (int k = 0; k < 3 && s->channels > 1 && s->alpha == LG_ALPHA_STRAIGHT; k++)
        c[k] *= c[3];
}

// ---- the grid in doubles --------------------------------------------------------------------------

// A weight for each distance of a pixel's cell from a place, along one axis: what the five weights of
// blurring and looking up between two cells come to. `at` is the place in cells.
static double weight_of(double at, int cell, const double taps[3])
{
    const int before = (int)floor(at);
    const double part = at - before;
    const int d0 = abs(cell - before), d1 = abs(cell - before - 1);
    return (d0 < 3 ? taps[d0] * (1 - part) : 0) + (d1 < 3 ? taps[d1] * part : 0);
}

static double place_of(const double c[4], double color)
{
    const double luma = 0.2125 * c[0] + 0.7154 * c[1] + 0.0721 * c[2];
    return fmin(fmax(luma, 0), 1) * 2 / color;
}

// Every pixel that blurred cells around (x, y) hold.
static void oracle(const lg_image *in, const setting *f, int x, int y, double out[4])
{
    static const double range[3] = {6 / 16.0, 4 / 16.0, 1 / 16.0};
    const int s = (int)ceil(0.8 * f->space - 1e-6);
    const double v = f->space * f->space / (s * s) - 0.25;
    const double far = fmax(v * (2 * v - 1) / 16, 0), near = (v - 8 * far) / 2;
    const double space[3] = {1 - 2 * near - 2 * far, near, far};
    double centre[4], c[4], sum[4] = {0}, weights = 0;
    color_of(in, x, y, f->border, centre);
    const double level = place_of(centre, f->color);
    const double column = (x + 0.5) / s - 0.5, row = (y + 0.5) / s - 0.5;
    for (int j = ((int)floor(row) - 2) * s; j < ((int)floor(row) + 4) * s; j++)
        for (int i = ((int)floor(column) - 2) * s; i < ((int)floor(column) + 4) * s; i++) {
            color_of(in, i, j, f->border, c);
            const double from = place_of(c, f->color);
            const int below = (int)floor(from);
            const double w = weight_of(column, (int)floor((double)i / s), space) *
                             weight_of(row, (int)floor((double)j / s), space) *
                             (weight_of(level, below, range) * (1 - (from - below)) +
                              weight_of(level, below + 1, range) * (from - below));
            for (int k = 0; k < 4; k++)
                sum[k] += w * c[k];
            weights += w;
        }
    const bool alpha = in->shape.channels > 1 && in->shape.alpha >= LG_ALPHA_STRAIGHT;
    for (int k = 0; k < 4; k++)
        sum[k] /= weights;
    for (int k = 0; k < 3 && alpha && in->shape.alpha == LG_ALPHA_STRAIGHT; k++)
        sum[k] = sum[3] > 1e-12 ? sum[k] / sum[3] : 0;
    for (int k = 0; k < in->shape.channels; k++)
        out[k] = sum[in->shape.channels == 2 && in->shape.alpha != LG_ALPHA_NONE && k == 1 ? 3 : k];
    if (in->shape.channels > 1 && in->shape.alpha == LG_ALPHA_OPAQUE)
        out[in->shape.channels - 1] = 1;
}

static void check_oracle(const lg_native_call *done, content kind)
{
    const lg_image *in = done->in[0], *got = done->out;
    const setting own = {(double)lg_native_value(done->filter, done->values, "sigma_space"),
                         (double)lg_native_value(done->filter, done->values, "sigma_color"),
                         kernel_whole(done, "border")},
                  *f = &own;
    if (kind != CONTENT_UNIT || !kernel_keeps_kind(done))
        return;
    const lg_image_params *s = &in->shape;
    // Bytes: places among the levels are rounded to 1/256.
    const double unit = s->type == LG_U8 ? 255 : s->type == LG_U16 ? 65535 : 1;
    const double allowed = s->type == LG_U8    ? 0.5 + 0.3
                           : s->type == LG_U16 ? 0.5 + 4
                           : s->type == LG_F16 ? 0x1p-10
                                               : 5e-5;
    double worst = 0;
    for (int i = 0; i < s->width * s->height; i++) {
        double e[4];
        if (i % 7 && s->width * s->height > 200)
            continue;
        oracle(in, f, i % s->width, i / s->width, e);
        for (int c = 0; c < s->channels; c++)
            worst = fmax(worst, fabs(sample_get(got, i % s->width, i / s->width, 0, c) - e[c]));
    }
    CHECK(worst * unit <= allowed, "sigmas %g %g, %s, %dx%d %s x%d alpha %d: off by %g, allowed %g",
          f->space, f->color, border_names[f->border], s->width, s->height, lg_type_name(s->type),
          s->channels, s->alpha, worst * unit, allowed);
}

static const kernel_case grid = {
    .filter = "bilateral_grid",
    .params = "sigma_space={2|2.55|3.7|6}:sigma_color={0.05|0.1|0.5|3}:border={*}",
    .reference = lg_bilateral_grid_ref,
    .oracle = check_oracle,
    .shapes = kernel_or_between,
    .share = 3,
    .bench = "sigma_space=6"};

// Cells of several pieces, rows of several spans.
static void test_cells(void)
{
    static const char wide[] = "sigma_space=3:sigma_color=0.2:border=mirror",
                      large[] = "sigma_space=22:sigma_color=0.5:border=replicate",
                      larger[] = "sigma_space=45:sigma_color=0.7:border=wrap";
    for (int i = 0; i < 4; i++) { // as it is and as between two stages
        kernel_try(&grid, wide, SHAPE(1100, 5, 1, 1, LG_U8, 0), CONTENT_UNIT);
        kernel_try(&grid, large, SHAPE(23, 12, 1, 4, LG_U8, 0), CONTENT_UNIT);
    }
    kernel_try(&grid, wide, SHAPE(600, 4, 1, 4, LG_F32, 2), CONTENT_UNIT);
    kernel_try(&grid, large, SHAPE(30, 10, 1, 1, LG_F32, 0), CONTENT_UNIT);
    kernel_try(&grid, larger, SHAPE(20, 50, 1, 2, LG_F16, 2), CONTENT_UNIT);
    kernel_try(&grid, larger, SHAPE(9, 21, 1, 1, LG_U8, 0), CONTENT_UNIT);
}

// ---- beside the exact filter ------------------------------------------------------------------------

// Large shapes with soft and hard edges, and noise of +-4 of 255 on them.
static void draw(lg_image *image)
{
    const lg_image_params *s = &image->shape;
    for (int y = 0; y < s->height; y++)
        for (int x = 0; x < s->width; x++)
            for (int c = 0; c < s->channels; c++) {
                const double disc =
                    hypot(x - s->width * 0.4, y - s->height * 0.6) < s->height * 0.3;
                const double soft = 0.5 + 0.35 * sin(x * 0.05 + c) * cos(y * 0.03);
                sample_put(image, x, y, 0, c,
                           0.1 + 0.6 * (soft * 0.7 + disc * 0.4) + (random_unit() - 0.5) * 8 / 255);
            }
}

static void test_nearness(int channels)
{
    const lg_image_params shape =
        SHAPE(160, 120, 1, channels, LG_U8, channels == 4 ? LG_ALPHA_OPAQUE : LG_ALPHA_NONE);
    lg_image *images[3];
    for (int i = 0; i < 3; i++)
        images[i] = kernel_zeros(shape);
    random_seed(77);
    draw(images[0]);
    kernel_run(kernel_best_context(), "bilateral", "radius=18:sigma_space=6:sigma_color=0.15",
               images[0], NULL, images[1]);
    kernel_run(kernel_best_context(), "bilateral_grid", "sigma_space=6:sigma_color=0.15", images[0],
               NULL, images[2]);
    double squares = 0;
    int count = 0;
    for (int y = 0; y < shape.height; y++)
        for (int x = 0; x < shape.width; x++)
            for (int c = 0; c < (channels == 4 ? 3 : channels); c++, count++) {
                const double d =
                    sample_get(images[1], x, y, 0, c) - sample_get(images[2], x, y, 0, c);
                squares += d * d;
            }
    const double psnr = 10 * log10(count / squares);
    CHECK(psnr > 40, "%d channels: %.1f dB from the exact filter", channels, psnr);
    for (int i = 0; i < 3; i++)
        lg_image_destroy(&images[i]);
}

// An even image stays as it is.
static void test_even(void)
{
    static const lg_type types[] = {LG_U8, LG_F32};
    for (size_t t = 0; t < LG_COUNT(types); t++) {
        const lg_image_params shape = SHAPE(40, 30, 1, 4, types[t], LG_ALPHA_OPAQUE);
        lg_image *in = kernel_zeros(shape), *out = kernel_zeros(shape);
        for (int i = 0; i < 40 * 30 * 4; i++)
            sample_put(in, i / 4 % 40, i / 160, 0, i % 4, (51 + 30 * (i % 4)) / 255.0 + 1e-9);
        kernel_run(kernel_best_context(), "bilateral_grid", "sigma_space=200", in, NULL, out);
        double worst = 0;
        for (int i = 0; i < 40 * 30 * 4; i++)
            if (i % 4 < 3)
                worst = fmax(worst, fabs(sample_get(in, i / 4 % 40, i / 160, 0, i % 4) -
                                         sample_get(out, i / 4 % 40, i / 160, 0, i % 4)));
        CHECK(worst <= (types[t] == LG_U8 ? 0 : 1e-5), "an even image changes by %g", worst);
        lg_image_destroy(&in);
        lg_image_destroy(&out);
    }
}

static void expect_refusal(const char *params, lg_status wanted, const char *part)
{
    lg_image *image = kernel_zeros(SHAPE(2000, 1000, 1, 1, LG_U8, 0));
    kernel_job job;
    if (kernel_prepare(&job, kernel_context(), "bilateral_grid", params, image, NULL, image)) {
        const lg_status status = lg_bilateral_grid_cpu(&job.call);
        CHECK(status == wanted && strstr(job.error.message, part), "%s: %d '%s' lacks '%s'", params,
              (int)status, job.error.message, part);
    }
    lg_image_destroy(&image);
}

static void test_more(void)
{
    test_cells();
    test_even();
    test_nearness(1);
    test_nearness(4);
    expect_refusal("sigma_space=2:sigma_color=0.001", LG_ERROR_LIMIT, "allowed are 512");
}

int main(void)
{
    return kernel_main("bilateral_grid", &grid, 1, test_more);
}

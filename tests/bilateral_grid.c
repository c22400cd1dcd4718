// The bilateral grid: every CPU level and number of threads has the bits of the plain definition, that
// agrees with double arithmetic written here once more, and both are near the exact filter.
#include "content.h"
#include "native.h"

#include "check.h"
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
static void colour_of(const lg_image *in, int x, int y, int border, double c[4])
{
    const lg_image_params *s = &in->shape;
    x = native_walk(x, s->width, border);
    y = native_walk(y, s->height, border);
    for (int k = 0; k < 4; k++)
        c[k] = x < 0 || y < 0 || k >= s->channels ? 0 : native_sample(in, x, y, 0, k);
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
    colour_of(in, x, y, f->border, centre);
    const double level = place_of(centre, f->color);
    const double column = (x + 0.5) / s - 0.5, row = (y + 0.5) / s - 0.5;
    for (int j = ((int)floor(row) - 2) * s; j < ((int)floor(row) + 4) * s; j++)
        for (int i = ((int)floor(column) - 2) * s; i < ((int)floor(column) + 4) * s; i++) {
            colour_of(in, i, j, f->border, c);
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

static void check_oracle(const lg_image *in, const lg_image *got, const setting *f)
{
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
            worst = fmax(worst, fabs(native_sample(got, i % s->width, i / s->width, 0, c) - e[c]));
    }
    CHECK(worst * unit <= allowed, "sigmas %g %g, %s, %dx%d %s x%d alpha %d: off by %g, allowed %g",
          f->space, f->color, native_borders[f->border], s->width, s->height, lg_type_name(s->type),
          s->channels, s->alpha, worst * unit, allowed);
}

static void check(lg_image_params shape, const setting *f, content kind, bool inner)
{
    char params[120];
    snprintf(params, sizeof params, "method=grid:sigma_space=%g:sigma_color=%g:border=%s", f->space,
             f->color, native_borders[f->border]);
    lg_image *in = native_image(shape, kind);
    lg_image *ref =
        in ? native_compare("bilateral", params, lg_bilateral_grid_ref, in, shape) : NULL;
    if (ref && kind == CONTENT_UNIT)
        check_oracle(in, ref, f);
    lg_image_destroy(&ref);
    if (in && inner)
        ref = native_compare("bilateral", params, lg_bilateral_grid_ref, in, native_inner(shape));
    lg_image_destroy(&ref);
    lg_image_destroy(&in);
}

static void test_kinds(void)
{
    static const int sizes[][2] = {{1, 1}, {1, 9}, {17, 1}, {13, 11}, {37, 7}, {8, 34}};
    static const double spaces[] = {2, 2.55, 3.7, 6}, colors[] = {0.05, 0.1, 0.5, 3};
    random_seed(43);
    for (size_t k = 0; k < LG_COUNT(sizes); k++)
        for (int type = 0; type < LG_TYPES; type++)
            for (int channels = 1; channels <= 4; channels *= 2)
                for (int alpha = 0; alpha < (channels == 1 ? 1 : 4); alpha++) {
                    const int turn = (int)random_below(1000);
                    const setting f = {spaces[turn % 4], colors[turn / 3 % 4], turn / 7 % 4};
                    if (turn % (test_is_short() ? 12 : 3))
                        continue;
                    check(SHAPE(sizes[k][0], sizes[k][1], 1 + turn % 3 / 2, channels, type, alpha),
                          &f, turn % 6 ? CONTENT_UNIT : CONTENT_SPECIAL, turn % 2 == 0);
                }
}

// Cells of several pieces, rows of several spans.
static void test_cells(void)
{
    const setting wide = {3, 0.2, 1}, large = {22, 0.5, 0}, larger = {45, 0.7, 2};
    check(SHAPE(1100, 5, 1, 1, LG_U8, 0), &wide, CONTENT_UNIT, true);
    check(SHAPE(600, 4, 1, 4, LG_F32, 2), &wide, CONTENT_UNIT, false);
    check(SHAPE(23, 12, 1, 4, LG_U8, 0), &large, CONTENT_UNIT, true);
    check(SHAPE(30, 10, 1, 1, LG_F32, 0), &large, CONTENT_UNIT, false);
    check(SHAPE(20, 50, 1, 2, LG_F16, 2), &larger, CONTENT_UNIT, false);
    check(SHAPE(9, 21, 1, 1, LG_U8, 0), &larger, CONTENT_UNIT, false);
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
                native_put(image, x, y, 0, c,
                           0.1 + 0.6 * (soft * 0.7 + disc * 0.4) + (random_unit() - 0.5) * 8 / 255);
            }
}

static void test_nearness(int channels)
{
    const lg_image_params shape =
        SHAPE(160, 120, 1, channels, LG_U8, channels == 4 ? LG_ALPHA_OPAQUE : LG_ALPHA_NONE);
    lg_image *images[3] = {0};
    lg_error error;
    for (int i = 0; i < 3; i++)
        NEED(!lg_image_create(native_context(), &shape, &images[i], &error), "%s", error.message);
    random_seed(77);
    draw(images[0]);
    native_run(native_last_context(), "bilateral", "radius=18:sigma_space=6:sigma_color=0.15",
               images[0], images[1]);
    native_run(native_last_context(), "bilateral", "method=grid:sigma_space=6:sigma_color=0.15",
               images[0], images[2]);
    double squares = 0;
    int count = 0;
    for (int y = 0; y < shape.height; y++)
        for (int x = 0; x < shape.width; x++)
            for (int c = 0; c < (channels == 4 ? 3 : channels); c++, count++) {
                const double d =
                    native_sample(images[1], x, y, 0, c) - native_sample(images[2], x, y, 0, c);
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
        lg_image *in = NULL, *out = NULL;
        lg_error error;
        NEED(!lg_image_create(native_context(), &shape, &in, &error) &&
                 !lg_image_create(native_context(), &shape, &out, &error),
             "%s", error.message);
        for (int i = 0; i < 40 * 30 * 4; i++)
            native_put(in, i / 4 % 40, i / 160, 0, i % 4, (51 + 30 * (i % 4)) / 255.0 + 1e-9);
        native_run(native_last_context(), "bilateral", "method=grid:sigma_space=200", in, out);
        double worst = 0;
        for (int i = 0; i < 40 * 30 * 4; i++)
            if (i % 4 < 3)
                worst = fmax(worst, fabs(native_sample(in, i / 4 % 40, i / 160, 0, i % 4) -
                                         native_sample(out, i / 4 % 40, i / 160, 0, i % 4)));
        CHECK(worst <= (types[t] == LG_U8 ? 0 : 1e-5), "an even image changes by %g", worst);
        lg_image_destroy(&in);
        lg_image_destroy(&out);
    }
}

static void expect_refusal(const char *params, lg_status wanted, const char *part)
{
    const lg_image_params shape = SHAPE(2000, 1000, 1, 1, LG_U8, 0);
    lg_image *image = NULL;
    lg_error error = {LG_OK, ""};
    float values[NATIVE_VALUES];
    const lg_filter *filter = native_filter("bilateral", params, values);
    NEED(!lg_image_create(native_context(), &shape, &image, &error), "%s", error.message);
    const lg_native_call call = {.context = native_context(),
                                 .filter = filter,
                                 .values = values,
                                 .in = {image},
                                 .out = image,
                                 .error = &error};
    const lg_status status = filter ? lg_bilateral_grid_cpu(&call) : LG_OK;
    CHECK(status == wanted && strstr(error.message, part), "%s: %d '%s' lacks '%s'", params,
          (int)status, error.message, part);
    lg_image_destroy(&image);
}

int main(void)
{
    test_kinds();
    test_cells();
    test_even();
    test_nearness(1);
    test_nearness(4);
    expect_refusal("method=grid:sigma_space=1.9", LG_ERROR_ARGUMENT, "2 to 1000");
    expect_refusal("method=grid:sigma_space=2:sigma_color=0.001", LG_ERROR_LIMIT,
                   "allowed are 512");
    native_close();
    return check_finish("bilateral_grid");
}

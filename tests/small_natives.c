// color_packing, colour_fast_sampling and poisson_blend: against their definitions, on every level and
// with several threads.
#include "check.h"
#include "kernel.h"
#include "pipeline.h"

#include "filter/native/poisson_blend/poisson_blend.h"
#include "filter/stage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- color_packing ------------------------------------------------------------------------------

static void straight(lg_image_params *shape)
{
    if (shape->alpha == LG_ALPHA_PREMULTIPLIED)
        shape->alpha = LG_ALPHA_STRAIGHT;
}

static void half(lg_image_params *in, lg_image_params *over, lg_image_params *out)
{
    (void)over;
    straight(in);
    *out = SHAPE((in->width + 1) / 2, (in->height + 1) / 2, in->layers, 4, in->type, LG_ALPHA_NONE);
}

static void check_packing(const lg_native_call *done, content kind)
{
    const lg_image *in = done->in[0], *out = done->out;
    const lg_image_params *s = &out->shape, *from = &in->shape;
    int64_t wrong = 0;
    for (int z = 0; z < s->layers && kind == CONTENT_UNIT; z++)
        for (int y = 0; y < s->height; y++)
            for (int x = 0; x < s->width; x++)
                for (int k = 0; k < 4; k++)
                    wrong += sample_get(out, x, y, z, k) !=
                             sample_get(in, LG_MIN(2 * x + k % 2, from->width - 1),
                                        LG_MIN(2 * y + k / 2, from->height - 1), z, 0);
    CHECK(wrong == 0, "color_packing of %d x %d, %s x %d: %lld samples", from->width, from->height,
          lg_type_name(from->type), from->channels, (long long)wrong);
}

static const kernel_case packing = {
    .filter = "color_packing", .params = "", .oracle = check_packing, .shapes = half};

// The plan knows that the output is half the size.
static void test_packing_in_a_graph(void)
{
    const lg_image_params shape = SHAPE(33, 20, 2, 4, LG_U8, LG_ALPHA_OPAQUE);
    pipeline p;
    NEED(pipeline_open(&p, kernel_context(), "color_invert | color_packing", &shape, 1, NULL),
         "no plan");
    const lg_image_params half = p.out;
    lg_error error = {LG_OK, ""};
    CHECK(half.width == 17 && half.height == 10 && half.layers == 2 && half.channels == 4,
          "the output is %d x %d x %d", half.width, half.height, half.layers);
    lg_image *a = kernel_image(shape, CONTENT_UNIT), *b = kernel_zeros(half);
    CHECK(!lg_plan_run(p.plan, &a, &b, &error), "%s", error.message);
    CHECK(fabs(sample_get(b, 16, 9, 1, 2) + sample_get(a, 32, 19, 1, 0) - 1) < 1e-6f,
          "the last block");
    pipeline_close(&p);
    lg_image_destroy(&a);
    lg_image_destroy(&b);
}

// ---- colour_fast_sampling -----------------------------------------------------------------------

static double straight_sample(const lg_image *image, int64_t x, int64_t y, int64_t z, int k,
                              int border)
{
    const lg_image_params *s = &image->shape;
    const int64_t column = border_walk(x, s->width, border);
    const int64_t row = border_walk(y, s->height, border);
    if (column < 0 || row < 0)
        return 0;
    const bool grey = s->channels == 1 || (s->channels == 2 && s->alpha != LG_ALPHA_NONE);
    if (!grey && k >= s->channels)
        return 0;
    return sample_get(image, column, row, z, grey ? 0 : k);
}

static void in_floats(lg_image_params *in, lg_image_params *over, lg_image_params *out)
{
    (void)over;
    straight(in);
    *out = SHAPE(in->width, in->height, in->layers, 4, LG_F32, LG_ALPHA_NONE);
}

static int64_t angles;

static void check_pixel(const lg_native_call *done, int x, int y, int z, double *worst,
                        double *worst_angle)
{
    static const int ring[8][2] = {{3, 1},   {1, 3},   {-1, 3}, {-3, 1},
                                   {-3, -1}, {-1, -3}, {1, -3}, {3, -1}};
    const lg_image *in = done->in[0], *out = done->out;
    const int border = kernel_whole(done, "border");
    double dx = 0, dy = 0;
    for (int k = 0; k < 3; k++) {
        double v[8], mean = 0;
        for (int i = 0; i < 8; i++) {
            v[i] = straight_sample(in, x + ring[i][0], y + ring[i][1], z, k, border);
            mean += v[i] / 8;
        }
        const double contrast = mean - straight_sample(in, x, y, z, k, border);
        dx += fabs(contrast) *
              (0.94868 * (v[0] - v[3] - v[4] + v[7]) + 0.316227 * (v[1] - v[2] - v[5] + v[6]));
        dy += fabs(contrast) *
              (0.316227 * (v[0] + v[3] - v[4] - v[7]) + 0.94868 * (v[1] + v[2] - v[5] - v[6]));
        *worst = fmax(*worst, fabs(sample_get(out, x, y, z, k) - (contrast + 1) / 2));
    }
    if (hypot(dx, dy) < 0.01) // short directions have no angle to speak of
        return;
    const double turns = (atan2(dy, dx) + M_PI) / (2 * M_PI);
    const double off = fabs(sample_get(out, x, y, z, 3) - turns);
    *worst_angle = fmax(*worst_angle, fmin(off, 1 - off));
    angles++;
}

static void check_sampling(const lg_native_call *done, content kind)
{
    const lg_image_params *s = &done->out->shape;
    double worst = 0, worst_angle = 0;
    for (int z = 0; z < s->layers && kind == CONTENT_UNIT; z++)
        for (int i = 0; i < s->width * s->height; i++)
            check_pixel(done, i % s->width, i / s->width, z, &worst, &worst_angle);
    CHECK(worst < 1e-6, "contrast: off by %g", worst);
    CHECK(worst_angle < 1e-4, "angle: off by %g", worst_angle);
}

static const kernel_case sampling = {.filter = "colour_fast_sampling",
                                     .params = "border={*}",
                                     .oracle = check_sampling,
                                     .shapes = in_floats};

// A row of the result is more than a tile.
static void test_wide(void)
{
    for (int type = 0; type < LG_TYPES; type++) {
        const lg_image_params shape = SHAPE(131079, 3, 1, 1, type, LG_ALPHA_NONE);
        kernel_try(&packing, "", shape, CONTENT_UNIT);
        if (type == LG_U8)
            kernel_try(&sampling, "border=mirror", shape, CONTENT_UNIT);
    }
    CHECK(angles > 10000, "only %lld angles", (long long)angles);
}

// Flat areas, and what GPUImage gets wrong: the blur has to be used.
static void test_detector(void)
{
    const lg_image_params shape = SHAPE(40, 40, 1, 1, LG_U8, LG_ALPHA_NONE);
    const lg_type type = LG_F32;
    pipeline p;
    lg_error error = {LG_OK, ""};
    NEED(pipeline_open(&p, kernel_context(), "colour_fast_feature_detector:blur_radius=1", &shape,
                       1, &type),
         "no plan");
    lg_image *a = kernel_zeros(shape), *b = kernel_zeros(p.out);
    // One bright pixel: blurred to a ninth, it is seen from (3, 1) and its neighbours.
    ((uint8_t *)a->data)[20 * a->shape.row_stride + 20] = 255;
    CHECK(!lg_plan_run(p.plan, &a, &b, &error), "%s", error.message);
    for (int k = 0; k < 4; k++)
        CHECK(sample_get(b, 5, 5, 0, k) == 0.5f, "channel %d of a flat area is %g", k,
              (double)sample_get(b, 5, 5, 0, k));
    CHECK(fabs(sample_get(b, 20, 20, 0, 0) - (0.5f - 0.5f / 9)) < 1e-6f, "the pixel itself: %g",
          (double)sample_get(b, 20, 20, 0, 0));
    CHECK(fabs(sample_get(b, 16, 19, 0, 0) - (0.5f + 0.5f / 72)) < 1e-6f,
          "a pixel whose sample is blurred into: %g", (double)sample_get(b, 16, 19, 0, 0));
    pipeline_close(&p);
    lg_image_destroy(&a);
    lg_image_destroy(&b);
}

// ---- bilateral_pass -----------------------------------------------------------------------------

static const kernel_case pass = {.filter = "bilateral_pass",
                                 .params =
                                     "direction={columns|rows}:texel_spacing_multiplier={1|4|64}:"
                                     "distance_normalization_factor={0|0.7|8}:border={*}",
                                 .shapes = kernel_or_between,
                                 .share = 2};

// A row of one grey pixel in black, by hand: docs/definitions.md.
static void test_pass_worked(void)
{
    lg_image *in = kernel_zeros(SHAPE(5, 1, 1, 1, LG_F32, LG_ALPHA_NONE)), *out = NULL;
    const lg_image *const inputs[] = {in};
    lg_error error = {LG_OK, ""};
    sample_store(in, 2, 0, 0, 0, (double)0.05f);
    CHECK(!pipeline_run(kernel_context(), "bilateral_taps:texel_spacing_multiplier=1", inputs, 1,
                        LG_F32, 1, &out, &error),
          "%s", error.message);
    const double far = 8 * sqrt(3) * 0.05, wanted = 0.05 * 0.18 / (0.18 + 0.82 * (1 - far));
    CHECK(out && fabs(sample_get(out, 2, 0, 0, 0) - wanted) < 1e-6 && fabs(wanted - 0.0208) < 1e-4,
          "%g, not %g", out ? sample_get(out, 2, 0, 0, 0) : -1, wanted);
    lg_image_destroy(&in);
    lg_image_destroy(&out);
}

// ---- poisson_blend ------------------------------------------------------------------------------

static const kernel_case poisson = {
    .filter = "poisson_blend",
    .params = "mix={0|0.25|0.5|0.5|0.8|1}:num_iterations={1|2|3|5|8|12}:border={*}",
    .reference = lg_poisson_ref,
    .bench = "num_iterations=5"};

static const kernel_case poisson_solved = {.filter = "poisson_blend", .params = "", .share = 2};

// Masks with holes, lines of a pixel, islands, single pixels left out, and those that touch the border.
static bool is_inside(int mask, int x, int y, int width, int height)
{
    switch (mask) {
    case 0:
        return x > 0 && y > 0 && x < width - 1 && y < height - 1;
    case 1:
        return x != width / 3 || y != height / 2;
    case 2:
        return x + y > 0;
    case 3:
        return x % 8 == 3 || y % 4 == 1;
    case 4:
        return (x / 5 + y / 5) % 2;
    case 5:
        return x % 7 != 2 || y % 5 == 4;
    case 6:
        return y % 2 == 1 || x == width - 1;
    case 7:
        return (x * 7919 + y * 104729 + x * y) % 13 != 0;
    default:
        return true;
    }
}

enum { MASKS = 9 };

// By over-relaxation in doubles, until nothing changes: w is the mean of its neighbours inside the mask.
static void solve(double *w, const bool *inside, int width, int height)
{
    double most = 1;
    for (int n = 0; n < 100000 && most > 1e-13; n++) {
        most = 0;
        for (int i = 0; i < width * height; i++) {
            double sum = 0;
            int count = 0;
            for (int k = 0; k < 4; k++) {
                const int x = i % width + (k == 0) - (k == 1), y = i / width + (k == 2) - (k == 3);
                if (x >= 0 && y >= 0 && x < width && y < height) {
                    sum += w[y * width + x];
                    count++;
                }
            }
            const double change = inside[i] && count ? 1.8 * (sum / count - w[i]) : 0;
            w[i] += change;
            most = fmax(most, fabs(change));
        }
    }
}

static void check_solved(int mask, int width, int height, double allowed)
{
    const lg_image_params shape = SHAPE(width, height, 1, 4, LG_F32, LG_ALPHA_STRAIGHT);
    lg_image *in = kernel_zeros(shape), *over = kernel_zeros(shape), *out = kernel_zeros(shape);
    double *w = calloc((size_t)(width * height), sizeof *w), mean = 0, worst = 0;
    bool everything = true;
    bool *inside = calloc((size_t)(width * height), sizeof *inside);
    for (int i = 0; i < width * height; i++) {
        const int x = i % width, y = i / width;
        inside[i] = is_inside(mask, x, y, width, height);
        const double b = x > width / 2 ? 1 : 0.2 * (y % 2), o = 0.5 + 0.5 * sin(x * 0.4 + y * 0.7);
        for (int k = 0; k < 4; k++) {
            sample_store(in, x, y, 0, k, k == 3 ? 1 : b);
            sample_store(over, x, y, 0, k, k == 3 ? (inside[i] ? 0.5 : 0.49) : o);
        }
        w[i] = b - o;
        mean += (b - o) / (width * height);
        everything &= inside[i];
    }
    for (int i = 0; everything && i < width * height; i++)
        w[i] = mean;
    if (!everything)
        solve(w, inside, width, height);
    kernel_run(kernel_context(), "poisson_blend", "", in, over, out);
    for (int i = 0; i < width * height; i++) {
        const int x = i % width, y = i / width;
        if (inside[i])
            worst = fmax(worst,
                         fabs(sample_get(over, x, y, 0, 0) + w[i] - sample_get(out, x, y, 0, 0)));
        else
            CHECK(sample_get(out, x, y, 0, 0) == sample_get(in, x, y, 0, 0), "outside the mask");
    }
    CHECK(worst < allowed, "mask %d, %d x %d: off by %g", mask, width, height, worst);
    free(w);
    free(inside);
    lg_image_destroy(&in);
    lg_image_destroy(&over);
    lg_image_destroy(&out);
}

static void test_poisson_solved(void)
{
    static const int sizes[][2] = {{1, 1},  {2, 1},  {1, 2},   {2, 2},  {3, 5},
                                   {1, 37}, {97, 1}, {33, 64}, {71, 45}};
    for (size_t i = 0; i < LG_COUNT(sizes); i++)
        for (int mask = 0; mask < MASKS; mask++)
            check_solved(mask, sizes[i][0], sizes[i][1], 1.0 / 1020);
}

// A row of four pixels by hand, and the same through two grids: docs/definitions.md.
static void test_poisson_worked(void)
{
    static const float base[4] = {0, 0.5f, 0.5f, 0.9f}, over[4] = {0.1f, 0.2f, 0.5f, 0.4f};
    static const float wanted[4] = {0, 0.3f, 0.8f, 0.9f};
    const lg_image_params shape = SHAPE(4, 1, 1, 2, LG_F32, LG_ALPHA_STRAIGHT);
    lg_image *in = kernel_zeros(shape), *other = kernel_zeros(shape), *out = kernel_zeros(shape);
    for (int x = 0; x < 4; x++) {
        sample_store(in, x, 0, 0, 0, (double)base[x]);
        sample_store(in, x, 0, 0, 1, 1);
        sample_store(other, x, 0, 0, 0, (double)over[x]);
        sample_store(other, x, 0, 0, 1, x == 1 || x == 2);
    }
    kernel_run(kernel_context(), "poisson_blend", "", in, other, out);
    for (int x = 0; x < 4; x++)
        CHECK(fabs(sample_get(out, x, 0, 0, 0) - (double)wanted[x]) < 1e-4, "%d: %g, not %g", x,
              sample_get(out, x, 0, 0, 0), (double)wanted[x]);
    lg_image_destroy(&in);
    lg_image_destroy(&other);
    lg_image_destroy(&out);
}

static void test_more(void)
{
    test_wide();
    test_packing_in_a_graph();
    test_detector();
    test_pass_worked();
    test_poisson_solved();
    test_poisson_worked();
}

int main(void)
{
    const kernel_case cases[] = {packing, sampling, pass, poisson, poisson_solved};
    return kernel_main("small_natives", cases, LG_COUNT(cases), test_more);
}

// Kuwahara's smoothing: every result is the mean of a quarter that varies least, as far as floats can tell.
#include "check.h"
#include "kernel.h"

#include "filter/stage.h"

#include <math.h>

// Colour times alpha, and alpha, of any pixel.
static void read_pixel(const lg_image *image, int64_t x, int64_t y, int z, int border, double v[4])
{
    const lg_image_params *s = &image->shape;
    const int64_t column = border_walk(x, s->width, border),
                  row = border_walk(y, s->height, border);
    const bool alpha = s->channels != 1 && s->alpha != LG_ALPHA_NONE && s->alpha != LG_ALPHA_OPAQUE;
    const bool grey = s->channels == 1 || (s->channels == 2 && s->alpha != LG_ALPHA_NONE);
    const int colors = grey                                            ? 3
                       : s->channels == 4 && s->alpha == LG_ALPHA_NONE ? 4
                                                                       : LG_MIN(s->channels, 3);
    v[0] = v[1] = v[2] = v[3] = 0;
    if (column < 0 || row < 0)
        return;
    if (alpha)
        v[3] = sample_get(image, column, row, z, s->channels - 1);
    for (int k = 0; k < colors; k++) {
        v[k] = sample_get(image, column, row, z, grey ? 0 : k);
        v[k] *= alpha && s->alpha == LG_ALPHA_STRAIGHT ? v[3] : 1;
    }
}

// Mean of a quarter; returns its variance. *size: of its squares.
static double quarter(const lg_image *in, int64_t x, int64_t y, int z, int radius, int border,
                      double mean[4], double *size)
{
    const double n = (radius + 1.0) * (radius + 1.0);
    double squares = 0, v[4];
    for (int k = 0; k < 4; k++)
        mean[k] = 0;
    for (int i = 0; i <= radius; i++)
        for (int j = 0; j <= radius; j++) {
            read_pixel(in, x + j, y + i, z, border, v);
            for (int k = 0; k < 4; k++) {
                mean[k] += v[k] / n;
                squares += v[k] * v[k] / n;
            }
        }
    *size = squares;
    for (int k = 0; k < 4; k++)
        squares -= mean[k] * mean[k];
    return squares;
}

static int64_t pixels, told;

// Whether a pixel is the mean of a quarter that may be the one of least variance.
static bool is_right(const lg_native_call *done, int x, int y, int z)
{
    const lg_image *in = done->in[0], *out = done->out;
    const lg_image_params *s = &out->shape;
    const int radius = kernel_whole(done, "radius"), border = kernel_whole(done, "border");
    double means[4][4], variance[4], sizes[4], least = INFINITY, most = 1, got[4];
    for (int q = 0; q < 4; q++) {
        variance[q] = quarter(in, x - (q == 0 || q == 3 ? radius : 0), y - (q < 2 ? radius : 0), z,
                              radius, border, means[q], &sizes[q]);
        least = fmin(least, variance[q]);
        most = fmax(most, sizes[q]);
    }
    read_pixel(out, x, y, z, border, got);
    int possible = 0;
    bool right = false;
    for (int q = 0; q < 4; q++) {
        double off = 0;
        for (int k = 0; k < 4; k++)
            off = fmax(off, fabs(got[k] - means[q][k]));
        if (variance[q] <= least + 1e-5 * most) {
            possible++;
            right |= off < (s->type == LG_F32   ? 1e-5
                            : s->type == LG_F16 ? 2e-3
                                                : 5e-3) *
                               sqrt(most);
        }
    }
    pixels++;
    told += possible == 1;
    return right;
}

static void check_quarters(const lg_native_call *done, content kind)
{
    const lg_image_params *s = &done->out->shape;
    int64_t wrong = 0, count = 0;
    if (kind != CONTENT_UNIT || !kernel_keeps_kind(done) || kernel_whole(done, "radius") > 7)
        return;
    for (int z = 0; z < s->layers; z++)
        for (int64_t i = 0; i < (int64_t)s->width * s->height;
             i += 1 + s->width * s->height / 200, count++)
            wrong += !is_right(done, (int)(i % s->width), (int)(i / s->width), z);
    CHECK(wrong == 0, "%lld of %lld pixels of %d x %d, %s x %d, alpha %d, radius %d",
          (long long)wrong, (long long)count, s->width, s->height, lg_type_name(s->type),
          s->channels, (int)s->alpha, kernel_whole(done, "radius"));
}

static const kernel_case quarters = {.filter = "kuwahara",
                                     .params = "radius={0|1|2|3|3|7|40|255}:border={*}",
                                     .params_small = "radius={0|1|2|3|3|7|40}:border={*}",
                                     .oracle = check_quarters,
                                     .share = 8,
                                     .bench = "radius=3"};

// An edge stays an edge: no quarter that is half on either side is taken.
static void test_edge(void)
{
    const lg_image_params shape = SHAPE(64, 20, 1, 1, LG_F32, LG_ALPHA_NONE);
    lg_image *in = kernel_zeros(shape), *out = kernel_zeros(shape);
    for (int y = 0; y < 20; y++)
        for (int x = 0; x < 64; x++)
            ((float *)in->data)[(size_t)y * (in->shape.row_stride / 4) + (size_t)x] =
                x < 29 ? 0.25f : 0.75f;
    kernel_run(kernel_context(), "kuwahara", "radius=5", in, NULL, out);
    for (int y = 0; y < 20; y++)
        for (int x = 0; x < 64; x++)
            CHECK(fabs(sample_get(out, x, y, 0, 0) - (x < 29 ? 0.25 : 0.75)) < 1e-6, "%d,%d: %g", x,
                  y, sample_get(out, x, y, 0, 0));
    lg_image_destroy(&in);
    lg_image_destroy(&out);
}

static void test_more(void)
{
    test_edge();
    CHECK(told > pixels / 2, "%lld of %lld pixels have one quarter", (long long)told,
          (long long)pixels);
}

int main(void)
{
    return kernel_main("kuwahara", &quarters, 1, test_more);
}

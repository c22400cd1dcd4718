// The median of boxes against sorting, box by box.
#include "check.h"
#include "kernel.h"

#include <math.h>
#include <stdlib.h>

static void stack(lg_image_params *in, lg_image_params *over, lg_image_params *out)
{
    (void)over;
    in->layers = (int32_t[]){1, 2, 3, 7}[random_below(4)];
    out->layers = in->layers;
    out->type = random_below(2) ? LG_F32 : in->type;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// A colour, of premultiplied ones divided by alpha; *alpha is 1 where there is none.
static double color_at(const lg_image *in, int64_t x, int64_t y, int64_t z, int channel,
                       double *alpha)
{
    const bool times_alpha = in->shape.alpha == LG_ALPHA_PREMULTIPLIED;
    *alpha = times_alpha ? sample_get(in, x, y, z, in->shape.channels - 1) : 1;
    return *alpha > 0 ? sample_get(in, x, y, z, channel) / *alpha : 0;
}

static double middle_of(const lg_native_call *done, int x, int y, int z, int channel)
{
    const lg_image_params *s = &done->in[0]->shape;
    const int r = kernel_whole(done, "radius"), rz = kernel_whole(done, "radius_z");
    const int border = kernel_whole(done, "border");
    double v[11 * 11 * 11];
    size_t n = 0;
    for (int i = -rz; i <= rz; i++)
        for (int j = -r; j <= r; j++)
            for (int k = -r; k <= r; k++) {
                const int64_t layer = border_walk(z + i, s->layers, border);
                const int64_t row = border_walk(y + j, s->height, border);
                const int64_t column = border_walk(x + k, s->width, border);
                const bool outside = layer < 0 || row < 0 || column < 0;
                double alpha;
                v[n++] = outside ? 0 : color_at(done->in[0], column, row, layer, channel, &alpha);
            }
    qsort(v, n, sizeof *v, compare);
    return v[n / 2];
}

static void check_boxes(const lg_native_call *done, content kind)
{
    const lg_image *out = done->out;
    const lg_image_params *s = &done->in[0]->shape;
    const bool data = s->channels == 4 && s->alpha == LG_ALPHA_NONE;
    const bool mixed = s->alpha == LG_ALPHA_PREMULTIPLIED; // divided and multiplied, in floats
    const bool alpha = s->alpha != LG_ALPHA_NONE || data;
    const int colors = s->channels - (s->channels > 1 && alpha);
    const double full = out->shape.type == LG_U8 ? 255 : out->shape.type == LG_U16 ? 65535 : 0;
    const double most = mixed ? (full > 0 ? 0.51 / full : 1e-3) : full > 0 ? 1e-9 : 1e-7;
    int wrong = 0;
    if (kind != CONTENT_UNIT)
        return;
    for (int64_t i = 0; i < (int64_t)s->width * s->height; i += 1 + s->width * s->height / 12)
        for (int z = 0; z < s->layers; z++)
            for (int k = 0; k < colors; k++) {
                const int x = (int)(i % s->width), y = (int)(i / s->width);
                double own;
                color_at(done->in[0], x, y, z, k, &own);
                const double want = middle_of(done, x, y, z, k) * own;
                wrong += !(fabs(sample_get(out, x, y, z, k) - want) <= most);
            }
    CHECK(wrong == 0, "%d samples of %d x %d x %d", wrong, s->width, s->height, s->layers);
}

static const kernel_case medians = {.filter = "median_3d",
                                    .params = "radius={0|1|1|2}:radius_z={0|1|1|3}:border={*}",
                                    .oracle = check_boxes,
                                    .shapes = stack,
                                    .share = 4};

// By hand: of three layers of one pixel, 7 1 5, the middle one is 5; at the ends two of three are their own.
static void test_by_hand(void)
{
    static const int values[3] = {7, 1, 5}, want[3] = {7, 5, 5};
    lg_image *in = kernel_zeros(SHAPE(1, 1, 3, 1, LG_U8, LG_ALPHA_NONE));
    lg_image *out = kernel_zeros(in->shape);
    for (int z = 0; z < 3; z++)
        sample_store(in, 0, 0, z, 0, values[z]);
    kernel_run(kernel_best_context(), "median_3d", "radius=0", in, NULL, out);
    for (int z = 0; z < 3; z++)
        CHECK(sample_stored(out, 0, 0, z, 0) == want[z], "%g in layer %d",
              sample_stored(out, 0, 0, z, 0), z);
    lg_image_destroy(&in);
    lg_image_destroy(&out);
}

int main(void)
{
    return kernel_main("median_3d", &medians, 1, test_by_hand);
}

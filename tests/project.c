// Projections along layers against sorting and against sums in long doubles, pixel by pixel.
#include "check.h"
#include "kernel.h"

#include <math.h>
#include <stdlib.h>

#define MOST_LAYERS 40

// One to forty layers, of which some are alike.
static void stack(lg_image_params *in, lg_image_params *over, lg_image_params *out)
{
    (void)over;
    in->layers = (int32_t[]){1, 2, 3, 7, MOST_LAYERS}[random_below(in->width > 200 ? 3 : 5)];
    *out = *in;
    out->layers = 1;
    out->type = random_below(2) ? LG_F32 : in->type;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double figure_of(int figure, double *v, int n)
{
    long double sum = 0, squares = 0;
    for (int z = 0; z < n; z++)
        sum += v[z];
    for (int z = 0; z < n; z++)
        squares += (v[z] - sum / n) * (v[z] - sum / n);
    qsort(v, (size_t)n, sizeof *v, compare);
    return (double[]){v[n - 1], v[0], (double)(sum / n), (double)sum,
                      (double)sqrtl(squares / n)}[figure];
}

// The figure of what a stage reads: with premultiplied alpha that is another number than the sample.
static void check_figures(const lg_native_call *done, content kind)
{
    const lg_image *in = done->in[0], *out = done->out;
    const lg_image_params *s = &in->shape;
    const int figure = kernel_whole(done, "figure");
    const double most = out->shape.type == LG_U8 ? 255 : out->shape.type == LG_U16 ? 65535 : 0;
    int wrong = 0;
    if (kind != CONTENT_UNIT || s->alpha == LG_ALPHA_PREMULTIPLIED)
        return;
    for (int64_t i = 0; i < (int64_t)s->width * s->height; i += 1 + s->width * s->height / 200)
        for (int k = 0; k < s->channels - (s->alpha == LG_ALPHA_OPAQUE); k++) {
            const int x = (int)(i % s->width), y = (int)(i / s->width);
            const bool is_alpha = s->alpha == LG_ALPHA_STRAIGHT && k == s->channels - 1;
            double v[MOST_LAYERS];
            for (int z = 0; z < s->layers; z++)
                v[z] = sample_get(in, x, y, z, k);
            const double want = figure_of(is_alpha && figure > 2 ? 2 : figure, v, s->layers);
            const double have = sample_get(out, x, y, 0, k);
            const double bound =
                most ? 0.5 / most + 1e-6 : (out->shape.type == LG_F16 ? 1e-3 : 1e-6) * (1 + want);
            wrong += !(fabs(have - (most ? fmin(want, 1) : want)) <= bound);
        }
    CHECK(wrong == 0, "figure %d: %d samples of %d x %d x %d", figure, wrong, s->width, s->height,
          s->layers);
}

static const kernel_case projections = {.filter = "project",
                                        .params = "figure={max|min|mean|sum|stddev}",
                                        .oracle = check_figures,
                                        .shapes = stack,
                                        .share = 3};

// 4096 layers whose plain sum in floats is off from the third digit on.
static void test_compensated(void)
{
    lg_image *in = kernel_zeros(SHAPE(3, 1, 4096, 1, LG_F32, LG_ALPHA_NONE));
    lg_image *out = kernel_zeros(SHAPE(3, 1, 1, 1, LG_F32, LG_ALPHA_NONE));
    NEED(in && out, "memory");
    for (int z = 0; z < 4096; z++) {
        sample_store(in, 0, 0, z, 0, z == 0 ? 16777216 : 1);
        sample_store(in, 1, 0, z, 0, z == 0 ? NAN : 2);
        sample_store(in, 2, 0, z, 0, z == 7 ? INFINITY : 3);
    }
    kernel_run(kernel_best_context(), "project", "figure=sum", in, NULL, out);
    CHECK(sample_get(out, 0, 0, 0, 0) == 16777216.0 + 4096, "a sum of 2^24 and 4095 ones is %.9g",
          sample_get(out, 0, 0, 0, 0));
    CHECK(isnan(sample_get(out, 1, 0, 0, 0)) && isinf(sample_get(out, 2, 0, 0, 0)),
          "sums with NaN and infinity are %g and %g", sample_get(out, 1, 0, 0, 0),
          sample_get(out, 2, 0, 0, 0));
    kernel_run(kernel_best_context(), "project", "figure=max", in, NULL, out);
    CHECK(sample_get(out, 1, 0, 0, 0) == 2, "NaN is left out of the largest");
    lg_image_destroy(&in);
    lg_image_destroy(&out);
}

int main(void)
{
    return kernel_main("project", &projections, 1, test_compensated);
}

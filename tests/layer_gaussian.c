// A Gaussian along layers against sums in long doubles, pixel by pixel.
#include "check.h"
#include "kernel.h"

#include <math.h>

static void stack(lg_image_params *in, lg_image_params *over, lg_image_params *out)
{
    (void)over;
    in->layers = (int32_t[]){1, 2, 3, 5, 19}[random_below(in->width > 100 ? 3 : 5)];
    out->layers = in->layers;
    out->type = random_below(2) ? LG_F32 : in->type;
}

static double sigma_of(const lg_native_call *done)
{
    return (double)lg_native_value(done->filter, done->values, "sigma");
}

// The weight i layers away, by the window that the page of definitions gives: 3 sigma, rounded up.
static long double weight_at(double sigma, int i, int taps)
{
    long double sum = 0;
    for (int k = -taps; k <= taps; k++)
        sum += expl(-(long double)k * k / (2 * sigma * sigma));
    return expl(-(long double)i * i / (2 * sigma * sigma)) / sum;
}

// The sample around layer z; `alpha` the channel that multiplies it, or -1.
static double mean_of(const lg_native_call *done, int x, int y, int z, int channel, int alpha)
{
    const lg_image *in = done->in[0];
    const double sigma = sigma_of(done);
    const int taps = (int)ceil(3 * sigma);
    long double sum = 0;
    for (int i = -taps; i <= taps; i++) {
        const int64_t from = border_walk(z + i, in->shape.layers, kernel_whole(done, "border"));
        const double v = from < 0 ? 0 : sample_get(in, x, y, from, channel);
        const double a = from < 0 || alpha < 0 ? 1 : sample_get(in, x, y, from, alpha);
        sum += (sigma > 0 ? weight_at(sigma, i, taps) : 1) * v * a;
    }
    return (double)sum;
}

static void check_stack(const lg_native_call *done, content kind)
{
    const lg_image *in = done->in[0], *out = done->out;
    const lg_image_params *s = &in->shape;
    const bool data = s->channels == 4 && s->alpha == LG_ALPHA_NONE;
    const int alpha = s->alpha == LG_ALPHA_STRAIGHT || data ? s->channels - 1 : -1;
    const double full = out->shape.type == LG_U8 ? 255 : out->shape.type == LG_U16 ? 65535 : 0;
    const double bound = full > 0 ? 0.5 / full + 2e-6 : out->shape.type == LG_F16 ? 1e-3 : 2e-6;
    int wrong = 0;
    if (kind != CONTENT_UNIT || s->alpha == LG_ALPHA_PREMULTIPLIED)
        return;
    for (int64_t i = 0; i < (int64_t)s->width * s->height; i += 1 + s->width * s->height / 40)
        for (int z = 0; z < s->layers; z++)
            for (int k = 0; k < s->channels - (s->alpha == LG_ALPHA_OPAQUE); k++) {
                const int x = (int)(i % s->width), y = (int)(i / s->width);
                const double all = alpha < 0 ? 1 : mean_of(done, x, y, z, alpha, -1);
                const double sum = mean_of(done, x, y, z, k, k == alpha ? -1 : alpha);
                const double want = k == alpha ? all : all > 1e-12 ? sum / all : 0;
                wrong += !(fabs(sample_get(out, x, y, z, k) - want) <= bound);
            }
    CHECK(wrong == 0, "%d samples of %d x %d x %d", wrong, s->width, s->height, s->layers);
}

static const kernel_case blurs = {.filter = "layer_gaussian",
                                  .params = "sigma={0|0.4|1|2.5|7}:border={*}",
                                  .oracle = check_stack,
                                  .shapes = stack,
                                  .share = 2};

// By hand: sigma 0.5 has the weights 0.78657 in the middle, 0.10645 beside it, 0.000264 two layers away.
static void test_by_hand(void)
{
    lg_image *in = kernel_zeros(SHAPE(1, 1, 5, 1, LG_F32, LG_ALPHA_NONE));
    lg_image *out = kernel_zeros(SHAPE(1, 1, 5, 1, LG_F32, LG_ALPHA_NONE));
    static const double want[5] = {0.000264, 0.10645, 0.78657, 0.10645, 0.000264};
    sample_put(in, 0, 0, 2, 0, 1);
    kernel_run(kernel_best_context(), "layer_gaussian", "sigma=0.5", in, NULL, out);
    for (int z = 0; z < 5; z++)
        CHECK(fabs(sample_get(out, 0, 0, z, 0) - want[z]) < 1e-4, "%g in layer %d",
              sample_get(out, 0, 0, z, 0), z);
    lg_image_destroy(&in);
    lg_image_destroy(&out);
}

int main(void)
{
    return kernel_main("layer_gaussian", &blurs, 1, test_by_hand);
}

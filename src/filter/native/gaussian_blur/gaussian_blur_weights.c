#include "filter/native/gaussian_blur/gaussian_blur.h"

#include <math.h>

// Half the window by GPUImage's rule; -1: there is none.
static int gpuimage_radius(double sigma)
{
    const double density = sqrt(2 * M_PI) * sigma / 256;
    if (density >= 1)
        return -1;
    const int radius = (int)floor(sqrt(-2 * sigma * sigma * log(density)));
    return radius + radius % 2;
}

// Whole weights from the outside in; what rounding leaves goes on to the next one, so that sums of
// neighbours are off by less than one.
static void round_weights(lg_gaussian *g, const double *w)
{
    const int r = g->radius;
    g->shift = 17;
    while (g->shift > 14 && w[0] * (double)(1 << g->shift) > 32767)
        g->shift--;
    const double scale = 1 << g->shift;
    double rest = 0;
    int32_t sum = 0;
    for (int i = r; i > 0; i--) {
        const double wanted = w[i] * scale + rest;
        const int32_t got = (int32_t)floor(wanted + 0.5);
        rest = wanted - got;
        g->whole[r - i] = g->whole[r + i] = got;
        sum += 2 * got;
    }
    g->whole[r] = (1 << g->shift) - sum;
}

lg_status lg_gaussian_create(float sigma, int radius, int rule, lg_gaussian *out, lg_error *error)
{
    double s = sigma;
    *out = (lg_gaussian){.radius = radius};
    if (rule == 1) {
        s = floor(s + 0.5);
        const int half = s < 1 ? 0 : gpuimage_radius(s);
        if (half < 0)
            return lg_fail(
                error, LG_ERROR_ARGUMENT,
                "gaussian_blur: sigma=%g has no window by GPUImage's rule; it has one up "
                "to 102, and rule=auto up to 256",
                (double)sigma);
        if (!radius)
            out->radius = half;
    } else if (!radius) {
        out->radius = (int)ceil(3 * s);
    }
    if (s <= 0)
        out->radius = 0;
    const size_t half = (size_t)out->radius + 1;
    out->floats = lg_alloc_array(half, sizeof *out->floats);
    out->whole = lg_alloc_array(2 * half, sizeof *out->whole);
    double *w = lg_alloc_array(half, sizeof *w);
    if (!out->floats || !out->whole || !w) {
        lg_free(w);
        lg_gaussian_destroy(out);
        return lg_fail_memory(error, half * 20, "the weights of gaussian_blur");
    }
    double sum = 0;
    for (int i = out->radius; i >= 0; i--) {
        w[i] = s > 0 ? exp(-(double)i * i / (2 * s * s)) : 1;
        sum += i ? 2 * w[i] : w[i];
    }
    for (int i = 0; i <= out->radius; i++) {
        w[i] /= sum;
        out->floats[i] = (float)w[i];
    }
    round_weights(out, w);
    lg_free(w);
    return LG_OK;
}

void lg_gaussian_destroy(lg_gaussian *g)
{
    lg_free(g->floats);
    lg_free(g->whole);
    g->floats = NULL;
    g->whole = NULL;
}

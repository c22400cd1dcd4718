#include "filter/native/gaussian_blur/gaussian_blur.h"

#include <math.h>

// Levels begin where the window would have more than 15 weights on either side. Below a remaining deviation
// of 1.35, samples 2^levels apart would leave ripples; above it all is within 0.14 % of the Gaussian
// (docs/definitions.md).
#define FIRST_SIGMA 4.9
#define LEAST_SIGMA 1.35

// Half the window by GPUImage's rule; -1: there is none.
static int gpuimage_radius(double sigma)
{
    const double density = sqrt(2 * M_PI) * sigma / 256;
    if (density >= 1)
        return -1;
    const int radius = (int)floor(sqrt(-2 * sigma * sigma * log(density)));
    return radius + radius % 2;
}

// The deviation that the weights must have where halving and doubling `levels` times do the rest, in
// samples that are 2^levels pixels apart.
static double remaining(double sigma, int levels)
{
    const double distance = 1 << levels;
    return sqrt(fmax(0, sigma * sigma - 2 * (distance * distance - 1) / 3)) / distance;
}

static int32_t pair_of(int32_t low, int32_t high)
{
    return (int32_t)((uint32_t)low | (uint32_t)high << 16);
}

// Whole weights from the outside in; what rounding leaves goes on to the next one, so that sums of
// neighbours are off by less than one.
static void round_weights(lg_gaussian *g, int spacing, const double *w)
{
    g->shift = LG_GAUSSIAN_SHIFT;
    while (g->shift > 14 && w[0] * (double)(1 << g->shift) > 32767)
        g->shift--;
    const double scale = 1 << g->shift;
    double rest = 0;
    int32_t sum = 0;
    for (int i = g->taps; i > 0; i -= spacing) {
        const double wanted = w[i] * scale + rest;
        g->whole[i] = (int32_t)floor(wanted + 0.5);
        rest = wanted - g->whole[i];
        sum += 2 * g->whole[i];
    }
    g->whole[0] = (1 << g->shift) - sum;
    const bool odd = g->taps % 2;
    g->pairs[0] = pair_of(g->whole[0], odd ? g->whole[1] : 0);
    for (int i = 1 + odd, k = 1; i < g->taps; i += 2)
        g->pairs[k++] = pair_of(g->whole[i], g->whole[i + 1]);
}

static lg_status find_window(double *sigma, int radius, lg_gaussian_rule rule, int spacing,
                             lg_gaussian *g, lg_error *error)
{
    const double asked = *sigma;
    g->taps = radius;
    if (rule == LG_GAUSSIAN_GPUIMAGE) {
        *sigma = floor(asked + 0.5);
        const int half = *sigma < 1 ? 0 : gpuimage_radius(*sigma);
        if (half < 0)
            return lg_fail(
                error, LG_ERROR_ARGUMENT,
                "gaussian_blur: sigma=%g has no window by GPUImage's rule; it has one up "
                "to 102, and with rule=auto up to 256",
                asked);
        g->taps = radius ? radius : half;
    } else if (!radius) {
        while (rule == LG_GAUSSIAN_AUTO && spacing == 1 && asked >= FIRST_SIGMA &&
               remaining(asked, g->levels + 1) >= LEAST_SIGMA)
            g->levels++;
        *sigma = remaining(asked, g->levels);
        g->taps = (int)ceil(3 * *sigma);
    }
    if (*sigma <= 0)
        g->taps = 0;
    if (g->taps > LG_GAUSSIAN_TAPS / spacing)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "gaussian_blur: a window of %d weights on either side, %d pixels apart, "
                       "reaches further than %d pixels; take a smaller sigma or "
                       "texel_spacing_multiplier",
                       g->taps, spacing, LG_GAUSSIAN_TAPS);
    g->taps *= spacing;
    g->radius = (g->taps << g->levels) + 4 * ((1 << g->levels) - 1);
    return LG_OK;
}

int lg_gaussian_reach(float sigma, int radius, lg_gaussian_rule rule, int spacing, int *levels)
{
    double s = sigma;
    lg_gaussian g = {0};
    const bool refused = find_window(&s, radius, rule, spacing, &g, NULL);
    *levels = refused ? 0 : g.levels;
    return refused ? 0 : g.radius;
}

lg_status lg_gaussian_create(float sigma, int radius, lg_gaussian_rule rule, lg_gaussian *out,
                             lg_error *error)
{
    return lg_gaussian_create_spaced(sigma, radius, rule, 1, out, error);
}

lg_status lg_gaussian_create_spaced(float sigma, int radius, lg_gaussian_rule rule, int spacing,
                                    lg_gaussian *out, lg_error *error)
{
    double s = sigma, sum = 0;
    *out = (lg_gaussian){0};
    const lg_status status = find_window(&s, radius, rule, spacing, out, error);
    if (status)
        return status;
    const size_t count = (size_t)out->taps + 1;
    out->floats = lg_alloc_array(count, sizeof *out->floats);
    out->whole = lg_alloc_array(count, sizeof *out->whole);
    out->pairs = lg_alloc_array(count, sizeof *out->pairs);
    double *w = lg_alloc_array(count, sizeof *w);
    if (!out->floats || !out->whole || !out->pairs || !w) {
        lg_free(w);
        lg_gaussian_destroy(out);
        return lg_fail_memory(error, count * 20, "the weights of gaussian_blur");
    }
    for (size_t i = 0; i < count; i++)
        w[i] = out->whole[i] = 0, out->floats[i] = 0;
    for (int i = out->taps / spacing; i >= 0; i--) {
        const double weight = s > 0 ? exp(-(double)i * i / (2 * s * s)) : 1;
        w[i * spacing] = weight;
        sum += i ? 2 * weight : weight;
    }
    for (int i = 0; i <= out->taps; i += spacing) {
        w[i] /= sum;
        out->floats[i] = (float)w[i];
    }
    round_weights(out, spacing, w);
    lg_free(w);
    return LG_OK;
}

void lg_gaussian_destroy(lg_gaussian *g)
{
    lg_free(g->floats);
    lg_free(g->whole);
    lg_free(g->pairs);
    g->floats = NULL;
    g->whole = g->pairs = NULL;
}

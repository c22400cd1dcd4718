// Figures of the sums of a channel, on the host.
#include "graph/figure_sums.h"
#include "graph/figure.h"

#include <math.h>
#include <string.h>

// ---- as a device makes them ---------------------------------------------------------------------

static lg_u768 limbs_of(const lg_u1024 *w)
{
    lg_u768 r;
    for (int i = 0; i < LG_U768_LIMBS; i++)
        r.at[i] = (uint32_t)(w->limb[i / 2] >> (32 * (i % 2)));
    return r;
}

static lg_figure_sums sums_of(const lg_moments_state *state, lg_type type)
{
    const lg_integer_moments *integers = &state->integers;
    const lg_float_sums *floats = &state->floats;
    lg_figure_sums s = {.unit = lg_figure_unit(type), .scale = lg_figure_scale(type)};
    lg_u1024 sum, squares = lg_u1024_of(0);
    bool negative = false;
    if (state->integer) {
        sum = lg_u1024_of(integers->sum);
        squares = lg_u1024_of(integers->squares);
        s.n = (uint32_t)integers->n;
        s.low = (float)integers->min;
        s.high = (float)integers->max;
    } else {
        s.n = (uint32_t)floats->n;
        s.low = floats->min;
        s.high = floats->max;
        sum = lg_float_sums_magnitude(floats, &negative);
        memcpy(squares.limb, floats->squares, sizeof floats->squares);
    }
    s.negative = negative;
    s.sum = limbs_of(&sum);
    s.squares = limbs_of(&squares);
    return s;
}

// ---- of more samples than that is for: the same rows, in doubles --------------------------------

typedef struct many {
    double mean, low, high;
} many;

#define lg_sums_mean(s)         ((s).mean)
#define lg_sums_in_colors(s, x) (x)
#define lg_ratio_root(v)        sqrt(v)
#define lg_ratio_value(v)       (v)

// In the unit of samples, to the figure's power.
static double stored(many s, double v, uint32_t kind)
{
    uint32_t row = LG_FIRST_OF_SUMS;
    LG_FIGURES_OF_SUMS(LG_FIGURE_CASE)
    LG_FIGURES_OF_VARIANCE(LG_FIGURE_CASE)
    return 0;
}

static float of_many(const lg_moments_state *state, lg_type type, lg_figure_kind kind)
{
    lg_moments m;
    const double scale = lg_figure_scale(type);
    if (lg_moments_finish(state, LG_NAN_IGNORE, &m, NULL) || m.count == 0)
        return 0;
    const double x = stored((many){m.mean, m.min, m.max}, m.variance, kind);
    return (float)(x / pow(scale, lg_figure_rows[kind].power));
}

float lg_figure_of_state(const lg_moments_state *state, const lg_image_params *shape,
                         lg_figure_kind kind)
{
    if (lg_figure_has_sums(shape))
        return lg_figure_of_sums(sums_of(state, shape->type), kind);
    return of_many(state, shape->type, kind);
}

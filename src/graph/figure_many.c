// Figures of more samples than the text for devices counts: the same rows, in doubles.
#include "graph/figure_sums.h"
#include "graph/plan.h"

#include <math.h>

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

float lg_figure_of_many(const lg_moments_state *state, lg_type type, lg_figure_kind kind)
{
    lg_moments m;
    const double scale = lg_figure_scale(type);
    if (lg_moments_finish(state, LG_NAN_IGNORE, &m, NULL) || m.count == 0)
        return 0;
    const double x = stored((many){m.mean, m.min, m.max}, m.variance, kind);
    return (float)(x / pow(scale, lg_figure_rows[kind].power));
}

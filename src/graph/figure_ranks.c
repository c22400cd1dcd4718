// Percentiles on the host, from counts of samples that are no bytes.
#include "graph/figure_ranks.h"
#include "graph/figure.h"
#include "graph/figure_sums.h"

#include <math.h>

// Of counts per value in ascending order, the number of the one that has a rank.
static uint32_t value_of(const lg_histogram_channel *c, uint32_t rank)
{
    const bool halves = c->type == LG_F16;
    uint64_t below = 0;
    uint32_t order = 0;
    for (; order < (halves ? LG_RANK_HALVES : c->value_count); order++) {
        below += c->values[halves ? lg_rank_half(order) : order];
        if (below > rank)
            break;
    }
    return order;
}

static lg_rank_spot spot_of(const lg_histogram_channel *c, uint32_t rank)
{
    uint64_t before = 0;
    uint32_t bin = 0;
    while (before + c->counts[bin] <= rank)
        before += c->counts[bin++];
    return (lg_rank_spot){bin, rank - (uint32_t)before, (uint32_t)c->counts[bin]};
}

float lg_figure_percentile(const lg_histogram_channel *c, uint32_t scale, uint32_t billionths)
{
    if (c->total == 0)
        return NAN;
    if (c->total > UINT32_MAX)
        return (float)(lg_histogram_percentile(c, billionths / 1e7) / scale);
    const lg_figure_place at = lg_figure_place_of((uint32_t)c->total, billionths);
    if (!c->values)
        return lg_rank_between_bins((float)c->lo, (float)c->hi, spot_of(c, at.rank),
                                    spot_of(c, at.next), at.rest);
    const uint32_t first = value_of(c, at.rank), second = value_of(c, at.next);
    if (c->type == LG_F16)
        return lg_rank_between(lg_rank_half_value(first), lg_rank_half_value(second), at.rest);
    return lg_figure_between(first, second, at.rest, scale);
}

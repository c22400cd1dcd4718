// Figures of boxes that follow from others: percentiles from histograms, probabilities from sums.
#include "areasum_planes.h"

#include <math.h>

#define COUNTS_AT_ONCE 65536 // counters of the histograms that are asked for together

// With one bin for each value of the type the counts are those of the values.
static lg_histogram_channel channel_of(const lg_areasum *a)
{
    const double most = a->shape.type == LG_U8 ? 255 : 65535;
    const bool every = a->shape.type <= LG_U16 && a->params.low == 0 && a->params.high == most &&
                       a->params.bins == (int)most + 1;
    return (lg_histogram_channel){.bins = a->params.bins,
                                  .lo = a->params.low,
                                  .hi = a->params.high,
                                  .type = a->shape.type,
                                  .value_count = every ? (uint32_t)a->params.bins : 0};
}

static double percentile_of(lg_histogram_channel c, uint64_t *counts, double p)
{
    for (int i = 0; i < c.bins; i++)
        c.total += counts[i];
    c.counts = counts;
    c.values = c.value_count ? counts : NULL;
    return lg_histogram_percentile(&c, p);
}

lg_status lg_areasum_query_percentile(lg_context *context, const lg_areasum *a, double p,
                                      const int32_t *bounds, size_t count, double *out,
                                      lg_error *error)
{
    if (!a || (count && !out))
        return lg_fail_null(error, "area sums, and a place for the percentiles");
    if (!(p >= 0 && p <= 100))
        return lg_fail(error, LG_ERROR_ARGUMENT, "percentile %g; it must be 0 to 100", p);
    const size_t channels = (size_t)a->shape.channels, bins = (size_t)LG_MAX(a->params.bins, 1);
    const size_t room = LG_MIN(LG_MAX(COUNTS_AT_ONCE / (channels * bins), (size_t)1), count);
    uint64_t *counts = lg_alloc_array(room * channels * bins, sizeof *counts);
    if (!counts)
        return lg_fail_memory(error, room * channels * bins * sizeof *counts,
                              "histograms of boxes");
    const size_t words = 2 * (size_t)a->shape.dims;
    const lg_histogram_channel channel = channel_of(a);
    // Every box is checked, and the structure, before anything is written.
    lg_status status = lg_areasum_query_histogram(context, a, bounds, 0, counts, error);
    if (!status)
        status = lg_area_check_boxes(context, a, bounds, count, error);
    for (size_t first = 0; first < count && !status; first += room) {
        const size_t some = LG_MIN(room, count - first);
        status =
            lg_areasum_query_histogram(context, a, bounds + words * first, some, counts, error);
        for (size_t i = 0; i < some * channels && !status; i++)
            out[first * channels + i] = percentile_of(channel, counts + i * bins, p);
    }
    lg_free(counts);
    return status;
}

lg_status lg_areasum_query_probability(lg_context *context, const lg_areasum *a,
                                       const int32_t *bounds, size_t count, double *out,
                                       lg_error *error)
{
    if (!a || (count && !out))
        return lg_fail_null(error, "area sums, and a place for the probabilities");
    const size_t channels = (size_t)a->shape.channels;
    const int dims = a->shape.dims;
    int32_t everything[2 * LG_AREA_DIMS] = {0};
    double total[LG_MAX_CHANNELS];
    for (int d = 0; d < dims; d++) {
        if (a->shape.extent[d] > INT32_MAX)
            return lg_fail(error, LG_ERROR_LIMIT, "axis %d has more than 2^31 - 1 elements", d);
        everything[dims + d] = (int32_t)a->shape.extent[d];
    }
    lg_status status = lg_areasum_query(context, a, LG_AREA_SUM, everything, 1, total, error);
    for (size_t c = 0; c < channels && !status; c++)
        if (!(total[c] > 0))
            status = lg_fail(error, LG_ERROR_DATA,
                             "the samples of channel %zu add up to %g; a density needs a sum above "
                             "0",
                             c, total[c]);
    if (!status)
        status = lg_areasum_query(context, a, LG_AREA_SUM, bounds, count, out, error);
    for (size_t i = 0; i < count * channels && !status; i++)
        out[i] /= total[i % channels];
    return status;
}

// Curves measured on an image: the share of samples up to a value. They drive a filter as its tables.
#include "graph/figure.h"
#include "graph/figure_rule.h"
#include "measure/histogram/histogram.h"

#include <string.h>

lg_table lg_curve_table(const lg_image_params *shape, const lg_figure *figure)
{
    const int bins = shape->type == LG_U8 ? 256 : LG_MAX_BINS;
    const bool each =
        figure->channel == LG_CHANNEL_DEFAULT && lg_image_measured_channels(shape) >= 3;
    const int curves = each ? 3 : 1, row = LG_CURVE_HEADER + bins;
    return (lg_table){
        .count = curves * row, .width = bins, .height = curves, .layers = 1, .row = row};
}

// Of bytes, in integers below 2^32, as the device computes; else in doubles.
static void write_shares(const uint64_t *counts, int bins, bool exact, lg_figure_kind kind,
                         float *out)
{
    uint64_t all = 0, first = 0, below = 0;
    for (int i = 0; i < bins; i++) {
        all += counts[i];
        first = first ? first : counts[i];
    }
    if (kind == LG_FIGURE_ECDF)
        first = 0;
    out[1] = all > first; // with one value there are no steps
    for (int i = 0; i < bins; i++) {
        below += counts[i];
        if (exact)
            out[LG_CURVE_HEADER + i] =
                lg_figure_of_curve((uint32_t)below, (uint32_t)first, (uint32_t)all, kind);
        else if (all > first && below)
            out[LG_CURVE_HEADER + i] = (float)((double)(below - first) / (double)(all - first));
    }
}

// Which values the bins have.
static lg_status write_range(const lg_histogram_channel *h, lg_type type, float *out,
                             lg_error *error)
{
    lg_histogram_rule rule = {.start = LG_CURVE_LOW_U8, .factor = 1, .scale = 255};
    lg_status status = LG_OK;
    if (type == LG_U16)
        rule = (lg_histogram_rule){.start = -0.5F / 65535, .factor = 1, .scale = 65535};
    else if (type != LG_U8)
        status = lg_histogram_set_rule(h->lo, h->hi, h->bins, &rule, error);
    out[0] = rule.start;
    out[1] *= rule.scale;
    out[2] = rule.factor;
    return status;
}

lg_status lg_curve_make(const lg_image_params *shape, const lg_figure *figure,
                        const lg_histogram *counts, float *out, lg_error *error)
{
    const lg_table table = lg_curve_table(shape, figure);
    const bool exact = lg_figure_source_of(shape, figure, false) == LG_SOURCE_COUNTS;
    lg_status status = LG_OK;
    memset(out, 0, (size_t)table.count * sizeof *out);
    for (int i = 0; i < table.height && !status; i++) {
        const int channel = lg_figure_channel_of(shape, figure, i);
        float *curve = out + (size_t)i * (size_t)table.row;
        if (channel < 0) // alpha that the image has not
            continue;
        const lg_histogram_channel *h = &counts->channel[channel];
        write_shares(exact ? h->values : h->counts, h->bins, exact, figure->kind, curve);
        status = write_range(h, shape->type, curve, error);
    }
    return status;
}

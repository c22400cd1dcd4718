// From counts to the published result: everything a backend does not count is derived here.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernel/space/linear.h"
#include "measure/histogram/histogram.h"

typedef struct lg_histogram_private {
    lg_histogram histogram; // first: same address
    uint64_t *bins, *values;
    double only;
} lg_histogram_private;

double lg_histogram_only_value(const lg_histogram *histogram)
{
    return ((const lg_histogram_private *)histogram)->only;
}

uint32_t lg_histogram_bin(const lg_histogram_rule *rule, uint32_t bins, float v)
{
    if (isnan(v))
        return bins + LG_OUTSIDE_NAN;
    if (isinf(v))
        return bins + LG_OUTSIDE_INF;
    if (v < rule->lo)
        return bins + LG_OUTSIDE_BELOW;
    if (v > rule->hi)
        return bins + LG_OUTSIDE_ABOVE;
    const float scaled = v * rule->factor, position = (scaled - rule->start) * rule->scale;
    return LG_MIN((uint32_t)position, bins - 1);
}

// Integers have a rule of their own: exact when the bounds are integers, else in double.
static bool whole(double x)
{
    return x == floor(x) && fabs(x) <= 0x1p31;
}

uint32_t lg_histogram_exact_bin(double from, double to, uint32_t bins, int64_t value)
{
    const double v = (double)value;
    if (v < from)
        return bins + LG_OUTSIDE_BELOW;
    if (v > to)
        return bins + LG_OUTSIDE_ABOVE;
    if (whole(from) && whole(to)) {
        const int64_t lo = (int64_t)from, span = (int64_t)to - lo + 1;
        return (uint32_t)((value - lo) * (int64_t)bins / span);
    }
    // Doubles so far apart that what is made of them would overflow are brought nearer first.
    const double factor = to / 2 - from / 2 > 0x1p1000 ? 0x1p-40 : 1, lo = from * factor;
    const double position = (v * factor - lo) * bins / (to * factor - lo);
    return LG_MIN((uint32_t)position, bins - 1);
}

uint32_t lg_histogram_integer_bin(const lg_histogram_channel *c, uint32_t value)
{
    return lg_histogram_exact_bin(c->lo, c->hi, (uint32_t)c->bins, value);
}

// ---- native counts ----------------------------------------------------------------------------

static bool finite_value(lg_type type, uint32_t index, double *value)
{
    *value = lg_histogram_native_value(type, index);
    return isfinite(*value);
}

// Smallest and largest finite value counted anywhere.
static bool counted_range(const lg_histogram_task *task, const uint64_t *tables, double *lo,
                          double *hi)
{
    const size_t rows = (size_t)task->layers * (size_t)task->channels;
    *lo = INFINITY;
    *hi = -INFINITY;
    for (size_t row = 0; row < rows; row++) {
        const uint64_t *table = tables + row * task->table_size;
        double value;
        for (uint32_t i = 0; i < task->table_size; i++) {
            if (table[i] && finite_value(task->scan.type, i, &value)) {
                *lo = fmin(*lo, value);
                *hi = fmax(*hi, value);
            }
        }
    }
    return *lo <= *hi;
}

// Range and number of bins of a native task; binned ones have them from the plan.
static void resolve_range(const lg_histogram_task *task, const uint64_t *tables, double *lo,
                          double *hi, int32_t *bins)
{
    *lo = task->lo[0];
    *hi = task->hi[0];
    *bins = task->bins;
    double low, high;
    if (task->automatic && counted_range(task, tables, &low, &high)) {
        *lo = low;
        *hi = high;
        if (task->scan.type == LG_F16)
            lg_histogram_widen(lo, hi);
    }
    if (*bins != -1)
        return;
    *bins = 256;
    if (task->scan.type == LG_U8 && !task->linear && whole(*lo) && whole(*hi) &&
        *hi - *lo < LG_MAX_BINS)
        *bins = (int32_t)(*hi - *lo) + 1;
}

static void add_to(lg_histogram_channel *c, uint32_t bin, uint64_t count)
{
    const uint32_t bins = (uint32_t)c->bins;
    if (bin < bins) {
        c->counts[bin] += count;
        c->total += count;
    } else if (bin == bins + LG_OUTSIDE_BELOW) {
        c->below += count;
    } else if (bin == bins + LG_OUTSIDE_ABOVE) {
        c->above += count;
    } else if (bin == bins + LG_OUTSIDE_NAN) {
        c->nan_count += count;
    } else {
        c->inf_count += count;
    }
}

static void derive(lg_histogram_channel *c, const lg_histogram_rule *rule)
{
    for (uint32_t i = 0; i < c->value_count; i++) {
        if (!c->values[i])
            continue;
        if (c->type == LG_F16)
            add_to(c, lg_histogram_bin(rule, (uint32_t)c->bins, lg_half_to_float((uint16_t)i)),
                   c->values[i]);
        else
            add_to(c, lg_histogram_integer_bin(c, i), c->values[i]);
    }
}

// Each stored value has one value in linear light: its count goes there as a whole.
static void derive_linear(const lg_histogram_task *task, const uint64_t *table,
                          const lg_histogram_rule *rule, lg_histogram_channel *c)
{
    for (uint32_t i = 0; i < task->table_size; i++) {
        const float value = lg_linear((float)i * task->sample_scale);
        add_to(c, lg_histogram_bin(rule, (uint32_t)c->bins, value), table[i]);
    }
}

// ---- assembly ---------------------------------------------------------------------------------

static void channel_name(const lg_histogram_task *task, int channel, char out[8])
{
    static const char names[LG_SPACES][3][3] = {
        [LG_SPACE_LINEAR] = {"r", "g", "b"},     [LG_SPACE_HSV] = {"h", "s", "v"},
        [LG_SPACE_HSL] = {"h", "s", "l"},        [LG_SPACE_LAB] = {"L", "a", "b"},
        [LG_SPACE_YCBCR601] = {"Y", "Cb", "Cr"}, [LG_SPACE_YCBCR709] = {"Y", "Cb", "Cr"},
        [LG_SPACE_YIQ] = {"Y", "I", "Q"},        [LG_SPACE_XYZ] = {"X", "Y", "Z"},
        [LG_SPACE_LUV] = {"L", "u", "v"},        [LG_SPACE_LCH] = {"L", "C", "h"},
        [LG_SPACE_OKLAB] = {"L", "a", "b"}};
    const bool grey_luma = task->space == LG_SPACE_STORED && task->asked == LG_SPACE_LUMA;
    if (task->asked > LG_SPACE_RGBL)
        snprintf(out, 8, "%s", names[task->asked][channel]);
    else if (channel < task->sources && !grey_luma)
        snprintf(out, 8, "%s", lg_channel_name(&task->scan.image->shape, channel));
    else
        snprintf(out, 8, "y");
}

// Not inline: GCC 12 makes vectors of two such conversions side by side and then drops both.
static __attribute__((noinline)) double rounded(double x)
{
    return (double)(float)x;
}

// Floats are compared with ends that are floats.
static void set_ends(const lg_histogram_task *task, double lo, double hi, lg_histogram_channel *c)
{
    const bool whole = task->native && !task->linear && task->scan.type <= LG_U16;
    c->lo = whole ? lo : rounded(lo);
    c->hi = whole ? hi : rounded(hi);
}

// The native counts are of the published values.
static bool has_values(const lg_histogram_task *task)
{
    return task->native && !task->linear;
}

static lg_status allocate(const lg_histogram_task *task, int channels, int32_t bins,
                          lg_histogram_private **out, lg_error *error)
{
    size_t rows = 0, values = 0, cells = 0;
    bool fits = lg_size_mul((size_t)task->layers, (size_t)channels, &rows) &&
                lg_size_mul(rows, (size_t)bins, &cells) &&
                lg_size_mul(rows, task->table_size, &values);
    lg_histogram_private *p = fits ? lg_alloc(sizeof *p) : NULL;
    if (!p)
        return lg_fail_memory(error, sizeof *p, "a histogram");
    p->histogram.channel = lg_alloc_array(rows, sizeof *p->histogram.channel);
    p->bins = lg_alloc_array(cells, sizeof *p->bins);
    p->values = has_values(task) ? lg_alloc_array(values, sizeof *p->values) : NULL;
    if (!p->histogram.channel || !p->bins || (has_values(task) && !p->values)) {
        lg_histogram *partial = &p->histogram;
        lg_histogram_destroy(&partial);
        return lg_fail_memory(error, (cells + (has_values(task) ? values : 0)) * sizeof *p->bins,
                              "the counts of a histogram");
    }
    *out = p;
    return LG_OK;
}

static void fill(const lg_histogram_task *task, const lg_histogram_counts *counts, size_t row,
                 const lg_histogram_rule *rule, uint64_t *values, lg_histogram_channel *c)
{
    const uint64_t *table = counts->tables + row * task->table_size;
    if (task->linear) {
        derive_linear(task, table, rule, c);
        return;
    }
    if (task->native) {
        memcpy(values, table, task->table_size * sizeof *values);
        c->values = values;
        c->value_count = task->table_size;
        derive(c, rule);
        return;
    }
    for (int32_t i = 0; i < c->bins; i++)
        add_to(c, (uint32_t)i, table[i]);
    for (int i = 0; i < LG_OUTSIDE_COUNT; i++)
        add_to(c, (uint32_t)(c->bins + i), counts->outside[row * LG_OUTSIDE_COUNT + (size_t)i]);
}

static lg_status check_nan(const lg_histogram_task *task, const lg_histogram *h, lg_error *error)
{
    if (task->scan.nan != LG_NAN_ERROR)
        return LG_OK;
    for (int64_t i = 0; i < (int64_t)h->layers * h->channels; i++) {
        if (h->channel[i].nan_count)
            return lg_fail(error, LG_ERROR_DATA,
                           "channel %s has %llu NaN samples; the NaN rule \"ignore\" counts them "
                           "apart",
                           h->channel[i].name, (unsigned long long)h->channel[i].nan_count);
    }
    return LG_OK;
}

lg_status lg_histogram_finish(const lg_histogram_task *task, const lg_histogram_counts *counts,
                              lg_histogram **out, lg_error *error)
{
    double lo = 0, hi = 0;
    int32_t bins = task->bins;
    lg_histogram_rule rule = {0};
    if (task->native)
        resolve_range(task, counts->tables, &lo, &hi, &bins);
    if (task->native && (task->scan.type == LG_F16 || task->linear)) {
        lg_status status = lg_histogram_set_rule(lo, hi, bins, &rule, error);
        if (status != LG_OK)
            return status;
    }
    const bool copy = task->space == LG_SPACE_STORED && task->asked == LG_SPACE_RGBL;
    const size_t tables = (size_t)task->channels, channels = tables + (copy ? 1 : 0);
    lg_histogram_private *p = NULL;
    lg_status status = allocate(task, (int)channels, bins, &p, error);
    if (status != LG_OK)
        return status;
    p->only = task->only;
    lg_histogram *h = &p->histogram;
    *h = (lg_histogram){(int32_t)channels, task->layers, task->scan.type, counts->variant,
                        h->channel};
    for (size_t at = 0; at < channels * (size_t)task->layers; at++) {
        const size_t layer = at / channels, c = at % channels, source = c < tables ? c : 0;
        lg_histogram_channel *channel = &h->channel[at];
        channel->layer = task->stack ? -1 : (int32_t)layer;
        channel->bins = bins;
        set_ends(task, task->native ? lo : task->lo[source], task->native ? hi : task->hi[source],
                 channel);
        channel->counts = p->bins + at * (size_t)bins;
        channel->type = has_values(task) ? task->scan.type : LG_F32;
        channel_name(task, (int)c, channel->name);
        fill(task, counts, layer * tables + source, &rule,
             has_values(task) ? p->values + at * task->table_size : NULL, channel);
    }
    status = check_nan(task, h, error);
    if (status != LG_OK)
        lg_histogram_destroy(&h);
    else
        *out = h;
    return status;
}

void lg_histogram_destroy(lg_histogram **histogram)
{
    if (!histogram || !*histogram)
        return;
    lg_histogram_private *p = (lg_histogram_private *)*histogram;
    lg_free(p->histogram.channel);
    lg_free(p->bins);
    lg_free(p->values);
    lg_free(p);
    *histogram = NULL;
}

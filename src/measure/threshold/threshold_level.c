// From a histogram to levels in stored units.
#include "core/u1024.h"
#include "measure/histogram/histogram.h"
#include "measure/threshold/threshold.h"

#include <math.h>
#include <string.h>

// ---- parameters -------------------------------------------------------------------------------------

lg_status lg_threshold_check(const lg_threshold_params *p, lg_error *error)
{
    if ((unsigned)p->method >= LG_THRESHOLD_METHODS || (unsigned)p->luma >= LG_LUMAS)
        return lg_fail(error, LG_ERROR_ARGUMENT, "method %d or luma %d is not in its enumeration",
                       (int)p->method, (int)p->luma);
    if (p->method == LG_THRESHOLD_MULTI_OTSU && (p->classes < 2 || p->classes > LG_MAX_CLASSES))
        return lg_fail(error, LG_ERROR_ARGUMENT, "classes is %d; multi-otsu takes 2 to %d",
                       p->classes, LG_MAX_CLASSES);
    if (p->method == LG_THRESHOLD_VALUE && isnan(p->value))
        return lg_fail(error, LG_ERROR_ARGUMENT, "the threshold value is NaN; give a number");
    if (p->bins != -1 && (p->bins < 1 || p->bins > LG_MAX_BINS))
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "bins is %d; it must be 1 to %d, or -1 for the default", p->bins,
                       LG_MAX_BINS);
    return LG_OK;
}

// ---- bins -------------------------------------------------------------------------------------------

static lg_status find_bins(const uint64_t *counts, int32_t bins, const lg_threshold_params *params,
                           lg_threshold *out, lg_error *error)
{
    out->levels = 1;
    if (params->method == LG_THRESHOLD_MULTI_OTSU) {
        out->levels = params->classes - 1;
        return lg_multi_otsu_bins(counts, bins, params->classes, out->bin, &out->separability,
                                  error);
    }
    lg_status status = LG_OK;
    if (params->method == LG_THRESHOLD_OTSU)
        out->bin[0] = lg_otsu_bin(counts, bins);
    else
        status = lg_threshold_classic(params->method, counts, bins, &out->bin[0], error);
    if (status == LG_OK)
        out->separability = lg_threshold_separability(counts, bins, out->bin[0]);
    return status;
}

static uint64_t count_above(const uint64_t *counts, int32_t bins, int64_t bin)
{
    uint64_t sum = 0;
    for (int64_t i = LG_MAX(bin + 1, 0); i < bins; i++)
        sum += counts[i];
    return sum;
}

static lg_status sum_counts(const uint64_t *counts, int32_t bins, uint64_t *total, lg_error *error)
{
    uint64_t n = 0;
    for (int32_t i = 0; i < bins; i++)
        if (__builtin_add_overflow(n, counts[i], &n))
            return lg_fail(error, LG_ERROR_LIMIT,
                           "the counts of this histogram sum to 2^64 or more; thresholds take "
                           "fewer samples");
    if (n == 0)
        return lg_fail(error, LG_ERROR_DATA,
                       "there is no level: no sample was selected, or none lies in the range of "
                       "the histogram");
    *total = n;
    return LG_OK;
}

// Mean index, rounded once: 55 bits of the quotient, the last one set where any follow.
static double mean_index(const uint64_t *counts, int32_t bins, uint64_t total)
{
    lg_u128 sum = 0;
    for (int32_t i = 0; i < bins; i++)
        sum += (lg_u128)counts[i] * (uint32_t)i;
    if (sum == 0)
        return 0;
    uint64_t quotient = (uint64_t)(sum / total);
    lg_u128 rest = sum - (lg_u128)quotient * total;
    int shift = 0;
    for (; quotient >> 54 == 0; shift++) {
        rest <<= 1;
        const bool one = rest >= total;
        rest -= one ? total : 0;
        quotient = quotient << 1 | one;
    }
    quotient |= rest != 0;
    return ldexp((double)quotient, -shift);
}

static lg_threshold blank(void)
{
    lg_threshold out = {.levels = 1, .separability = NAN};
    for (int i = 0; i < LG_MAX_CLASSES - 1; i++) {
        out.bin[i] = -1;
        out.level[i] = NAN;
    }
    return out;
}

lg_status lg_threshold_native(const uint64_t *counts, int32_t bins,
                              const lg_threshold_params *params, lg_threshold *out, lg_error *error)
{
    lg_threshold t = blank();
    lg_status status = sum_counts(counts, bins, &t.total, error);
    if (status != LG_OK)
        return status;
    if (params->method == LG_THRESHOLD_VALUE) {
        t.level[0] = params->value;
    } else if (params->method == LG_THRESHOLD_MEAN) {
        t.level[0] = mean_index(counts, bins, t.total);
        t.bin[0] = (int32_t)t.level[0];
        t.separability = lg_threshold_separability(counts, bins, t.bin[0]);
    } else {
        status = find_bins(counts, bins, params, &t, error);
        for (int32_t i = 0; i < t.levels; i++)
            t.level[i] = t.bin[i];
    }
    if (status != LG_OK)
        return status;
    const uint32_t first = lg_threshold_cut(t.level[t.levels - 1]).integer;
    t.foreground = count_above(counts, bins, (int64_t)first - 1);
    *out = t;
    return LG_OK;
}

// ---- stored units -----------------------------------------------------------------------------------

static int32_t ordered_of(float value)
{
    int32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits ^ ((bits >> 31) & 0x7fffffff);
}

static float ordered_to(int32_t ordered)
{
    const int32_t bits = ordered ^ ((ordered >> 31) & 0x7fffffff);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// The largest sample in bins 0..k. Bins follow each other as samples do: bisect.
static double top_of_bin(const lg_histogram_channel *c, const lg_histogram_rule *rule, int32_t k)
{
    const bool integer = c->type == LG_U8 || c->type == LG_U16;
    const uint32_t bins = (uint32_t)c->bins;
    int64_t low = integer ? (int64_t)ceil(fmax(c->lo, 0)) : ordered_of(rule->lo);
    int64_t high = integer ? (int64_t)floor(fmin(c->hi, 65535)) : ordered_of(rule->hi);
    while (low < high) {
        const int64_t middle = low + (high - low + 1) / 2;
        const uint32_t bin = integer ? lg_histogram_integer_bin(c, (uint32_t)middle)
                                     : lg_histogram_bin(rule, bins, ordered_to((int32_t)middle));
        if (bin <= (uint32_t)k)
            low = middle;
        else
            high = middle - 1;
    }
    return integer ? (double)low : ordered_to((int32_t)low);
}

// Mean of the samples in lo..hi: of their values where those were counted, else of bin middles.
static double mean_value(const lg_histogram_channel *c, uint64_t total)
{
    if (!c->values)
        return c->lo + (mean_index(c->counts, c->bins, total) + 0.5) * ((c->hi - c->lo) / c->bins);
    double sum = 0;
    uint64_t n = 0;
    for (uint32_t i = 0; i < c->value_count; i++) {
        const double v = lg_histogram_native_value(c->type, i);
        if (!c->values[i] || !(v >= c->lo && v <= c->hi))
            continue;
        sum += v * (double)c->values[i];
        n += c->values[i];
    }
    return sum / (double)n;
}

static int32_t bin_of(const lg_histogram_channel *c, const lg_histogram_rule *rule, double value)
{
    uint32_t bin;
    if (c->type == LG_U8 || c->type == LG_U16)
        bin = lg_histogram_integer_bin(c, (uint32_t)value);
    else
        bin = lg_histogram_bin(rule, (uint32_t)c->bins, (float)value);
    return bin < (uint32_t)c->bins ? (int32_t)bin : -1;
}

static uint64_t foreground_of(const lg_histogram_channel *c, const lg_histogram_rule *rule,
                              double level)
{
    uint64_t sum = 0;
    if (c->values) {
        for (uint32_t i = 0; i < c->value_count; i++) {
            const double v = lg_histogram_native_value(c->type, i);
            if (v > level && v >= c->lo && v <= c->hi)
                sum += c->values[i];
        }
        return sum;
    }
    if (level < c->lo)
        return count_above(c->counts, c->bins, -1);
    return level < c->hi ? count_above(c->counts, c->bins, bin_of(c, rule, level)) : 0;
}

static lg_status from_channel(const lg_histogram_channel *c, const lg_histogram_rule *rule,
                              const lg_threshold_params *params, lg_threshold *t, lg_error *error)
{
    lg_status status = sum_counts(c->counts, c->bins, &t->total, error);
    if (status != LG_OK)
        return status;
    if (params->method == LG_THRESHOLD_VALUE) {
        t->level[0] = params->value;
    } else if (params->method == LG_THRESHOLD_MEAN) {
        t->level[0] = mean_value(c, t->total);
        t->bin[0] = bin_of(c, rule, t->level[0]);
        t->separability = lg_threshold_separability(c->counts, c->bins, t->bin[0]);
    } else {
        status = find_bins(c->counts, c->bins, params, t, error);
        if (status != LG_OK)
            return status;
        for (int32_t i = 0; i < t->levels; i++)
            t->level[i] = top_of_bin(c, rule, t->bin[i]);
    }
    t->foreground = foreground_of(c, rule, t->level[t->levels - 1]);
    return LG_OK;
}

lg_status lg_threshold_level(const lg_histogram_channel *histogram,
                             const lg_threshold_params *params, lg_threshold *out, lg_error *error)
{
    lg_threshold_params taken = lg_threshold_params_default();
    lg_status status =
        lg_params_take(params, &LG_PARAMS_TYPE(lg_threshold_params, luma), &taken, error);
    if (status)
        return status;
    params = &taken;
    if (!histogram || !histogram->counts || !out)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "a histogram and a place for the level are needed");
    if (histogram->bins < 1 || histogram->bins > LG_MAX_BINS || !(histogram->lo <= histogram->hi))
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "the histogram has %d bins over %g:%g; it needs 1 to %d and a range",
                       histogram->bins, histogram->lo, histogram->hi, LG_MAX_BINS);
    status = lg_threshold_check(params, error);
    lg_histogram_rule rule = {0};
    const bool integer = histogram->type == LG_U8 || histogram->type == LG_U16;
    if (status == LG_OK && !integer)
        status = lg_histogram_set_rule(histogram->lo, histogram->hi, histogram->bins, &rule, error);
    lg_threshold t = blank();
    if (status == LG_OK)
        status = from_channel(histogram, &rule, params, &t, error);
    if (status == LG_OK)
        *out = t;
    return status;
}

// ---- comparisons ------------------------------------------------------------------------------------

lg_cut lg_threshold_cut(double level)
{
    lg_cut cut = {.real = (float)level};
    if (level >= 65535)
        cut.integer = 65536;
    else if (level >= 0)
        cut.integer = (uint32_t)level + 1;
    if ((double)cut.real > level)
        cut.real = nextafterf(cut.real, -INFINITY);
    // The largest half that is not above the level, in the order of lg_half_ordered.
    int32_t low = lg_half_ordered(0xfc00), high = 0x7c00;
    while (low < high) {
        const int32_t middle = low + (high - low + 1) / 2;
        const int16_t bits = (int16_t)(middle < 0 ? middle ^ 0x7fff : middle);
        if (lg_half_to_float((uint16_t)bits) <= level)
            low = middle;
        else
            high = middle - 1;
    }
    cut.ordered = low;
    return cut;
}

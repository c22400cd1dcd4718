// Figures read from a histogram: percentile, mode, entropy, bin positions.
#include <math.h>

#include "core/u1024.h"
#include "measure/histogram/histogram.h"

static bool is_integer(const lg_histogram_channel *c)
{
    return c->type == LG_U8 || c->type == LG_U16 || c->type == LG_I32;
}

// Half of it: the whole may be beyond the largest double.
static double half_width(const lg_histogram_channel *c)
{
    if (!c)
        return NAN;
    const bool whole = is_integer(c) && c->lo == floor(c->lo) && c->hi == floor(c->hi);
    return (c->hi / 2 - c->lo / 2 + (whole ? 0.5 : 0)) / c->bins;
}

double lg_histogram_bin_width(const lg_histogram_channel *c)
{
    return c ? 2 * half_width(c) : NAN;
}

double lg_histogram_bin_value(const lg_histogram_channel *c, double index)
{
    if (!c)
        return NAN;
    if (fabs(c->lo) > 0x1p1000)
        return 2 * (c->lo / 2 + index * half_width(c));
    return c->lo + index * lg_histogram_bin_width(c);
}

// ---- values in ascending order ----------------------------------------------------------------

#define HALF_INFINITY   0x7c00u // finite halves of one sign lie below
#define HALF_MINUS_ZERO 0x8000u

static uint32_t ordered_count(const lg_histogram_channel *c)
{
    return c->type == LG_F16 ? 2 * HALF_INFINITY : c->value_count;
}

// Table index of the k-th smallest value.
static uint32_t ordered(const lg_histogram_channel *c, uint32_t k)
{
    if (c->type != LG_F16)
        return k;
    return k < HALF_INFINITY ? 0x8000u + HALF_INFINITY - 1 - k : k - HALF_INFINITY;
}

// Values outside lo..hi take no part in the figures, as in f32 histograms. The zeros of
// f16 are one value: +0 has the counts of both.
static uint64_t count_of(const lg_histogram_channel *c, uint32_t index)
{
    const double value = lg_histogram_native_value(c->type, index);
    if (!(value >= c->lo && value <= c->hi) || (c->type == LG_F16 && index == HALF_MINUS_ZERO))
        return 0;
    return c->values[index] + (c->type == LG_F16 && index == 0 ? c->values[HALF_MINUS_ZERO] : 0);
}

// ---- order statistics -------------------------------------------------------------------------

// Value of rank `rank` (0 is the smallest).
static double native_rank(const lg_histogram_channel *c, uint64_t rank)
{
    uint64_t before = 0;
    for (uint32_t k = 0; k < ordered_count(c); k++) {
        before += count_of(c, ordered(c, k));
        if (before > rank)
            return lg_histogram_native_value(c->type, ordered(c, k));
    }
    return NAN;
}

// The samples of a bin are taken as spread evenly over it.
static double binned_rank(const lg_histogram_channel *c, uint64_t rank)
{
    uint64_t before = 0;
    for (int32_t i = 0; i < c->bins; i++) {
        const uint64_t count = c->counts[i];
        if (before + count > rank) {
            const double part = ((double)(rank - before) + 0.5) / (double)count;
            return lg_histogram_bin_value(c, i + part);
        }
        before += count;
    }
    return NAN;
}

// floor(p / 100 * last) and what is left. A decimal number of up to seven places is meant as
// written, and the place is exact; of others it has the rounding of a double.
static uint64_t rank_of(double p, uint64_t last, double *part)
{
    const double steps = rint(p * 1e7);
    if (steps / 1e7 == p) {
        const lg_u128 place = (lg_u128)(uint64_t)steps * last;
        *part = (double)(uint64_t)(place % 1000000000) / 1e9;
        return (uint64_t)(place / 1000000000);
    }
    const double position = p * (double)last / 100;
    const uint64_t rank = LG_MIN((uint64_t)position, last);
    *part = position - (double)rank;
    return rank;
}

double lg_histogram_percentile(const lg_histogram_channel *c, double p)
{
    if (!c || !c->total || !(p >= 0 && p <= 100))
        return NAN;
    double part;
    const uint64_t rank = rank_of(p, c->total - 1, &part);
    const uint64_t next = LG_MIN(rank + 1, c->total - 1);
    const double a = c->values ? native_rank(c, rank) : binned_rank(c, rank);
    const double b = c->values ? native_rank(c, next) : binned_rank(c, next);
    // From the nearer end, so that part = 1 gives b exactly.
    return part < 0.5 ? a + (b - a) * part : b - (b - a) * (1 - part);
}

double lg_histogram_mode(const lg_histogram_channel *c)
{
    if (!c)
        return NAN;
    uint64_t best = 0;
    double mode = NAN;
    if (!c->values) {
        for (int32_t i = 0; i < c->bins; i++) {
            if (c->counts[i] > best) {
                best = c->counts[i];
                mode = lg_histogram_bin_value(c, i + 0.5);
            }
        }
        return mode;
    }
    for (uint32_t k = 0; k < ordered_count(c); k++) {
        const uint64_t count = count_of(c, ordered(c, k));
        if (count > best) {
            best = count;
            mode = lg_histogram_native_value(c->type, ordered(c, k));
        }
    }
    return mode;
}

double lg_histogram_entropy(const lg_histogram_channel *c)
{
    if (!c || !c->total)
        return NAN;
    double sum = 0;
    for (int32_t i = 0; i < c->bins; i++) {
        if (c->counts[i]) {
            const double p = (double)c->counts[i] / (double)c->total;
            sum -= p * log2(p);
        }
    }
    return sum;
}

#include "measure/moments/moments_sums.h"

#include <math.h>

lg_float_sums lg_float_sums_empty(void)
{
    return (lg_float_sums){.min = INFINITY, .max = -INFINITY};
}

// to += more * 2^place; `more` has `count` words, and `above` in all words above them.
static void add_at(uint64_t *to, int words, const uint64_t *more, int count, uint64_t above,
                   unsigned place)
{
    const unsigned shift = place % 64;
    uint64_t below = 0, carry = 0;
    for (int i = 0, at = (int)(place / 64); at < words; i++, at++) {
        const uint64_t word = i < count ? more[i] : above;
        const uint64_t term = word << shift | (shift ? below >> (64 - shift) : 0);
        const uint64_t first = to[at] + term, second = first + carry;
        carry = (first < term) | (second < carry);
        to[at] = second;
        below = word;
    }
}

void lg_float_sums_add(lg_float_sums *sums, int64_t value, int exponent)
{
    const uint64_t word = (uint64_t)value;
    add_at(sums->sum, LG_SUM_WORDS, &word, 1, value < 0 ? UINT64_MAX : 0,
           (unsigned)(exponent - LG_SUM_UNIT));
}

void lg_float_sums_add_squares(lg_float_sums *sums, lg_u128 value, int exponent)
{
    const uint64_t words[2] = {(uint64_t)value, (uint64_t)(value >> 64)};
    add_at(sums->squares, LG_SQUARES_WORDS, words, 2, 0, (unsigned)(exponent - LG_SQUARES_UNIT));
}

void lg_float_sums_extend(lg_float_sums *sums, float low, float high)
{
    low = lg_plus_zero(low);
    high = lg_plus_zero(high);
    if (lg_float_key(low) < lg_float_key(sums->min))
        sums->min = low;
    if (lg_float_key(high) > lg_float_key(sums->max))
        sums->max = high;
}

void lg_float_sums_merge(lg_float_sums *into, const lg_float_sums *more)
{
    into->n += more->n;
    into->nans += more->nans;
    into->pinfs += more->pinfs;
    into->ninfs += more->ninfs;
    lg_float_sums_extend(into, more->min, more->max);
    add_at(into->sum, LG_SUM_WORDS, more->sum, LG_SUM_WORDS, 0, 0);
    add_at(into->squares, LG_SQUARES_WORDS, more->squares, LG_SQUARES_WORDS, 0, 0);
}

lg_u1024 lg_float_sums_magnitude(const lg_float_sums *sums, bool *negative)
{
    lg_u1024 sum = lg_u1024_of(0), whole = lg_u1024_of(0);
    memcpy(sum.limb, sums->sum, sizeof sums->sum);
    *negative = sums->sum[LG_SUM_WORDS - 1] >> 63;
    whole.limb[LG_SUM_WORDS] = 1;
    return *negative ? lg_u1024_distance(&whole, &sum) : sum;
}

#include "measure/moments/moments_sums.h"

#include <math.h>

lg_float_sums lg_float_sums_empty(void)
{
    return (lg_float_sums){.min = INFINITY, .max = -INFINITY};
}

// to += more * 2^place; `more` has `count` words.
static void add_at(uint64_t *to, int words, const uint64_t *more, int count, uint32_t place)
{
    const uint32_t shift = place % 64;
    uint64_t below = 0, carry = 0;
    for (int i = 0, at = (int)(place / 64); at < words && (i <= count || carry); i++, at++) {
        const uint64_t word = i < count ? more[i] : 0;
        const uint64_t term = word << shift | (shift ? below >> (64 - shift) : 0);
        const uint64_t first = to[at] + term, second = first + carry;
        carry = (first < term) | (second < carry);
        to[at] = second;
        below = word;
    }
}

static void subtract_at(uint64_t *from, int words, uint64_t less, uint32_t place)
{
    const uint32_t shift = place % 64;
    uint64_t parts[2] = {less << shift, shift ? less >> (64 - shift) : 0}, borrow = 0;
    for (int i = 0, at = (int)(place / 64); at < words && (i < 2 || borrow); i++, at++) {
        const uint64_t part = i < 2 ? parts[i] : 0, word = from[at], first = word - part;
        from[at] = first - borrow;
        borrow = (word < part) | (first < borrow);
    }
}

void lg_float_sums_add(lg_float_sums *sums, const lg_leaf_record *leaf)
{
    const uint32_t n = leaf->counts & 0xffff;
    sums->nans += leaf->counts >> 16;
    sums->pinfs += leaf->infinities & 0xffff;
    sums->ninfs += leaf->infinities >> 16;
    if (n == 0)
        return;
    sums->n += n;
    sums->min = leaf->min < sums->min ? leaf->min : sums->min;
    sums->max = leaf->max > sums->max ? leaf->max : sums->max;
    if (leaf->k == LG_SCALE_ZERO)
        return;
    const lg_leaf_terms t = lg_leaf_terms_of(*leaf);
    const uint64_t sum = (uint64_t)t.sum[1] << 32 | t.sum[0];
    const uint64_t squares[2] = {(uint64_t)t.squares[1] << 32 | t.squares[0],
                                 (uint64_t)t.squares[3] << 32 | t.squares[2]};
    if (t.negative)
        subtract_at(sums->sum, LG_SUM_WORDS, sum, t.place);
    else
        add_at(sums->sum, LG_SUM_WORDS, &sum, 1, t.place);
    add_at(sums->squares, LG_SQUARES_WORDS, squares, 2, 2 * t.place);
}

void lg_float_sums_merge(lg_float_sums *into, const lg_float_sums *more)
{
    into->n += more->n;
    into->nans += more->nans;
    into->pinfs += more->pinfs;
    into->ninfs += more->ninfs;
    into->min = more->min < into->min ? more->min : into->min;
    into->max = more->max > into->max ? more->max : into->max;
    add_at(into->sum, LG_SUM_WORDS, more->sum, LG_SUM_WORDS, 0);
    add_at(into->squares, LG_SQUARES_WORDS, more->squares, LG_SQUARES_WORDS, 0);
}

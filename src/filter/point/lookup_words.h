// Part of lookup.c: the loops over pixels of bytes. A loop of lookup_word would gather: compilers take
// indices out of vectors and put entries in, and gathers of processors are no faster. So places,
// entries and sums are loops of their own, over as many pixels as leave the first cache to the table.
#ifndef LG_LOOKUP_WORDS_H
#define LG_LOOKUP_WORDS_H

#include "core/core.h"

#define LOOKUP_BLOCK 128

// Loads entries one by one: single words, or each with the next along red.
#define LOOKUP_FETCH(name, type)                                                                   \
    static void name(const float *restrict table, const int32_t at[restrict 4][LOOKUP_BLOCK],      \
                     type to[restrict 4][LOOKUP_BLOCK], int count)                                 \
    {                                                                                              \
        for (int i = 0; i < count; i++)                                                            \
            for (int k = 0; k < 4; k++) {                                                          \
                __asm__ volatile("");                                                              \
                memcpy(&to[k][i], table + at[k][i], sizeof to[k][i]);                              \
            }                                                                                      \
    }
LOOKUP_FETCH(lookup_fetch_words, uint32_t)
LOOKUP_FETCH(lookup_fetch_pairs, uint64_t)

// Four bytes in a word.
LG_FUNCTION uint32_t lookup_packed(lg_four v)
{
    return v.p0 | v.p1 << 8 | v.p2 << 16 | v.p3 << 24;
}

LG_FUNCTION lg_four lookup_unpacked(uint32_t w)
{
    return (lg_four){w & 255, w >> 8 & 255, w >> 16 & 255, w >> 24};
}

LG_FUNCTION void lookup_four_of(lookup_params p, int count, const uint32_t *restrict from,
                                uint32_t *restrict to)
{
    _Alignas(64) int32_t at[4][LOOKUP_BLOCK];
    _Alignas(64) uint32_t weights[LOOKUP_BLOCK], entries[4][LOOKUP_BLOCK];
    p.interpolation = 1;
    for (int i = 0; i < count; i++) {
        const lookup_corners c = lookup_corners_of(lookup_place_of(from[i], p.table));
        at[0][i] = c.at0, at[1][i] = c.at1, at[2][i] = c.at2, at[3][i] = c.at3;
        weights[i] = lookup_packed(c.weights);
    }
    lookup_fetch_words(p.table.at, at, entries, count);
    for (int i = 0; i < count; i++) {
        const lg_four c = {entries[0][i], entries[1][i], entries[2][i], entries[3][i]};
        to[i] = lookup_result(from[i], lg_weigh_four(c, lookup_unpacked(weights[i])), p);
    }
}

LG_FUNCTION lg_four lookup_square_of(uint64_t a, uint64_t b)
{
    return (lg_four){(uint32_t)a, (uint32_t)(a >> 32), (uint32_t)b, (uint32_t)(b >> 32)};
}

LG_FUNCTION void lookup_eight_of(lookup_params p, int count, const uint32_t *restrict from,
                                 uint32_t *restrict to)
{
    _Alignas(64) int32_t at[4][LOOKUP_BLOCK];
    _Alignas(64) uint32_t beyond[LOOKUP_BLOCK];
    _Alignas(64) uint64_t pairs[4][LOOKUP_BLOCK];
    p.interpolation = 0;
    for (int i = 0; i < count; i++) {
        const lookup_place found = lookup_place_of(from[i], p.table);
        const lg_lookup_cell k = found.cell;
        at[0][i] = k.at, at[1][i] = k.at + k.g;
        at[2][i] = k.at + k.b, at[3][i] = k.at + k.b + k.g;
        beyond[i] = lookup_packed((lg_four){found.x, found.y, found.z, 0});
    }
    lookup_fetch_pairs(p.table.at, at, pairs, count);
    for (int i = 0; i < count; i++) {
        const lg_four by = lookup_unpacked(beyond[i]);
        const lg_byte_sums near =
            lg_weigh_square(lookup_square_of(pairs[0][i], pairs[1][i]), by.p0, by.p1);
        const lg_byte_sums far =
            lg_weigh_square(lookup_square_of(pairs[2][i], pairs[3][i]), by.p0, by.p1);
        to[i] = lookup_result(from[i], lg_weigh_squares(near, far, by.p2), p);
    }
}

// Where no entry has a next one along red.
LG_FUNCTION void lookup_each_of(lookup_params p, int count, const uint32_t *restrict from,
                                uint32_t *restrict to)
{
    for (int i = 0; i < count; i++)
        to[i] = lookup_word(from[i], p);
}

// `set`: what is known of the parameters.
#define LOOKUP_LOOP(name, block, set)                                                              \
    static __attribute__((noinline)) void name(const lg_span *s, const uint32_t *from,             \
                                               uint32_t *to)                                       \
    {                                                                                              \
        lookup_params p = lookup_load(s);                                                          \
        set;                                                                                       \
        for (int i = 0; i < s->count; i += LOOKUP_BLOCK)                                           \
            block(p, LG_MIN(LOOKUP_BLOCK, s->count - i), from + i, to + i);                        \
    }
LOOKUP_LOOP(lookup_four_whole, lookup_four_of, p.intensity = 1)
LOOKUP_LOOP(lookup_four_mixed, lookup_four_of, )
LOOKUP_LOOP(lookup_eight_whole, lookup_eight_of, p.intensity = 1)
LOOKUP_LOOP(lookup_eight_mixed, lookup_eight_of, )
LOOKUP_LOOP(lookup_each, lookup_each_of, )

static inline lg_words_fn lookup_loop(lookup_params p)
{
    const bool whole = p.intensity == 1;
    if (p.interpolation > 0)
        return whole ? lookup_four_whole : lookup_four_mixed;
    if (lookup_levels(p.table, p.table.width) == 1)
        return lookup_each;
    return whole ? lookup_eight_whole : lookup_eight_mixed;
}

#endif

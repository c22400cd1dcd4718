// Float moments above the leaves: exact sums of what the leaves ended in, as wide integers.
#ifndef LG_MOMENTS_SUMS_H
#define LG_MOMENTS_SUMS_H

#include "measure/moments/moments_leaf.h"

#include <assert.h>

static_assert(sizeof(lg_leaf_record) == 32, "lg_leaf_record is 8 words, as the GPU writes it");

// Words of 64 bits, lowest first. The terms of a leaf end below bit 276 + 63 and 552 + 115; 2^50 leaves
// fit on top.
#define LG_SUM_WORDS     7
#define LG_SQUARES_WORDS 12
#define LG_SUM_UNIT      (-149 - LG_TERM_FRACTION) // exponent of bit 0 of the sum
#define LG_SQUARES_UNIT  (2 * LG_SUM_UNIT)

typedef struct lg_float_sums {
    uint64_t n, nans, pinfs, ninfs;
    float min, max;             // zero is +0; +inf and -inf while n is 0
    uint64_t sum[LG_SUM_WORDS]; // two's complement
    uint64_t squares[LG_SQUARES_WORDS];
} lg_float_sums;

lg_float_sums lg_float_sums_empty(void);
void lg_float_sums_add(lg_float_sums *sums, const lg_leaf_record *leaf);
void lg_float_sums_merge(lg_float_sums *into, const lg_float_sums *more);

#endif

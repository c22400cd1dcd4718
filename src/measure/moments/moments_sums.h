// Exact sums of float samples. Every finite float is a multiple of 2^-149, so sums of samples and
// of squares are wide integers; the order of additions does not matter.
#ifndef LG_MOMENTS_SUMS_H
#define LG_MOMENTS_SUMS_H

#include "core/u1024.h"
#include "kernel/float_bits.h"

#include <stdbool.h>

// 64-bit words, lowest first. A sample needs 277 bits, its square 554; sums have at most 2^62
// samples.
#define LG_SUM_WORDS     6
#define LG_SQUARES_WORDS 10
#define LG_SUM_UNIT      (-149) // exponent of bit 0 of the sum
#define LG_SQUARES_UNIT  (2 * LG_SUM_UNIT)

typedef struct lg_float_sums {
    uint64_t n, nans, pinfs, ninfs;
    float min, max;             // zero is +0; +inf and -inf while n is 0
    uint64_t sum[LG_SUM_WORDS]; // two's complement
    uint64_t squares[LG_SQUARES_WORDS];
} lg_float_sums;

lg_float_sums lg_float_sums_empty(void);
void lg_float_sums_merge(lg_float_sums *into, const lg_float_sums *more);

// Adds value * 2^exponent, a multiple of the unit, to the sum, or to the sum of squares.
void lg_float_sums_add(lg_float_sums *sums, int64_t value, int exponent);
void lg_float_sums_add_squares(lg_float_sums *sums, lg_u128 value, int exponent);

// The magnitude of the sum, and whether the sum is negative.
lg_u1024 lg_float_sums_magnitude(const lg_float_sums *sums, bool *negative);

// Extends min and max by finite samples.
void lg_float_sums_extend(lg_float_sums *sums, float low, float high);

#endif

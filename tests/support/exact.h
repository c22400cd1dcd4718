// Exact arithmetic for oracles: signed integers of 2048 bits, two's complement, least limb first.
#ifndef LG_TEST_EXACT_H
#define LG_TEST_EXACT_H

#include <stdbool.h>
#include <stdint.h>

#define EXACT_LIMBS 64 // of 32 bits

typedef struct exact {
    uint32_t limb[EXACT_LIMBS];
} exact;

exact exact_u64(uint64_t value);
// value * 2^shift, which must be an integer of less than 2048 bits.
exact exact_double(double value, int shift);

exact exact_add(exact a, exact b);
exact exact_sub(exact a, exact b);
exact exact_mul(exact a, exact b);
exact exact_shift(exact a, int bits); // left, bits >= 0
exact exact_abs(exact a);
int exact_sign(const exact *a); // -1, 0, 1

// a * 2^shift to about 2^-52.
double exact_value(exact a, int shift);
// numerator / denominator * 2^shift to about 2^-50; denominator > 0.
double exact_ratio(exact numerator, exact denominator, int shift);
// Is `value` the double nearest to numerator / denominator (either one on a tie)? value >= 2^-400
// or 0.
bool exact_is_nearest(double value, exact numerator, exact denominator);

#endif

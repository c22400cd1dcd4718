#include "core/u1024.h"

#include <math.h>
#include <stdbool.h>

static int bits_of(lg_u128 value)
{
    const uint64_t high = (uint64_t)(value >> 64), low = (uint64_t)value;
    return high ? 128 - __builtin_clzll(high) : low ? 64 - __builtin_clzll(low) : 0;
}

static unsigned bit(const lg_u1024 *a, int i)
{
    return i >= 0 ? a->limb[i / 64] >> (i % 64) & 1 : 0;
}

// Long division, bit by bit, until the quotient has 55 bits; what is left over only tells it apart
// from a tie.
double lg_u1024_quotient(const lg_u1024 *a, lg_u128 b, int exponent)
{
    const int bits = lg_u1024_bits(a);
    if (bits == 0)
        return 0.0;
    int at = bits; // what stands from this bit upwards is divided
    lg_u128 rest = 0;
    for (const int end = bits - bits_of(b) + 1; at > end;)
        rest = rest << 1 | bit(a, --at);
    uint64_t quotient = 0;
    while (quotient < UINT64_C(1) << 54) {
        rest = rest << 1 | bit(a, --at);
        const bool one = rest >= b;
        rest -= one ? b : 0;
        quotient = quotient << 1 | one;
    }
    bool left = rest != 0;
    for (int i = 0; i < LG_U1024_LIMBS && 64 * i < at; i++) {
        const int within = at - 64 * i;
        left |= (within >= 64 ? a->limb[i] : a->limb[i] & ((UINT64_C(1) << within) - 1)) != 0;
    }
    return ldexp((double)(quotient << 1 | left), at - 1 + exponent);
}

// A divisor of 64 bits leaves a quotient of at least 64, of which the last only
// tells a rest from a tie.
double lg_quotient(lg_u128 a, lg_u128 b, int exponent)
{
    const lg_u128 exact = (lg_u128)1 << 53;
    if (a == 0 || (a <= exact && b <= exact))
        return ldexp((double)a / (double)b, exponent);
    if (b >> 64) {
        const lg_u1024 wide = lg_u1024_of(a);
        return lg_u1024_quotient(&wide, b, exponent);
    }
    const int left = 128 - bits_of(a);
    const lg_u128 up = a << left;
    return ldexp((double)(up / b | (up % b != 0)), exponent - left);
}

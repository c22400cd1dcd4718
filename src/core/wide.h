// Unsigned integers of 1024 bits: enough for every exact comparison of this library, without memory
// to manage. Results beyond 1024 bits are cut off; callers state why theirs fit.
#ifndef LG_WIDE_H
#define LG_WIDE_H

#include <stdint.h>
#include <string.h>

#define LG_WIDE_LIMBS 16

__extension__ typedef unsigned __int128 lg_u128;

typedef struct lg_wide {
    uint64_t limb[LG_WIDE_LIMBS]; // lowest first
} lg_wide;

static inline lg_wide lg_wide_of(lg_u128 value)
{
    lg_wide out;
    memset(&out, 0, sizeof out);
    out.limb[0] = (uint64_t)value;
    out.limb[1] = (uint64_t)(value >> 64);
    return out;
}

// Limbs up to the highest that is not zero.
static inline int lg_wide_used(const lg_wide *a)
{
    int used = LG_WIDE_LIMBS;
    while (used > 0 && a->limb[used - 1] == 0)
        used--;
    return used;
}

static inline lg_wide lg_wide_add(lg_wide a, const lg_wide *b)
{
    uint64_t carry = 0;
    for (int i = 0; i < LG_WIDE_LIMBS; i++) {
        const lg_u128 sum = (lg_u128)a.limb[i] + b->limb[i] + carry;
        a.limb[i] = (uint64_t)sum;
        carry = (uint64_t)(sum >> 64);
    }
    return a;
}

static inline int lg_wide_compare(const lg_wide *a, const lg_wide *b)
{
    for (int i = LG_WIDE_LIMBS - 1; i >= 0; i--)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

// |a - b|
static inline lg_wide lg_wide_distance(const lg_wide *a, const lg_wide *b)
{
    if (lg_wide_compare(a, b) < 0) {
        const lg_wide *swap = a;
        a = b;
        b = swap;
    }
    lg_wide out;
    uint64_t borrow = 0;
    for (int i = 0; i < LG_WIDE_LIMBS; i++) {
        const lg_u128 take = (lg_u128)b->limb[i] + borrow;
        borrow = a->limb[i] < take;
        out.limb[i] = (uint64_t)(a->limb[i] - take);
    }
    return out;
}

static inline lg_wide lg_wide_mul(const lg_wide *a, const lg_wide *b)
{
    const int na = lg_wide_used(a), nb = lg_wide_used(b);
    lg_wide out = lg_wide_of(0);
    for (int i = 0; i < na; i++) {
        uint64_t carry = 0;
        for (int j = 0; i + j < LG_WIDE_LIMBS && (j < nb || carry); j++) {
            const uint64_t factor = j < nb ? b->limb[j] : 0;
            const lg_u128 sum = (lg_u128)a->limb[i] * factor + out.limb[i + j] + carry;
            out.limb[i + j] = (uint64_t)sum;
            carry = (uint64_t)(sum >> 64);
        }
    }
    return out;
}

static inline lg_wide lg_wide_scale(const lg_wide *a, lg_u128 factor)
{
    const lg_wide b = lg_wide_of(factor);
    return lg_wide_mul(a, &b);
}

// a * 2^64^limbs, or its integer part for limbs < 0.
static inline lg_wide lg_wide_move(const lg_wide *a, int limbs)
{
    lg_wide out;
    for (int i = 0; i < LG_WIDE_LIMBS; i++) {
        const int from = i - limbs;
        out.limb[i] = from >= 0 && from < LG_WIDE_LIMBS ? a->limb[from] : 0;
    }
    return out;
}

static inline int lg_wide_bits(const lg_wide *a)
{
    const int used = lg_wide_used(a);
    return used ? 64 * used - __builtin_clzll(a->limb[used - 1]) : 0;
}

// a / b * 2^exponent rounded once to nearest even, 0 < b < 2^127; not where the result is subnormal,
// which is rounded twice.
double lg_wide_quotient(const lg_wide *a, lg_u128 b, int exponent);

// The same of integers of 128 bits, sooner; b > 0.
double lg_quotient(lg_u128 a, lg_u128 b, int exponent);

// Within 2^-51 relative; the low limbs are below the precision of the highest three.
static inline double lg_wide_double(const lg_wide *a)
{
    const int used = lg_wide_used(a);
    double out = 0;
    for (int i = used - 1; i >= 0 && i >= used - 3; i--)
        out = out * 0x1p64 + (double)a->limb[i];
    for (int i = used - 4; i >= 0; i--)
        out *= 0x1p64;
    return out;
}

#endif

// Unsigned integers of 1024 bits: enough for every exact comparison of this library, without
// allocation. Results are truncated to 1024 bits; callers state why theirs fit.
#ifndef LG_U1024_H
#define LG_U1024_H

#include <stdint.h>
#include <string.h>

#define LG_U1024_LIMBS 16

__extension__ typedef unsigned __int128 lg_u128;

typedef struct lg_u1024 {
    uint64_t limb[LG_U1024_LIMBS]; // lowest first
} lg_u1024;

static inline lg_u1024 lg_u1024_of(lg_u128 value)
{
    lg_u1024 out;
    memset(&out, 0, sizeof out);
    out.limb[0] = (uint64_t)value;
    out.limb[1] = (uint64_t)(value >> 64);
    return out;
}

// The number of limbs up to the highest that is not zero.
static inline int lg_u1024_used(const lg_u1024 *a)
{
    int used = LG_U1024_LIMBS;
    while (used > 0 && a->limb[used - 1] == 0)
        used--;
    return used;
}

static inline lg_u1024 lg_u1024_add(lg_u1024 a, const lg_u1024 *b)
{
    uint64_t carry = 0;
    for (int i = 0; i < LG_U1024_LIMBS; i++) {
        const lg_u128 sum = (lg_u128)a.limb[i] + b->limb[i] + carry;
        a.limb[i] = (uint64_t)sum;
        carry = (uint64_t)(sum >> 64);
    }
    return a;
}

static inline int lg_u1024_compare(const lg_u1024 *a, const lg_u1024 *b)
{
    for (int i = LG_U1024_LIMBS - 1; i >= 0; i--)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

// |a - b|
static inline lg_u1024 lg_u1024_distance(const lg_u1024 *a, const lg_u1024 *b)
{
    if (lg_u1024_compare(a, b) < 0) {
        const lg_u1024 *swap = a;
        a = b;
        b = swap;
    }
    lg_u1024 out;
    uint64_t borrow = 0;
    for (int i = 0; i < LG_U1024_LIMBS; i++) {
        const lg_u128 take = (lg_u128)b->limb[i] + borrow;
        borrow = a->limb[i] < take;
        out.limb[i] = (uint64_t)(a->limb[i] - take);
    }
    return out;
}

static inline lg_u1024 lg_u1024_mul(const lg_u1024 *a, const lg_u1024 *b)
{
    const int na = lg_u1024_used(a), nb = lg_u1024_used(b);
    lg_u1024 out = lg_u1024_of(0);
    for (int i = 0; i < na; i++) {
        uint64_t carry = 0;
        for (int j = 0; i + j < LG_U1024_LIMBS && (j < nb || carry); j++) {
            const uint64_t factor = j < nb ? b->limb[j] : 0;
            const lg_u128 sum = (lg_u128)a->limb[i] * factor + out.limb[i + j] + carry;
            out.limb[i + j] = (uint64_t)sum;
            carry = (uint64_t)(sum >> 64);
        }
    }
    return out;
}

static inline lg_u1024 lg_u1024_scale(const lg_u1024 *a, lg_u128 factor)
{
    const lg_u1024 b = lg_u1024_of(factor);
    return lg_u1024_mul(a, &b);
}

// a * 2^64^limbs, or its integer part for limbs < 0.
static inline lg_u1024 lg_u1024_move(const lg_u1024 *a, int limbs)
{
    lg_u1024 out;
    for (int i = 0; i < LG_U1024_LIMBS; i++) {
        const int from = i - limbs;
        out.limb[i] = from >= 0 && from < LG_U1024_LIMBS ? a->limb[from] : 0;
    }
    return out;
}

static inline int lg_u1024_bits(const lg_u1024 *a)
{
    const int used = lg_u1024_used(a);
    return used ? 64 * used - __builtin_clzll(a->limb[used - 1]) : 0;
}

// a / b * 2^exponent, rounded once to nearest even, 0 < b < 2^127. A subnormal result is rounded
// twice.
double lg_u1024_quotient(const lg_u1024 *a, lg_u128 b, int exponent);

// The same for 128-bit integers, faster; b > 0.
double lg_quotient(lg_u128 a, lg_u128 b, int exponent);

// Relative error below 2^-51: the highest three limbs exceed the precision of a double.
static inline double lg_u1024_double(const lg_u1024 *a)
{
    const int used = lg_u1024_used(a);
    double out = 0;
    for (int i = used - 1; i >= 0 && i >= used - 3; i--)
        out = out * 0x1p64 + (double)a->limb[i];
    for (int i = used - 4; i >= 0; i--)
        out *= 0x1p64;
    return out;
}

#endif

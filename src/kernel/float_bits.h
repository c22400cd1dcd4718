// Floats as bits, in the common subset of C and GLSL: integers keep NaN and subnormal floats, which
// a device may flush to zero.
#ifndef LG_FLOAT_BITS_H
#define LG_FLOAT_BITS_H

#include "kernel/subset.h"

#define LG_BITS_ABS 0x7fffffffu
#define LG_BITS_INF 0x7f800000u

// floor(log2 x) from the bits of x > 0, subnormal or not.
LG_FUNCTION lg_int lg_exponent(lg_uint bits)
{
    lg_int e = lg_to_int(bits >> 23) - 127;
    if (e > -127)
        return e;
    e = -149;
    for (lg_uint m = bits; m > 1u; m = m >> 1)
        e = e + 1;
    return e;
}

// Unsigned integers in the order of finite floats and infinities.
LG_FUNCTION lg_uint lg_float_key(float x)
{
    lg_uint bits = lg_bits(x);
    return (bits & 0x80000000u) != 0u ? ~bits : (bits | 0x80000000u);
}

LG_FUNCTION float lg_key_float(lg_uint key)
{
    return lg_from_bits((key & 0x80000000u) != 0u ? (key & LG_BITS_ABS) : ~key);
}

LG_FUNCTION float lg_plus_zero(float x) // -0 becomes +0
{
    return (lg_bits(x) & LG_BITS_ABS) == 0u ? lg_from_bits(0u) : x;
}

#endif

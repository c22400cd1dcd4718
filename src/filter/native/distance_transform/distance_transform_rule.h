// What the CPU and devices do for a distance transform: which pixels are sites, and the colour of a square.
#ifndef LG_DISTANCE_TRANSFORM_RULE_H
#define LG_DISTANCE_TRANSFORM_RULE_H

#include "kernel/color_math.h"

LG_NUMBER(LG_DISTANCE_SIDE, 46340) // up to here squares of distances fit 32 bits
LG_NUMBER(LG_DISTANCE_NONE, 0xffffffffu)

// A number that is not 0. Tested by bits, since devices may flush subnormal numbers to 0.
LG_FUNCTION bool distance_there(float v)
{
    lg_uint magnitude = lg_bits(v) & 0x7fffffffu;
    return magnitude != 0u && magnitude <= 0x7f800000u;
}

LG_FUNCTION bool distance_foreground(color c)
{
    return distance_there(c.a) &&
           (distance_there(c.r) || distance_there(c.g) || distance_there(c.b));
}

// One pixel further from the nearest site of a column.
LG_FUNCTION lg_uint distance_further(lg_uint rows)
{
    return rows == LG_DISTANCE_NONE ? rows : rows + 1u;
}

// An integer in two parts, which floats hold exactly: one rounding, by the addition.
LG_FUNCTION float distance_of_integer(lg_uint square)
{
    LG_FLOAT high = lg_to_float(lg_to_int(square >> 12)) * 4096.0f;
    return high + lg_to_float(lg_to_int(square & 4095u));
}

// The float that is nearest to the root. With 4^k such that roots have 24 bits, `rest` is what the square of
// a root m leaves; lg_sqrt is so near that 32 bits hold it. m is the nearest where -m < rest <= m. A power of
// two counts to the floats on the root's side, which are closer together below it.
LG_FUNCTION float distance_root(lg_uint square)
{
    LG_FLOAT near = lg_sqrt(distance_of_integer(square == 0u ? 1u : square));
    lg_uint k = 150u - ((lg_bits(near) - 1u) >> 23);
    lg_uint unsigned_m = ((lg_bits(near) - 1u) & 0x7fffffu) + 0x800001u;
    lg_uint scaled = k < 16u ? square << (2u * k & 31u) : 0u;
    lg_int rest = lg_to_int(scaled - unsigned_m * unsigned_m);
    lg_int m = lg_to_int(unsigned_m);
    bool above = m == 0x1000000 && rest >= 0;
    k -= above ? 1u : 0u;
    m = above ? m >> 1 : m;
    rest = above ? rest >> 2 : rest;
    for (lg_int i = 0; i < 2; i++) {
        lg_int more = rest > m ? 1 : rest <= -m ? -1 : 0;
        rest -= more * 2 * m + (more == 0 ? 0 : 1);
        m += more;
    }
    LG_FLOAT root = lg_to_float(m) * lg_from_bits((127u - k) << 23);
    return square == 0u ? 0.0f : root;
}

LG_FUNCTION float distance_value(lg_uint square, bool squared, float unit)
{
    LG_FLOAT value = squared ? distance_of_integer(square) : distance_root(square);
    value = value * unit;
    return square == LG_DISTANCE_NONE ? lg_from_bits(0x7f800000u) : value;
}

#endif

// What the CPU and devices do for lines by Hough's transform.
#ifndef LG_HOUGH_RULE_H
#define LG_HOUGH_RULE_H

#include "kernel/color_math.h"

// The row of a pixel's line in the direction (cosine, sine), both in LG_HOUGH_UNIT / step.
LG_FUNCTION lg_int hough_row(lg_int x, lg_int y, lg_int cosine, lg_int sine, lg_int reach)
{
    return ((x * cosine + y * sine + 32768) >> 16) + reach;
}

LG_FUNCTION float hough_share(lg_uint votes, float unit)
{
    LG_FLOAT share = lg_to_float(lg_to_int(votes)) * unit;
    return share;
}

// Integers with the order of floats.
LG_FUNCTION lg_uint hough_key(float v)
{
    lg_uint bits = lg_bits(v);
    return bits >> 31 != 0u ? ~bits : bits | 0x80000000u;
}

LG_FUNCTION float hough_of_key(lg_uint key)
{
    return lg_from_bits(key >> 31 != 0u ? key & 0x7fffffffu : ~key);
}

LG_FUNCTION float hough_distance(lg_int row, lg_int rows, float step)
{
    LG_FLOAT distance = lg_to_float(row - rows / 2) * step;
    return distance;
}

#endif

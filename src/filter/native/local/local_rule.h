// Figures from the sums of a window, one text for C and GLSL. Samples are integers q of a unit; n
// of them are in the window. S is their sum and Q that of their squares, both exact.
#ifndef LG_LOCAL_RULE_H
#define LG_LOCAL_RULE_H

#include "kernel/pixel_rule.h"

// Samples of images that have no integers of their own have |q| <= 2^bits.
#define LG_LOCAL_MEAN_BITS    30
#define LG_LOCAL_SQUARES_BITS 23 // so that differences of two samples are exact floats
#define LG_LOCAL_LEAST        -64

#define LG_LOCAL_UNIT_PRODUCT 0.0000153787005f // 1 / 255^2

// The exponent E of such an image, from the bits of its largest finite magnitude: |x| < 2^E.
LG_FUNCTION lg_int local_exponent(lg_uint largest)
{
    lg_int e = lg_to_int(largest >> 23) - 126;
    return e < LG_LOCAL_LEAST ? LG_LOCAL_LEAST : e;
}

LG_FUNCTION float local_power(lg_int exponent)
{
    return lg_from_bits(lg_to_uint(exponent + 127) << 23);
}

// x in units, scale = 1 / unit: to nearest, halves to even; 0 if x is not finite.
LG_FUNCTION lg_int local_units(float x, float scale)
{
    LG_FLOAT a = fabsf(x) * scale;
    bool finite = (lg_bits(x) & 0x7f800000u) != 0x7f800000u;
    LG_FLOAT rounded = (a + LG_WHOLE) - LG_WHOLE;
    rounded = a < LG_WHOLE ? rounded : a;
    lg_int q = lg_to_int(finite ? rounded : 0.0f);
    return x < 0.0f ? -q : q;
}

// 1 / n for a window of this many columns and rows.
LG_FUNCTION float local_inverse(lg_int columns, lg_int rows)
{
    LG_FLOAT n = lg_to_float(columns) * lg_to_float(rows);
    return lg_div_near(1.0f, n);
}

// An integer as a float: of 32 bits rounded once, of 64 bits without a sign off by at most 2^-23.
LG_FUNCTION float local_low(lg_uint v)
{
    LG_FLOAT high = lg_to_float(lg_to_int(v >> 16)) * 65536.0f;
    LG_FLOAT y = high + lg_to_float(lg_to_int(v & 0xffffu));
    return y;
}

LG_FUNCTION float local_wide(lg_uint high, lg_uint low)
{
    LG_FLOAT h = local_low(high) * 4294967296.0f;
    LG_FLOAT y = h + local_low(low);
    return y;
}

// The mean of samples; `sum` is S as a float.
LG_FUNCTION float local_mean(float sum, float inverse, float unit)
{
    LG_FLOAT q = sum * inverse;
    LG_FLOAT y = q * unit;
    return y;
}

// The integer nearest to a mean, or the next one.
LG_FUNCTION lg_int local_middle(float sum, float inverse)
{
    LG_FLOAT q = sum * inverse;
    LG_FLOAT y = floorf(q + 0.5f);
    return lg_to_int(y);
}

// With m near S / n: r = S - m n, and moment = sum of (q - m)^2 = Q - m (S + r). Both are exact.
// r^2 / n is at most half of the moment, or both are nearly 0.
LG_FUNCTION float local_deviation(float moment, float rest, float inverse)
{
    LG_FLOAT a = moment * inverse;
    LG_FLOAT b = rest * inverse;
    LG_FLOAT v = a - b * b;
    return lg_sqrt(v);
}

// 1 if a pixel is at least as bright as the threshold of its window: `off` is q - m, `rest` is r /
// n, `deviation` is in units. For a window of equal pixels nothing is rounded.
LG_FUNCTION float local_niblack(float off, float rest, float deviation, float unit, float k)
{
    LG_FLOAT d = (off - rest) * unit;
    LG_FLOAT s = deviation * unit;
    LG_FLOAT y = d + k * s;
    return y >= 0.0f ? 1.0f : 0.0f;
}

LG_FUNCTION float local_sauvola(float off, float middle, float rest, float deviation, float unit,
                                float k, float inverse_range)
{
    LG_FLOAT d = (off - rest) * unit;
    LG_FLOAT s = deviation * unit;
    LG_FLOAT mean = (middle + rest) * unit;
    LG_FLOAT low = (mean * k) * (1.0f - s * inverse_range);
    LG_FLOAT y = d + low;
    return y >= 0.0f ? 1.0f : 0.0f;
}

// The radius at a pixel, from a component of the other image.
LG_FUNCTION lg_int local_radius(float v, float max)
{
    LG_FLOAT part = fminf(v > 0.0f ? v : 0.0f, 1.0f);
    LG_FLOAT y = floorf(part * max + 0.5f);
    return lg_to_int(y);
}

#endif

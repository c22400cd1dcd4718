// Weights of the bilateral filter, one text for C and GLSL.
#ifndef LG_BILATERAL_WEIGHT_H
#define LG_BILATERAL_WEIGHT_H

#include "kernel/prelude.h"

// 2^t for t <= 0, clamped to -40: relative error below 3e-6, exact for 0. docs/definitions.md has
// the polynomial. No product with a weight is subnormal, as devices differ there.
#define LG_BILATERAL_LEAST (-40.0f)
#define LG_BILATERAL_C1    0.6931242f
#define LG_BILATERAL_C2    0.24024099f
#define LG_BILATERAL_C3    0.055906434f
#define LG_BILATERAL_C4    0.009582849f
#define LG_BILATERAL_ROUND                                                                         \
    12582912.0f // 1.5 * 2^23: a sum with it has the nearest integer in its low bits

LG_FUNCTION float bilateral_weight(float t)
{
    LG_FLOAT c = fmaxf(t, LG_BILATERAL_LEAST);
    LG_FLOAT shifted = c + LG_BILATERAL_ROUND;
    LG_FLOAT f = c - (shifted - LG_BILATERAL_ROUND);
    LG_FLOAT p = LG_BILATERAL_C4;
    p = p * f + LG_BILATERAL_C3;
    p = p * f + LG_BILATERAL_C2;
    p = p * f + LG_BILATERAL_C1;
    p = p * f + 1.0f;
    return lg_from_bits(lg_bits(p) + (lg_bits(shifted) << 23));
}

// The factor of a square for the exponent of 2: -scale / (2 ln 2 sigma^2 unit^2). Scale is 3 for
// grey, a colour with three equal components; unit is 255 for differences of bytes.
LG_FUNCTION float bilateral_factor(float sigma, float scale, float unit)
{
    LG_FLOAT s = sigma * unit;
    return lg_div(-0.72134752f * scale, s * s);
}

#endif

// The weight of a difference of colours, one text for C and GLSL.
#ifndef LG_BILATERAL_WEIGHT_H
#define LG_BILATERAL_WEIGHT_H

#include "filter/prelude.h"

// 2^t for t <= 0, clamped to -126: relative error below 3e-6, exact for 0. docs/definitions.md has the
// polynomial.
#define LG_BILATERAL_C1    0.6931242f
#define LG_BILATERAL_C2    0.24024099f
#define LG_BILATERAL_C3    0.055906434f
#define LG_BILATERAL_C4    0.009582849f
#define LG_BILATERAL_ROUND 12582912.0f // 1.5 * 2^23: a sum with it ends in the nearest integer

LG_FUNCTION float bilateral_weight(float t)
{
    LG_FLOAT c = fmaxf(t, -126.0f);
    LG_FLOAT shifted = c + LG_BILATERAL_ROUND;
    LG_FLOAT f = c - (shifted - LG_BILATERAL_ROUND);
    LG_FLOAT p = LG_BILATERAL_C4;
    p = p * f + LG_BILATERAL_C3;
    p = p * f + LG_BILATERAL_C2;
    p = p * f + LG_BILATERAL_C1;
    p = p * f + 1.0f;
    return lg_from_bits(lg_bits(p) + (lg_bits(shifted) << 23));
}

#endif

// sRGB to linear light: v / 12.92 up to 0.04045, else ((v + 0.055) / 1.055)^2.4 (IEC 61966-2-1).
// Values outside 0..1 are not clamped; negative ones follow the linear piece. 0 and 1 are kept
// exactly.
#ifndef LG_LINEAR_H
#define LG_LINEAR_H

#include "kernel/prelude.h"

LG_FUNCTION float lg_linear(float v)
{
    // 1 / 1.055 and its complement, rounded so that they sum to 1.
    LG_FLOAT base = fmaxf(v, 0.04045f) * 0.947867299f + 0.0521327257f;
    LG_FLOAT power = lg_pow(base, 2.4f);
    LG_FLOAT line = v * 0.0773993808f;
    return v <= 0.04045f ? line : power;
}

LG_FUNCTION color lg_point_linear(color c)
{
    LG_COLOR y = c;
    y.r = lg_linear(c.r);
    y.g = lg_linear(c.g);
    y.b = lg_linear(c.b);
    return y;
}

// The way back: 12.92 v up to 0.0031308, else 1.055 v^(1/2.4) - 0.055. 0 and 1 are kept exactly: the two
// constants differ by 1.
LG_FUNCTION float lg_encoded(float v)
{
    LG_FLOAT power = lg_pow(fmaxf(v, 0.0031308f), 0.416666657f);
    LG_FLOAT curve = power * 1.05499995f - 0.0549999475f;
    LG_FLOAT line = v * 12.92f;
    return v <= 0.0031308f ? line : curve;
}

LG_FUNCTION color lg_linear_rgb(color c)
{
    LG_COLOR y = c;
    y.r = lg_encoded(c.r);
    y.g = lg_encoded(c.g);
    y.b = lg_encoded(c.b);
    return y;
}

#endif

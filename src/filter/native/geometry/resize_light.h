// Linear light to sRGB, the inverse of lg_linear: 12.92 v up to 0.0031308, else 1.055 v^(1/2.4) - 0.055.
#ifndef LG_RESIZE_LIGHT_H
#define LG_RESIZE_LIGHT_H

#include "kernel/space/linear.h"

// 0 and 1 are kept exactly: the two constants differ by 1.
LG_FUNCTION float lg_resize_encoded(float v)
{
    LG_FLOAT power = lg_pow(fmaxf(v, 0.0031308f), 0.416666657f);
    LG_FLOAT curve = power * 1.05499995f - 0.0549999475f;
    LG_FLOAT line = v * 12.92f;
    return v <= 0.0031308f ? line : curve;
}

#endif

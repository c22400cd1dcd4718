// YIQ of NTSC, of r, g, b as stored: Y is the luma of BT.601, U = 0.492111 (b - Y), V = 0.877283 (r -
// Y); I and Q are V and U turned by 33 degrees: I = V cos 33 - U sin 33, Q = V sin 33 + U cos 33.
// Greys have I = Q = 0 exactly.
#ifndef LG_YIQ_H
#define LG_YIQ_H

#include "kernel/space/luma.h"

LG_FUNCTION color lg_point_yiq(color c)
{
    LG_FLOAT luma = lg_luma_float(c.r, c.g, c.b, 0.299f, 0.587f, 0.114f);
    LG_FLOAT red = c.r - luma;
    LG_FLOAT blue = c.b - luma;
    LG_COLOR y = c;
    y.r = luma;
    y.g = red * 0.735751432f - blue * 0.268022860f;
    y.b = red * 0.477802567f + blue * 0.412719012f;
    return y;
}

// The way back, r = Y, g = I, b = Q.
LG_FUNCTION color lg_yiq_rgb(color c)
{
    LG_FLOAT red = c.g * 0.955986344f + c.b * 0.620824791f;
    LG_FLOAT blue = c.b * 1.70423048f - c.g * 1.10674022f;
    LG_COLOR y = c;
    y.r = c.r + red;
    y.g = (c.r - red * 0.509369676f) - blue * 0.194207836f;
    y.b = c.r + blue;
    return y;
}

#endif

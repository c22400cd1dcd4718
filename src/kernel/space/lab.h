// CIE L*a*b* (CIE 15), white point D65, 2 degree observer, of sRGB: X/Xn, Y/Yn, Z/Zn, then f(t) =
// t^(1/3) above (6/29)^3, else t / (3 (6/29)^2) + 4/29; L = 116 f(Y) - 16, a = 500 (f(X) - f(Y)), b =
// 200 (f(Y) - f(Z)). White is L = 100, and greys have a = b = 0 exactly.
#ifndef LG_LAB_H
#define LG_LAB_H

#include "kernel/space/xyz.h"

LG_FUNCTION float lg_lab_f(float t)
{
    LG_FLOAT root = lg_cbrt(fmaxf(t, 0.00885645168f));
    LG_FLOAT line = t * 7.78703704f + 0.137931034f;
    return t > 0.00885645168f ? root : line;
}

// The inverse of lg_lab_f.
LG_FUNCTION float lg_lab_t(float f)
{
    LG_FLOAT cube = (f * f) * f;
    LG_FLOAT line = (f - 0.137931034f) * 0.128418549f;
    return f > 0.206896552f ? cube : line;
}

LG_FUNCTION color lg_point_lab(color c)
{
    LG_COLOR v = lg_point_relative(c);
    LG_FLOAT fx = lg_lab_f(v.r);
    LG_FLOAT fy = lg_lab_f(v.g);
    LG_FLOAT fz = lg_lab_f(v.b);
    LG_COLOR lab = c;
    lab.r = 116.0f * fy - 16.0f;
    lab.g = 500.0f * (fx - fy);
    lab.b = 200.0f * (fy - fz);
    return lab;
}

// The way back, r = L, g = a, b = b.
LG_FUNCTION color lg_lab_rgb(color c)
{
    LG_FLOAT fy = c.r * 0.00862068966f + 0.137931034f;
    LG_COLOR y = c;
    y.r = lg_lab_t(fy + c.g * 0.002f);
    y.g = lg_lab_t(fy);
    y.b = lg_lab_t(fy - c.b * 0.005f);
    return lg_relative_rgb(y);
}

#endif

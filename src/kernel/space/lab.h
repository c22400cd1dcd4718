// CIE L*a*b* (CIE 15), white point D65, 2 degree observer, of sRGB: linear light, then X/Xn, Y/Yn,
// Z/Zn, then f(t) = t^(1/3) above (6/29)^3, else t / (3 (6/29)^2) + 4/29; L = 116 f(Y) - 16, a =
// 500 (f(X) - f(Y)), b = 200 (f(Y) - f(Z)). The matrix is divided by its own white and its rows are
// rounded so that they sum to 1: white is L = 100, and greys have a = b = 0 exactly.
#ifndef LG_LAB_H
#define LG_LAB_H

#include "kernel/space/linear.h"

LG_FUNCTION float lg_lab_f(float t)
{
    LG_FLOAT root = lg_cbrt(fmaxf(t, 0.00885645168f));
    LG_FLOAT line = t * 7.78703704f + 0.137931034f;
    return t > 0.00885645168f ? root : line;
}

LG_FUNCTION color lg_point_lab(color c)
{
    LG_COLOR v = lg_point_linear(c);
    LG_FLOAT x = (v.r * 0.43394995f + v.g * 0.37620977f) + v.b * 0.18984032f;
    LG_FLOAT y = (v.r * 0.21267287f + v.g * 0.71515214f) + v.b * 0.07217497f;
    LG_FLOAT z = (v.r * 0.017756583f + v.g * 0.10946796f) + v.b * 0.87277544f;
    // The three sums of a grey may round apart; its chroma is 0 by definition.
    float grey = (v.r == v.g && v.g == v.b) ? 1.0f : 0.0f;
    LG_FLOAT fx = lg_lab_f(grey > 0.0f ? v.r : x);
    LG_FLOAT fy = lg_lab_f(grey > 0.0f ? v.r : y);
    LG_FLOAT fz = lg_lab_f(grey > 0.0f ? v.r : z);
    LG_COLOR lab = c;
    lab.r = 116.0f * fy - 16.0f;
    lab.g = 500.0f * (fx - fy);
    lab.b = 200.0f * (fy - fz);
    return lab;
}

#endif

// CIE LCh of L*a*b*: C = sqrt(a^2 + b^2), h the angle of (a, b) in turns, 0 <= h < 1. Greys have C = h =
// 0 exactly.
#ifndef LG_LCH_H
#define LG_LCH_H

#include "kernel/space/lab.h"

LG_FUNCTION color lg_point_lch(color c)
{
    LG_COLOR lab = lg_point_lab(c);
    LG_FLOAT square = lab.g * lab.g + lab.b * lab.b;
    LG_FLOAT root = lg_sqrt(fmaxf(square, 1e-30f));
    LG_FLOAT h = lg_atan2(lab.b, lab.g) * 0.159154943f;
    h = h < 0.0f ? h + 1.0f : h;
    h = h >= 1.0f ? 0.0f : h; // a tiny negative angle rounds up to a full turn
    LG_COLOR y = lab;
    y.g = square > 1e-30f ? root : 0.0f;
    y.b = square > 1e-30f ? h : 0.0f;
    return y;
}

// The way back, r = L, g = C, b = h, which need not be wrapped.
LG_FUNCTION color lg_lch_rgb(color c)
{
    LG_COLOR lab = c;
    lab.g = c.g * lg_cos_turns(c.b);
    lab.b = c.g * lg_sin_turns(c.b);
    return lg_lab_rgb(lab);
}

#endif

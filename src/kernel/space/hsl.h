// Hue, saturation, lightness: hue as in HSV; l = (max + min) / 2, also where the sum is beyond the
// largest float; s = d / (max + min) up to l = 1/2, else d / (2 - max - min), at most 1 (0 where the
// divisor is not positive). Greys have h = 0 and s = 0.
#ifndef LG_HSL_H
#define LG_HSL_H

#include "kernel/space/hsv.h"

LG_FUNCTION color lg_point_hsl(color c)
{
    LG_FLOAT high = fmaxf(fmaxf(c.r, c.g), c.b);
    LG_FLOAT low = fminf(fminf(c.r, c.g), c.b);
    LG_FLOAT d = high - low;
    LG_FLOAT sum = high + low;
    LG_FLOAT room = (1.0f - high) + (1.0f - low);
    LG_FLOAT divisor = sum <= 1.0f ? sum : room;
    LG_FLOAT s = fminf(lg_div(d, divisor), 1.0f);
    LG_COLOR y = c;
    y.r = lg_hue(c.r, c.g, c.b, high, d);
    y.g = divisor > 0.0f ? s : 0.0f;
    // From 2^127 on the sum may be infinite; there the sum of halves is the half of the sum, bit for bit.
    LG_FLOAT halves = high * 0.5f + low * 0.5f;
    y.b = fmaxf(fabsf(high), fabsf(low)) >= 1.7014118e38f ? halves : sum * 0.5f;
    return y;
}

// The way back, r = h, g = s, b = l, as HSV: v = l + s min(l, 1 - l), and its saturation 2 (v - l) / v.
LG_FUNCTION color lg_hsl_rgb(color c)
{
    LG_FLOAT value = c.b + c.g * fminf(c.b, 1.0f - c.b);
    LG_FLOAT saturation = 2.0f * lg_div(value - c.b, fmaxf(value, 1e-12f));
    LG_COLOR hsv = c;
    hsv.g = value > 0.0f ? saturation : 0.0f;
    hsv.b = value;
    return lg_hsv_rgb(hsv);
}

#endif

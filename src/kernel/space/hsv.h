// Hue, saturation, value: the hexcone of A. R. Smith (1978) with hue scaled to 0..1.
// max = max(r, g, b), d = max - min; v = max; s = d / max (0 where max <= 0), at most 1;
// h = ((g - b) / d mod 6) / 6 where red is the largest, then (2 + (b - r) / d) / 6 for green and
// (4 + (r - g) / d) / 6 for blue; ties go to red, then green. Greys have h = 0 and s = 0.
#ifndef LG_HSV_H
#define LG_HSV_H

#include "kernel/prelude.h"

// Hue of r, g, b whose largest is `high` and whose spread is `d`.
LG_FUNCTION float lg_hue(float r, float g, float b, float high, float d)
{
    LG_FLOAT numerator = r >= high ? g - b : (g >= high ? b - r : r - g);
    LG_FLOAT sector = r >= high ? 0.0f : (g >= high ? 2.0f : 4.0f);
    LG_FLOAT q = lg_div(numerator, d);
    q = fminf(fmaxf(q, -1.0f), 1.0f);
    LG_FLOAT h = sector + q;
    h = h < 0.0f ? h + 6.0f : h;
    h = h >= 6.0f ? 0.0f : h; // a tiny negative angle rounds up to a full turn
    h = h * 0.166666667f;
    return d > 0.0f ? h : 0.0f;
}

LG_FUNCTION color lg_point_hsv(color c)
{
    LG_FLOAT high = fmaxf(fmaxf(c.r, c.g), c.b);
    LG_FLOAT low = fminf(fminf(c.r, c.g), c.b);
    LG_FLOAT d = high - low;
    LG_FLOAT s = fminf(lg_div(d, high), 1.0f);
    LG_COLOR y = c;
    y.r = lg_hue(c.r, c.g, c.b, high, d);
    y.g = high > 0.0f ? s : 0.0f;
    y.b = high;
    return y;
}

// One channel of lg_hsv_rgb: how far `hue`, which need not be wrapped, is from the channel's own.
LG_FUNCTION float lg_hsv_channel(float hue, float s, float v)
{
    LG_FLOAT sixth = (hue - floorf(hue)) * 6.0f - 3.0f;
    LG_FLOAT share = fminf(fmaxf(fabsf(sixth) - 1.0f, 0.0f), 1.0f);
    LG_FLOAT y = v * (1.0f + (share - 1.0f) * s);
    return y;
}

// The way back: r = h, g = s, b = v to a colour; s is not clamped.
LG_FUNCTION color lg_hsv_rgb(color c)
{
    LG_COLOR y = c;
    y.r = lg_hsv_channel(c.r, c.g, c.b);
    y.g = lg_hsv_channel(c.r + 0.666666667f, c.g, c.b);
    y.b = lg_hsv_channel(c.r + 0.333333333f, c.g, c.b);
    return y;
}

#endif

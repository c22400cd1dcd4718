// Small functions that kernels share, in the common subset.
#ifndef LG_COLOR_MATH_H
#define LG_COLOR_MATH_H

#include "kernel/space/luma.h"

LG_FUNCTION color rgba(float r, float g, float b, float a)
{
    LG_COLOR c;
    c.r = r;
    c.g = g;
    c.b = b;
    c.a = a;
    return c;
}

LG_FUNCTION point xy(float x, float y)
{
    point p;
    p.x = x;
    p.y = y;
    return p;
}

LG_FUNCTION float lg_clamp(float x, float low, float high)
{
    return fminf(fmaxf(x, low), high);
}

// NaN becomes 0.
LG_FUNCTION float lg_clamp01(float x)
{
    return fminf(fmaxf(x, 0.0f), 1.0f);
}

// a at t = 0 and b at t = 1, both exact; t outside 0..1 extrapolates.
LG_FUNCTION float lg_mix(float a, float b, float t)
{
    LG_FLOAT y = a * (1.0f - t) + b * t;
    return y;
}

// lg_mix of r, g and b; alpha is a's.
LG_FUNCTION color lg_mix_rgb(color a, color b, float t)
{
    return rgba(lg_mix(a.r, b.r, t), lg_mix(a.g, b.g, t), lg_mix(a.b, b.b, t), a.a);
}

// 1 where x >= edge, else 0.
LG_FUNCTION float lg_step(float edge, float x)
{
    return x >= edge ? 1.0f : 0.0f;
}

// 0 up to a, 1 from b on, t^2 (3 - 2 t) between; a step where b <= a.
LG_FUNCTION float lg_smoothstep(float a, float b, float x)
{
    LG_FLOAT span = b - a;
    LG_FLOAT ratio = lg_div(x - a, fmaxf(span, 1e-12f));
    LG_FLOAT t = lg_clamp01(ratio);
    LG_FLOAT smooth_t = (t * t) * (3.0f - 2.0f * t);
    return lg_choose(span > 0.0f, smooth_t, lg_step(a, x));
}

LG_FUNCTION float lg_fract(float x)
{
    LG_FLOAT y = x - floorf(x);
    return y;
}

// a - b floor(a / b), for b > 0: in 0 .. b.
LG_FUNCTION float lg_mod(float a, float b)
{
    LG_FLOAT y = a - b * floorf(lg_div(a, b));
    return y;
}

// x^y; 0 where x <= 0, unless y = 0: x^0 = 1.
LG_FUNCTION float lg_power(float x, float y)
{
    LG_FLOAT p = lg_pow(fmaxf(x, 1e-30f), y);
    LG_FLOAT at_zero = lg_choose(y == 0.0f, 1.0f, 0.0f);
    return x > 0.0f ? p : at_zero;
}

// 0.2125 r + 0.7154 g + 0.0721 b, GPUImage's luminance.
LG_FUNCTION float lg_luminance(color c)
{
    return lg_luma_float(c.r, c.g, c.b, 0.2125f, 0.7154f, 0.0721f);
}

#endif

// Compositing of two colours with straight alpha, in the common subset: b is the base, o the colour
// over it.
#ifndef LG_COMPOSITE_MATH_H
#define LG_COMPOSITE_MATH_H

#include "kernel/color_math.h"

// The general form of W3C Compositing and Blending with ao = alpha of o times opacity, ab of b:
//   rgb = (ao (1 - ab) o + ao ab blended + (1 - ao) ab b) / alpha,  alpha = ao + ab - ao ab
// where `blended` is the blend function of b and o. Opaque colours give `blended` exactly, ao = 0
// gives b exactly.
LG_FUNCTION color lg_composite(color b, color o, color blended, float opacity)
{
    LG_FLOAT over = o.a * opacity;
    LG_FLOAT only_over = over * (1.0f - b.a);
    LG_FLOAT both = over * b.a;
    LG_FLOAT only_base = (1.0f - over) * b.a;
    LG_FLOAT alpha = b.a + only_over;
    LG_FLOAT inverse = lg_div(1.0f, alpha > 1e-12f ? alpha : 1.0f);
    LG_COLOR y = b;
    y.r = ((only_over * o.r + both * blended.r) + only_base * b.r) * inverse;
    y.g = ((only_over * o.g + both * blended.g) + only_base * b.g) * inverse;
    y.b = ((only_over * o.b + both * blended.b) + only_base * b.b) * inverse;
    y.a = alpha;
    y.r = over > 0.0f ? y.r : b.r;
    y.g = over > 0.0f ? y.g : b.g;
    y.b = over > 0.0f ? y.b : b.b;
    y.a = over > 0.0f ? y.a : b.a;
    return y;
}

// ---- GPUImage's ways to composite, by the alpha of the result -----------------------------------

// The sum of lg_composite before it is divided by an alpha.
LG_FUNCTION color lg_gpuimage_sum(color b, color o, color blended, float opacity)
{
    LG_FLOAT over = o.a * opacity;
    LG_FLOAT only_over = over * (1.0f - b.a);
    LG_FLOAT both = over * b.a;
    LG_FLOAT only_base = (1.0f - over) * b.a;
    LG_COLOR y = b;
    y.r = (only_over * o.r + both * blended.r) + only_base * b.r;
    y.g = (only_over * o.g + both * blended.g) + only_base * b.g;
    y.b = (only_over * o.b + both * blended.b) + only_base * b.b;
    return y;
}

// Alpha 1.
LG_FUNCTION color lg_gpuimage_opaque(color b, color o, color blended, float opacity)
{
    LG_COLOR y = lg_gpuimage_sum(b, o, blended, opacity);
    y.a = 1.0f;
    return y;
}

// The base's alpha, of premultiplied colours; where it is 0 the base.
LG_FUNCTION color lg_gpuimage_within(color b, color o, color blended, float opacity)
{
    LG_COLOR sum = lg_gpuimage_sum(b, o, blended, opacity);
    LG_FLOAT inverse = lg_div(1.0f, b.a > 1e-12f ? b.a : 1.0f);
    LG_COLOR y = b;
    y.r = b.a > 1e-12f ? sum.r * inverse : b.r;
    y.g = b.a > 1e-12f ? sum.g * inverse : b.g;
    y.b = b.a > 1e-12f ? sum.b * inverse : b.b;
    return y;
}

// From b to `blended` by `t`: the alpha of the overlay, or opacity where alpha says nothing.
LG_FUNCTION color lg_gpuimage_mix(color b, color blended, float alpha, float t)
{
    LG_COLOR y = lg_mix_rgb(b, blended, t);
    y.a = alpha;
    return y;
}

// Interpolates from b at t = 0 to o at t = 1, both exact: a mean of premultiplied colours, made
// straight.
LG_FUNCTION color lg_fade(color b, color o, float t)
{
    LG_FLOAT base = b.a * (1.0f - t);
    LG_FLOAT over = o.a * t;
    LG_FLOAT alpha = b.a + (o.a - b.a) * t;
    // Without any alpha both colours have the same weight.
    base = alpha > 1e-12f ? base : 1.0f - t;
    over = alpha > 1e-12f ? over : t;
    LG_FLOAT inverse = lg_div(1.0f, alpha > 1e-12f ? alpha : 1.0f);
    LG_COLOR y = b;
    y.r = (base * b.r + over * o.r) * inverse;
    y.g = (base * b.g + over * o.g) * inverse;
    y.b = (base * b.b + over * o.b) * inverse;
    y.a = alpha;
    y.r = t <= 0.0f ? b.r : (t >= 1.0f ? o.r : y.r);
    y.g = t <= 0.0f ? b.g : (t >= 1.0f ? o.g : y.g);
    y.b = t <= 0.0f ? b.b : (t >= 1.0f ? o.b : y.b);
    y.a = t <= 0.0f ? b.a : (t >= 1.0f ? o.a : y.a);
    return y;
}

// Hard light of W3C with the test on `test`: 2 x y below one half, else 1 - 2 (1 - x)(1 - y).
LG_FUNCTION float lg_hard_light(float test, float x, float y)
{
    LG_FLOAT product = (2.0f * x) * y;
    LG_FLOAT screen = 1.0f - (2.0f * (1.0f - x)) * (1.0f - y);
    return test < 0.5f ? product : screen;
}

// ---- functions that mix hue, saturation and luminosity (PDF, W3C) -------------------------------

// 0.3 r + 0.59 g + 0.11 b
LG_FUNCTION float lg_lum(color c)
{
    return lg_luma_float(c.r, c.g, c.b, 0.3f, 0.59f, 0.11f);
}

LG_FUNCTION float lg_sat(color c)
{
    LG_FLOAT high = fmaxf(fmaxf(c.r, c.g), c.b);
    LG_FLOAT low = fminf(fminf(c.r, c.g), c.b);
    LG_FLOAT sat = high - low;
    return sat;
}

// c moved to luminosity `lum`, then moved towards grey until it is in 0..1. ClipColor computes the
// extremes again after its first correction, so one factor does both.
LG_FUNCTION color lg_set_lum(color c, float lum)
{
    LG_FLOAT shift = lum - lg_lum(c);
    LG_COLOR y = c;
    y.r = c.r + shift;
    y.g = c.g + shift;
    y.b = c.b + shift;
    LG_FLOAT low = fminf(fminf(y.r, y.g), y.b);
    LG_FLOAT high = fmaxf(fmaxf(y.r, y.g), y.b);
    LG_FLOAT below = lg_div(lum, lum - low);
    LG_FLOAT above = lg_div(1.0f - lum, high - lum);
    LG_FLOAT factor = low < 0.0f ? below : 1.0f;
    factor = high > 1.0f ? fminf(factor, above) : factor;
    // No colour has a luminosity outside 0..1.
    factor = fmaxf(factor, 0.0f);
    y.r = factor < 1.0f ? lum + (y.r - lum) * factor : y.r;
    y.g = factor < 1.0f ? lum + (y.g - lum) * factor : y.g;
    y.b = factor < 1.0f ? lum + (y.b - lum) * factor : y.b;
    return y;
}

// The smallest component becomes 0, the largest `sat`, and the middle one keeps its relative
// position; greys become black.
LG_FUNCTION color lg_set_sat(color c, float sat)
{
    LG_FLOAT low = fminf(fminf(c.r, c.g), c.b);
    LG_FLOAT spread = lg_sat(c);
    LG_FLOAT factor = lg_div(sat, spread);
    factor = spread > 0.0f ? factor : 0.0f;
    LG_COLOR y = c;
    y.r = (c.r - low) * factor;
    y.g = (c.g - low) * factor;
    y.b = (c.b - low) * factor;
    return y;
}

// ---- keys ---------------------------------------------------------------------------------------

// Distance of two colours in Cr, Cb: 0.7132 (R - Y), 0.5647 (B - Y), Y = 0.2989 R + 0.5866 G + 0.1145 B.
LG_FUNCTION float lg_chroma_distance(color c, color key)
{
    LG_FLOAT r = c.r - key.r;
    LG_FLOAT g = c.g - key.g;
    LG_FLOAT b = c.b - key.b;
    LG_FLOAT y = (0.2989f * r + 0.5866f * g) + 0.1145f * b;
    LG_FLOAT cr = 0.7132f * (r - y);
    LG_FLOAT cb = 0.5647f * (b - y);
    LG_FLOAT square = cr * cr + cb * cb;
    return lg_sqrt(square);
}

#endif

// Conversion of samples to colours and back, and bilinear sampling of an image: one text for C and
// GLSL.
#ifndef LG_PIXEL_RULE_H
#define LG_PIXEL_RULE_H

#include "kernel/color_math.h"

// 1/255 and 1/65535, so that the largest sample is 1 exactly.
#define LG_UNIT_U8  0.00392156886f
#define LG_UNIT_U16 0.0000152590219f

// 2^23: a float from 2^23 to 2^24 has its integer part in the low bits.
#define LG_WHOLE      8388608.0f
#define LG_WHOLE_BITS 0x4b000000u

// A colour component to 0 .. most (255 or 65535). Below 0 and NaN become 0, above 1 `most`. Other
// values are component * most, rounded to nearest, halves to even, by adding 2^23: conversions
// between floats and integers are slow on GPUs.
#ifdef VULKAN
// The bits of that sum. Devices clamp a number to 0 .. 1 at no cost.
LG_FUNCTION lg_uint lg_unit_sum(float v, float max)
{
    LG_FLOAT x = clamp(v, 0.0f, 1.0f) * max + LG_WHOLE;
    return lg_bits(x);
}
#endif

LG_FUNCTION lg_uint lg_to_unit(float v, float max)
{
#ifdef VULKAN
    return lg_unit_sum(v, max) & 0xffffu;
#else
    LG_FLOAT x = (v > 0.0f ? v : 0.0f) * max;
    // The upper clamp is on integers, for which compilers use a single instruction.
    x = x + LG_WHOLE;
    const int32_t bits = (int32_t)lg_bits(x), limit = (int32_t)LG_WHOLE_BITS + (int32_t)max;
    return (uint32_t)(bits < limit ? bits : limit) & 0xffffu;
#endif
}

// An integer below 2^23 as a float.
LG_FUNCTION float lg_from_uint(lg_uint whole)
{
    LG_FLOAT x = lg_from_bits(LG_WHOLE_BITS | whole) - LG_WHOLE;
    return x;
}

LG_FUNCTION color lg_premultiplied(color c)
{
    return rgba(c.r * c.a, c.g * c.a, c.b * c.a, c.a);
}

// The colour of a premultiplied pixel; black if alpha is not positive.
LG_FUNCTION color lg_straight(color c)
{
    LG_FLOAT inverse = c.a > 1e-12f ? lg_div(1.0f, c.a) : 0.0f;
    inverse = c.a == 1.0f ? 1.0f : inverse;
    return rgba(c.r * inverse, c.g * inverse, c.b * inverse, c.a);
}

// The four pixels around a point: columns x, x + 1, rows y, y + 1, and the distance of the point
// from the first.
LG_STRUCT(lg_tap)
{
    float x, y, fx, fy;
};

// A point in pixels. It is moved to a pixel's centre when it is so close that the float fraction
// cannot tell them apart.
LG_FUNCTION float lg_tap_place(float x, float size)
{
    // Points far outside give the same as points just outside; NaN is 0.
    LG_FLOAT at = fminf(fmaxf(x, -16.0f), 16.0f) * size - 0.5f;
    LG_FLOAT nearest = floorf(at + 0.5f);
    LG_FLOAT off = fabsf(at - nearest);
    return off <= size * 2.38418579e-7f ? nearest : at;
}

LG_FUNCTION lg_tap lg_tap_at(float x, float y, float width, float height)
{
    lg_tap t;
    LG_FLOAT px = lg_tap_place(x, width);
    LG_FLOAT py = lg_tap_place(y, height);
    t.x = floorf(px);
    t.y = floorf(py);
    t.fx = px - t.x;
    t.fy = py - t.y;
    return t;
}

#define LG_NEAR_SIDE (1 << 20) // up to which lg_near_at has the bits of lg_tap_at

LG_STRUCT(lg_near)
{
    lg_uint first; // pixel
    float share;   // of the next one
};

// A side of lg_tap_at, where the pixel is inside; where it is not, `first` is beyond any such side, also
// for NaN. Adding 1.5 * 2^23 rounds to an integer, which then stands in the low bits: devices convert
// slowly, and no float is too large for it.
LG_FUNCTION lg_near lg_near_at(float x, float size)
{
    LG_FLOAT at = x * size - 0.5f;
    LG_FLOAT sum = at + 12582912.0f;
    LG_FLOAT nearest = sum - 12582912.0f;
    LG_FLOAT off = at - nearest;
    float slack = size * 2.38418579e-7f;
    bool before = off < -slack;
    LG_FLOAT share = off + (before ? 1.0f : 0.0f); // exact: `at` is 0.5 or more there
    lg_near n;
    n.first = lg_bits(sum) - 0x4b400000u - (before ? 1u : 0u);
    n.share = fabsf(off) <= slack ? 0.0f : share;
    return n;
}

// The shares of the four pixels.
LG_STRUCT(lg_weights)
{
    float tl, tr, bl, br;
};

LG_FUNCTION lg_weights lg_weights_of(lg_tap t)
{
    lg_weights w;
    LG_FLOAT gx = 1.0f - t.fx;
    LG_FLOAT gy = 1.0f - t.fy;
    LG_FLOAT tl = gx * gy;
    LG_FLOAT tr = t.fx * gy;
    LG_FLOAT bl = gx * t.fy;
    LG_FLOAT br = t.fx * t.fy;
    w.tl = tl;
    w.tr = tr;
    w.bl = bl;
    w.br = br;
    return w;
}

LG_FUNCTION float lg_weighed(float tl, float tr, float bl, float br, lg_weights w)
{
    LG_FLOAT sum = (tl * w.tl + tr * w.tr) + (bl * w.bl + br * w.br);
    return sum;
}

// What lies at `part` of the way from one value to the next; at 0 the next is not read, and between equal
// ones it is that value.
LG_FUNCTION float lg_between(float near, float next, float part)
{
    LG_FLOAT y = near + (next - near) * part;
    return part > 0.0f ? y : near;
}

LG_FUNCTION color lg_color_between(color near, color next, float part)
{
    return rgba(lg_between(near.r, next.r, part), lg_between(near.g, next.g, part),
                lg_between(near.b, next.b, part), lg_between(near.a, next.a, part));
}

// The bilinear mean of premultiplied colours, made straight; at a pixel's centre exactly that
// pixel.
LG_FUNCTION color lg_bilinear(color tl, color tr, color bl, color br, lg_tap t)
{
    lg_weights w = lg_weights_of(t);
    LG_COLOR a = lg_premultiplied(tl);
    LG_COLOR b = lg_premultiplied(tr);
    LG_COLOR c = lg_premultiplied(bl);
    LG_COLOR d = lg_premultiplied(br);
    LG_COLOR m = rgba(lg_weighed(a.r, b.r, c.r, d.r, w), lg_weighed(a.g, b.g, c.g, d.g, w),
                      lg_weighed(a.b, b.b, c.b, d.b, w), lg_weighed(a.a, b.a, c.a, d.a, w));
    LG_COLOR y = lg_straight(m);
    float between = (t.fx > 0.0f || t.fy > 0.0f) ? 1.0f : 0.0f;
    y.r = between > 0.0f ? y.r : tl.r;
    y.g = between > 0.0f ? y.g : tl.g;
    y.b = between > 0.0f ? y.b : tl.b;
    y.a = between > 0.0f ? y.a : tl.a;
    return y;
}

// The same bits where all four alphas are 1 and the point lies between pixels, or all samples are
// finite and none is -0. The weights' roundings make alpha 1 - 2^-22 .. 1 + 2^-22, seven floats of
// which 2 - alpha is the quotient 1 / alpha as lg_div computes it.
LG_FUNCTION color lg_bilinear_opaque(color tl, color tr, color bl, color br, lg_tap t)
{
    lg_weights w = lg_weights_of(t);
    LG_FLOAT alpha = (w.tl + w.tr) + (w.bl + w.br);
    LG_FLOAT inverse = 1.0f + (1.0f - alpha);
    LG_COLOR y = rgba(lg_weighed(tl.r, tr.r, bl.r, br.r, w) * inverse,
                      lg_weighed(tl.g, tr.g, bl.g, br.g, w) * inverse,
                      lg_weighed(tl.b, tr.b, bl.b, br.b, w) * inverse, alpha);
    return y;
}

// Points along a line: sums of colours times alpha and weight, of alpha times weight, and of weights.
LG_STRUCT(lg_line)
{
    float r, g, b, a, weight;
};

// Where point k of `count` lies in -1 .. 1; `count` is odd and 3 or more, and 0 is the one in the middle.
LG_FUNCTION float lg_line_place(lg_int k, lg_int count)
{
    LG_FLOAT half_count = lg_to_float(count - 1) * 0.5f;
    LG_FLOAT t = (lg_to_float(k) - half_count) * lg_div(1.0f, half_count);
    return t;
}

// 0.18, 0.15, 0.12, 0.09 and 0.05 at quarters from the middle to an end, straight between them.
LG_FUNCTION float lg_line_weight(float t)
{
    LG_FLOAT u = fabsf(t);
    LG_FLOAT w = fminf(0.18f - 0.12f * u, 0.21f - 0.16f * u);
    return w;
}

LG_FUNCTION lg_line lg_line_begin(void)
{
    lg_line sum;
    sum.r = 0.0f;
    sum.g = 0.0f;
    sum.b = 0.0f;
    sum.a = 0.0f;
    sum.weight = 0.0f;
    return sum;
}

LG_FUNCTION lg_line lg_line_add(lg_line sum, color c, float weight)
{
    lg_line y;
    LG_FLOAT share = c.a * weight;
    LG_FLOAT r = sum.r + c.r * share;
    LG_FLOAT g = sum.g + c.g * share;
    LG_FLOAT b = sum.b + c.b * share;
    LG_FLOAT a = sum.a + share;
    LG_FLOAT total = sum.weight + weight;
    y.r = r;
    y.g = g;
    y.b = b;
    y.a = a;
    y.weight = total;
    return y;
}

// Alpha 1 everywhere gives 1 exactly.
LG_FUNCTION color lg_line_mean(lg_line sum)
{
    LG_FLOAT inverse = sum.a > 1e-12f ? lg_div(1.0f, sum.a) : 0.0f;
    LG_FLOAT alpha = lg_div(sum.a, sum.weight);
    return rgba(sum.r * inverse, sum.g * inverse, sum.b * inverse, alpha);
}

#endif

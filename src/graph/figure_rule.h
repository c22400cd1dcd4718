// Figures of 8-bit images from their counts: one text for C and GLSL, so that host and device give
// the same bits. Counts sum to less than 2^32; all sums are integers.
#ifndef LG_FIGURE_RULE_H
#define LG_FIGURE_RULE_H

#include "graph/figures.h"
#include "kernel/pixel_rule.h"

// The header of a curve: its lowest value, the number of steps per 1, the power of two that
// multiplies values first, and an unused number. The entries follow.
#define LG_CURVE_HEADER 4
#define LG_CURVE_LOW_U8 -0.00196078443f // half a step below 0

// Converts in two exact halves, so that the rounding of a device's conversion does not matter.
LG_FUNCTION float lg_figure_float(lg_uint x)
{
    LG_FLOAT y = lg_from_uint(x >> 16) * 65536.0f + lg_from_uint(x & 0xffffu);
    return y;
}

LG_STRUCT(lg_figure_place)
{
    lg_uint rank, next; // next is rank for the last sample
    lg_uint rest;       // in 10^-9
};

// (n - 1) * billionths / 10^9 as an integer rank and a remainder, by long division.
LG_FUNCTION lg_figure_place lg_figure_place_of(lg_uint n, lg_uint billionths)
{
    lg_figure_place p;
    lg_uint rest = 0u, rank = 0u, a = n > 0u ? n - 1u : 0u;
    for (lg_int bit = 31; bit >= 0; bit--) {
        // rest < 10^9 and a bit adds at most 10^9: below 2^32
        rest = rest * 2u + ((a >> lg_to_uint(bit)) & 1u) * billionths;
        lg_uint times = rest >= 2000000000u ? 2u : (rest >= 1000000000u ? 1u : 0u);
        rank = rank * 2u + times;
        rest -= times * 1000000000u;
    }
    p.rank = rank;
    p.next = rank + 1u < n ? rank + 1u : rank;
    p.rest = rest;
    return p;
}

// The share of n samples at or below a value. The `first` samples of the lowest value are left out;
// 0 when all samples have one value.
LG_FUNCTION float lg_figure_share(lg_uint below, lg_uint first, lg_uint n)
{
    lg_uint part = below > first ? below - first : 0u;
    LG_FLOAT y = lg_div(lg_figure_float(part), lg_figure_float(n > first ? n - first : 1u));
    return part > 0u ? y : 0.0f;
}

LG_FUNCTION float lg_figure_of_curve(lg_uint below, lg_uint first, lg_uint n, lg_uint kind)
{
    lg_uint row = LG_FIRST_OF_CURVES;
    LG_FIGURES_OF_CURVES(LG_FIGURE_CASE)
    return 0.0f;
}

// Luma of figures: GPUImage's weights.
LG_FUNCTION float lg_figure_luma(float r, float g, float b)
{
    return lg_luma_float(r, g, b, 0.2125f, 0.7154f, 0.0721f);
}

// Component 0 .. 3 of a picked pixel, or luma for 4. NaN becomes 0.
LG_FUNCTION float lg_figure_picked(float r, float g, float b, float a, lg_int component)
{
    float luma = lg_figure_luma(r, g, b);
    float x = component == 4   ? luma
              : component == 3 ? a
              : component == 2 ? b
              : component == 1 ? g
                               : r;
    return x == x ? x : 0.0f;
}

LG_FUNCTION float lg_figure_of_pixel(float x, lg_uint kind)
{
    lg_uint row = LG_FIRST_OF_PIXELS;
    LG_FIGURES_OF_PIXELS(LG_FIGURE_CASE)
    return 0.0f;
}

// factor * figure + offset, rounded to an integer if `whole`, clamped to the parameter's range.
LG_FUNCTION float lg_figure_fit(float figure, float factor, float offset, float lower, float upper,
                                lg_uint whole)
{
    LG_FLOAT x = figure * factor + offset;
    LG_FLOAT rounded = floorf(x + 0.5f);
    x = whole != 0u ? rounded : x;
    x = fminf(fmaxf(x, lower), upper);
    return x;
}

#endif

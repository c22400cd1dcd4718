// Colours between the entries of a table, in the common subset.
#ifndef LG_LOOKUP_MATH_H
#define LG_LOOKUP_MATH_H

#include "kernel/cell_math.h"

// An entry as an index, and how far the next one lies along each axis: 0 where there is one entry.
LG_STRUCT(lg_lookup_cell)
{
    lg_int at;
    lg_int r, g, b;
};

// Where a colour lies in the range of a table, 0..1 on each axis. The usual range changes no bit.
LG_FUNCTION color lg_lookup_place(lg_table t, color c)
{
    LG_COLOR y = c;
    y.r = lg_clamp01((c.r - t.low_r) * t.scale_r);
    y.g = lg_clamp01((c.g - t.low_g) * t.scale_g);
    y.b = lg_clamp01((c.b - t.low_b) * t.scale_b);
    return y;
}

// The entry below, so that there is one above it.
LG_FUNCTION lg_int lg_lookup_below(float x, lg_int levels)
{
    lg_int i = lg_to_int(x);
    i = i > levels - 2 ? levels - 2 : i;
    return i < 0 ? 0 : i;
}

LG_FUNCTION color lg_lookup_trilinear(lg_table t, lg_lookup_cell k, point rg, float blue)
{
    lg_int i = k.at;
    LG_COLOR near =
        lg_mix_rgb(lg_mix_rgb(lg_at_color(t, i), lg_at_color(t, i + k.r), rg.x),
                   lg_mix_rgb(lg_at_color(t, i + k.g), lg_at_color(t, i + k.g + k.r), rg.x), rg.y);
    i = i + k.b;
    LG_COLOR far =
        lg_mix_rgb(lg_mix_rgb(lg_at_color(t, i), lg_at_color(t, i + k.r), rg.x),
                   lg_mix_rgb(lg_at_color(t, i + k.g), lg_at_color(t, i + k.g + k.r), rg.x), rg.y);
    return lg_mix_rgb(near, far, blue);
}

LG_FUNCTION color lg_lookup_tetrahedral(lg_table t, lg_lookup_cell k, point rg, float blue)
{
    LG_FLOAT largest = fmaxf(fmaxf(rg.x, rg.y), blue);
    LG_FLOAT smallest = fminf(fminf(rg.x, rg.y), blue);
    LG_FLOAT middle = fmaxf(fminf(rg.x, rg.y), fminf(fmaxf(rg.x, rg.y), blue));
    lg_int first = rg.x >= rg.y ? (rg.x >= blue ? k.r : k.b) : (rg.y >= blue ? k.g : k.b);
    lg_int last = rg.x < rg.y ? (rg.x < blue ? k.r : k.b) : (rg.y < blue ? k.g : k.b);
    lg_int all = k.r + k.g + k.b;
    LG_COLOR c0 = lg_at_color(t, k.at);
    LG_COLOR c1 = lg_at_color(t, k.at + first);
    LG_COLOR c2 = lg_at_color(t, k.at + all - last);
    LG_COLOR c3 = lg_at_color(t, k.at + all);
    LG_FLOAT w0 = 1.0f - largest;
    LG_FLOAT w1 = largest - middle;
    LG_FLOAT w2 = middle - smallest;
    LG_COLOR y = c0;
    y.r = (c0.r * w0 + c1.r * w1) + (c2.r * w2 + c3.r * smallest);
    y.g = (c0.g * w0 + c1.g * w1) + (c2.g * w2 + c3.g * smallest);
    y.b = (c0.b * w0 + c1.b * w1) + (c2.b * w2 + c3.b * smallest);
    return y;
}

// A colour and the one between the entries of a cell; interpolation 0: trilinear, 1: tetrahedral.
LG_FUNCTION color lg_lookup_mixed(lg_table t, lg_lookup_cell k, point rg, float blue, color c,
                                  float interpolation, float intensity)
{
    LG_COLOR found = c;
    if (interpolation > 0.0f)
        found = lg_lookup_tetrahedral(t, k, rg, blue);
    else
        found = lg_lookup_trilinear(t, k, rg, blue);
    return lg_mix_rgb(c, found, intensity);
}

#endif

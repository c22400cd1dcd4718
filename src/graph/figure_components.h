// Figures of connected components: one text for C and GLSL, so that host and device give the same
// bits. Integers and quotients of integers, rounded once.
#ifndef LG_FIGURE_COMPONENTS_H
#define LG_FIGURE_COMPONENTS_H

#include "graph/figures.h"
#include "kernel/exact_quotient.h"

// A component. Numbers of 64 bits are low and high words. All are 0 when there is no component.
LG_STRUCT(lg_largest)
{
    lg_uint area_low, area_high;
    lg_uint x_low, x_high, y_low, y_high; // sums of the columns and rows of its pixels
    lg_uint left, top, width, height;
};

// 2 * number + another, all of 64 bits, as limbs.
LG_FUNCTION lg_u768 lg_figure_twice_and(lg_uint low, lg_uint high, lg_uint and_low,
                                        lg_uint and_high)
{
    lg_u768 r;
    for (lg_int i = 0; i < LG_U768_LIMBS; i++)
        r.at[i] = 0u;
    lg_uint twice_high = (high << 1) | (low >> 31), sum_low = (low << 1) + and_low;
    lg_uint carry = sum_low < and_low ? 1u : 0u, part = twice_high + carry,
            sum_high = part + and_high;
    r.at[0] = sum_low;
    r.at[1] = sum_high;
    r.at[2] = (high >> 31) + (part < carry ? 1u : 0u) + (sum_high < and_high ? 1u : 0u);
    return r;
}

// twice / (2 below)
LG_STRUCT(lg_fraction)
{
    lg_u768 twice;
    lg_uint below_low, below_high;
};

LG_FUNCTION lg_fraction lg_integer(lg_uint low, lg_uint high)
{
    lg_fraction f;
    f.twice = lg_figure_twice_and(low, high, 0u, 0u);
    f.below_low = 1u;
    f.below_high = 0u;
    return f;
}

// The mean column (axis 0) or row (axis 1) of a component's pixels.
LG_FUNCTION lg_fraction lg_component_mean(lg_largest c, lg_uint axis)
{
    lg_fraction f = lg_integer(axis == 0u ? c.x_low : c.y_low, axis == 0u ? c.x_high : c.y_high);
    f.below_low = c.area_low;
    f.below_high = c.area_high;
    return f;
}

// The same as a fraction of a side of `size` pixels, from pixel centres: (mean + 1/2) / size.
LG_FUNCTION lg_fraction lg_component_center(lg_largest c, lg_uint axis, lg_uint size)
{
    lg_fraction f;
    f.twice = lg_figure_twice_and(axis == 0u ? c.x_low : c.y_low, axis == 0u ? c.x_high : c.y_high,
                                  c.area_low, c.area_high);
    f.below_low = c.area_low * size;
    f.below_high = lg_product_high(c.area_low, size) + c.area_high * size;
    return f;
}

LG_FUNCTION lg_fraction lg_figure_fraction(lg_largest c, lg_uint n, lg_uint kind, lg_uint i,
                                           lg_uint width, lg_uint height)
{
    lg_uint row = LG_FIRST_OF_COMPONENTS;
    LG_FIGURES_OF_COMPONENTS(LG_FIGURE_CASE)
    LG_FIGURES_OF_LARGEST(LG_FIGURE_CASE)
    return lg_integer(0u, 0u);
}

// Number i of a figure of n components, with c the largest, in an image of width x height pixels.
LG_FUNCTION float lg_figure_of_components(lg_largest c, lg_uint n, lg_uint kind, lg_uint i,
                                          lg_uint width, lg_uint height)
{
    lg_fraction f = lg_figure_fraction(c, n, kind, i, width, height);
    if ((f.below_low | f.below_high) == 0u)
        return 0.0f; // there is no component
    return lg_exact_quotient(f.twice, f.below_high, f.below_low, -1);
}

#endif

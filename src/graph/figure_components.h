// Figures of connected components: one text for C and GLSL, so that a parameter gets the same bits whoever
// measured it. Whole numbers and quotients of them, rounded once.
#ifndef LG_FIGURE_COMPONENTS_H
#define LG_FIGURE_COMPONENTS_H

#include "graph/figure_moments.h"

// lg_figure_kind of graph/nodes.h.
#define LG_RULE_COMPONENTS     10
#define LG_RULE_LARGEST_AREA   11
#define LG_RULE_LARGEST_X      12
#define LG_RULE_LARGEST_Y      13
#define LG_RULE_LARGEST_WIDTH  14
#define LG_RULE_LARGEST_HEIGHT 15
#define LG_RULE_LARGEST_CX     16
#define LG_RULE_LARGEST_CY     17
#define LG_RULE_LARGEST_CENTER 18

// A component: numbers of 64 bits as low and high words. Without one all is 0.
LG_STRUCT(lg_largest)
{
    lg_uint area_low, area_high;
    lg_uint x_low, x_high, y_low, y_high; // sums of the columns and rows of its pixels
    lg_uint left, top, width, height;
};

// Twice a number and another one, all of 64 bits, as limbs.
LG_FUNCTION lg_limbs lg_figure_twice_and(lg_uint low, lg_uint high, lg_uint and_low,
                                         lg_uint and_high)
{
    lg_limbs r;
    for (lg_int i = 0; i < LG_LIMBS; i++)
        r.at[i] = 0u;
    lg_uint twice_high = (high << 1) | (low >> 31), sum_low = (low << 1) + and_low;
    lg_uint carry = sum_low < and_low ? 1u : 0u, part = twice_high + carry,
            sum_high = part + and_high;
    r.at[0] = sum_low;
    r.at[1] = sum_high;
    r.at[2] = (high >> 31) + (part < carry ? 1u : 0u) + (sum_high < and_high ? 1u : 0u);
    return r;
}

// A whole number.
LG_FUNCTION float lg_figure_whole(lg_uint low, lg_uint high)
{
    lg_limbs twice = lg_figure_twice_and(low, high, 0u, 0u);
    return lg_figure_quotient(twice, 0u, 1u, -1);
}

// The mean column, or row, of its pixels.
LG_FUNCTION float lg_figure_centroid(lg_largest c, lg_uint sum_low, lg_uint sum_high)
{
    lg_limbs twice = lg_figure_twice_and(sum_low, sum_high, 0u, 0u);
    return lg_figure_quotient(twice, c.area_high, c.area_low, -1);
}

// The same as a part of a side of `size` pixels, from the middles of pixels: (mean + 1/2) / size.
LG_FUNCTION float lg_figure_part(lg_largest c, lg_uint sum_low, lg_uint sum_high, lg_uint size)
{
    lg_limbs twice = lg_figure_twice_and(sum_low, sum_high, c.area_low, c.area_high);
    lg_uint high = lg_product_high(c.area_low, size) + c.area_high * size;
    return lg_figure_quotient(twice, high, c.area_low * size, -1);
}

// Number `which` (0 or 1) of a figure of the largest component in an image of these sides.
LG_FUNCTION float lg_figure_of_largest(lg_largest c, lg_uint kind, lg_uint which, lg_uint width,
                                       lg_uint height)
{
    if ((c.area_low | c.area_high) == 0u)
        return 0.0f;
    bool second = kind == lg_to_uint(LG_RULE_LARGEST_CY) || which == 1u;
    lg_uint low = second ? c.y_low : c.x_low, high = second ? c.y_high : c.x_high;
    if (kind == lg_to_uint(LG_RULE_LARGEST_AREA))
        return lg_figure_whole(c.area_low, c.area_high);
    if (kind == lg_to_uint(LG_RULE_LARGEST_CX) || kind == lg_to_uint(LG_RULE_LARGEST_CY))
        return lg_figure_centroid(c, low, high);
    if (kind == lg_to_uint(LG_RULE_LARGEST_CENTER))
        return lg_figure_part(c, low, high, second ? height : width);
    lg_uint side = kind == lg_to_uint(LG_RULE_LARGEST_X)       ? c.left
                   : kind == lg_to_uint(LG_RULE_LARGEST_Y)     ? c.top
                   : kind == lg_to_uint(LG_RULE_LARGEST_WIDTH) ? c.width
                                                               : c.height;
    return lg_figure_whole(side, 0u);
}

#endif

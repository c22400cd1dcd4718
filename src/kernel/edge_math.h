// Derivatives of 3 x 3 windows, in the common subset.
#ifndef LG_EDGE_MATH_H
#define LG_EDGE_MATH_H

#include "kernel/color_math.h"

// The derivative across: right column less left column. The middle of a side counts `middle`, its corners
// 1: 2 makes it Sobel's, 1 Prewitt's.
LG_FUNCTION float lg_across(neighborhood n, float middle)
{
    LG_FLOAT across = ((n.tr + n.br) - (n.tl + n.bl)) + middle * (n.r - n.l);
    return across;
}

// The derivative down: bottom row less top row.
LG_FUNCTION float lg_down(neighborhood n, float middle)
{
    LG_FLOAT down = ((n.bl + n.br) - (n.tl + n.tr)) + middle * (n.b - n.t);
    return down;
}

// Length of the gradient.
LG_FUNCTION float lg_gradient(neighborhood n, float middle)
{
    LG_FLOAT down = lg_down(n, middle);
    LG_FLOAT across = lg_across(n, middle);
    LG_FLOAT square = down * down + across * across;
    return lg_sqrt(square);
}

// 1 where the centre is above the four neighbours that come before it, row by row, the bottom left one
// among them, and not below the four others: one of two equal neighbours wins.
LG_FUNCTION float lg_is_peak(neighborhood n)
{
    LG_FLOAT before = fmaxf(fmaxf(n.tl, n.t), fmaxf(n.l, n.bl));
    LG_FLOAT behind = fmaxf(fmaxf(n.tr, n.r), fmaxf(n.b, n.br));
    LG_FLOAT above = n.c > before ? 1.0f : 0.0f;
    return n.c >= behind ? above : 0.0f;
}

#endif

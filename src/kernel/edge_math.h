// Derivatives of 3 x 3 windows, in the common subset.
#ifndef LG_EDGE_MATH_H
#define LG_EDGE_MATH_H

#include "kernel/color_math.h"

// Length of the gradient of eight neighbours: the middle of a side counts `middle`, its corners 1.
// 2 makes it Sobel's, 1 Prewitt's.
LG_FUNCTION float lg_gradient(neighborhood n, float middle)
{
    LG_FLOAT down = ((n.bl + n.br) - (n.tl + n.tr)) + middle * (n.b - n.t);
    LG_FLOAT across = ((n.tr + n.br) - (n.tl + n.bl)) + middle * (n.r - n.l);
    LG_FLOAT square = down * down + across * across;
    return lg_sqrt(square);
}

#endif

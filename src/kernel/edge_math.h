// Derivatives of 3 x 3 windows, in the common subset.
#ifndef LG_EDGE_MATH_H
#define LG_EDGE_MATH_H

#include "kernel/color_math.h"

// Length of the gradient of eight neighbours: the middle of a side counts `middle`, its corners 1.
// 2 makes it Sobel's, 1 Prewitt's.
LG_FUNCTION float lg_gradient(float tl, float t, float tr, float l, float r, float bl, float b,
                              float br, float middle)
{
    LG_FLOAT down = ((bl + br) - (tl + tr)) + middle * (b - t);
    LG_FLOAT across = ((tr + br) - (tl + bl)) + middle * (r - l);
    LG_FLOAT square = down * down + across * across;
    return lg_sqrt(square);
}

// The same of the window's luminance.
LG_FUNCTION float lg_luminance_gradient(window w, float middle)
{
    return lg_gradient(lg_luminance(w.tl), lg_luminance(w.t), lg_luminance(w.tr), lg_luminance(w.l),
                       lg_luminance(w.r), lg_luminance(w.bl), lg_luminance(w.b), lg_luminance(w.br),
                       middle);
}

#endif

// The weights of a pass, one text for C and GLSL.
#ifndef LG_BILATERAL_PASS_MATH_H
#define LG_BILATERAL_PASS_MATH_H

#include "kernel/color_math.h"

// Of tap k, 0 the middle.
LG_FUNCTION float bilateral_pass_tap(lg_int k)
{
    lg_int away = k < 0 ? -k : k;
    return away == 0 ? 0.18f : away == 1 ? 0.15f : away == 2 ? 0.12f : away == 3 ? 0.09f : 0.05f;
}

// Less where colours differ: none from a distance of 1 / factor on.
LG_FUNCTION float bilateral_pass_weight(color c, color o, float tap, float factor)
{
    LG_FLOAT r = o.r - c.r;
    LG_FLOAT g = o.g - c.g;
    LG_FLOAT b = o.b - c.b;
    LG_FLOAT a = o.a - c.a;
    LG_FLOAT square = ((r * r + g * g) + b * b) + a * a;
    LG_FLOAT distance = lg_sqrt(square) * factor;
    LG_FLOAT weight = tap * (1.0f - fminf(distance, 1.0f));
    return weight;
}

// The mean of summed colours.
LG_FUNCTION color bilateral_pass_mean(color sum, float weights)
{
    LG_FLOAT inverse = lg_div(1.0f, weights);
    return rgba(sum.r * inverse, sum.g * inverse, sum.b * inverse, sum.a * inverse);
}

#endif

// Arithmetic of a Poisson blend, one text for C and GLSL. A value is a float in C, where a colour's
// numbers lie in planes, and four of them in GLSL.
#ifndef LG_POISSON_RULE_H
#define LG_POISSON_RULE_H

#include "kernel/color_math.h"
#include "kernel/prelude.h"

#ifdef VULKAN
#define POISSON_VALUE vec4
#define POISSON_LOCAL precise vec4
#else
#define POISSON_VALUE float
#define POISSON_LOCAL float
#endif

// Whether the equation holds at a pixel of the other image with this alpha.
LG_FUNCTION float poisson_inside(float alpha)
{
    return alpha >= 0.5f ? 1.0f : 0.0f;
}

// The mean of four neighbours, less the pixel. Values are smooth, so that differences lose no bits.
LG_FUNCTION POISSON_VALUE poisson_flux(POISSON_VALUE c, POISSON_VALUE l, POISSON_VALUE r,
                                       POISSON_VALUE t, POISSON_VALUE b)
{
    POISSON_LOCAL sides = (l - c) + (r - c);
    POISSON_LOCAL ends = (t - c) + (b - c);
    POISSON_LOCAL flux = (sides + ends) * 0.25f;
    return flux;
}

// A part of the way from a to a + way.
LG_FUNCTION POISSON_VALUE poisson_step(POISSON_VALUE a, POISSON_VALUE way, float part)
{
    POISSON_LOCAL y = a + way * part;
    return y;
}

// ---- coarse grids -------------------------------------------------------------------------------
// Eight neighbours are numbered right, below, left, above, then right below, left below, left above,
// right above. The equation of a point is diagonal * value - (sum of links * neighbours) = right side.

// The weight of a coarse point in a fine one: n is what the fine one's equation has towards it, d what
// the value itself counts there, and `diagonal` what it counts at most.
LG_FUNCTION float poisson_weight(float n, float d, float diagonal)
{
    LG_FLOAT least = diagonal * 1e-4f;
    bool known = d > least;
    LG_FLOAT quotient = lg_div(n, known ? d : 1.0f);
    LG_FLOAT weight = known ? lg_clamp01(quotient) : 0.0f;
    return weight;
}

// On a line through a coarse point: the two links beside that line count as links to the point itself.
LG_FUNCTION float poisson_weight_along(float towards, float beside, float other_side,
                                       float diagonal, float across, float other_across)
{
    LG_FLOAT n = towards + (beside + other_side);
    LG_FLOAT d = diagonal - (across + other_across);
    return poisson_weight(n, d, diagonal);
}

// Diagonally: over two points whose weights are known.
LG_FUNCTION float poisson_weight_across(float link, float first, float first_weight, float second,
                                        float second_weight, float diagonal)
{
    LG_FLOAT n = link + (first * first_weight + second * second_weight);
    return poisson_weight(n, diagonal, diagonal);
}

LG_FUNCTION float poisson_inverse(float diagonal)
{
    bool known = diagonal > 1e-12f;
    LG_FLOAT inverse = lg_div(1.0f, known ? diagonal : 1.0f);
    return known ? inverse : 0.0f;
}

// Values of eight neighbours in their order, weighted.
LG_FUNCTION POISSON_VALUE poisson_four(POISSON_VALUE a, float wa, POISSON_VALUE b, float wb,
                                       POISSON_VALUE c, float wc, POISSON_VALUE d, float wd)
{
    POISSON_LOCAL y = (a * wa + c * wc) + (b * wb + d * wd);
    return y;
}

LG_FUNCTION POISSON_VALUE poisson_two(POISSON_VALUE a, float wa, POISSON_VALUE b, float wb)
{
    POISSON_LOCAL y = a * wa + b * wb;
    return y;
}

// A part of the way to the value that the equation has: ring is the sum of links * neighbours.
LG_FUNCTION POISSON_VALUE poisson_relaxed(POISSON_VALUE value, POISSON_VALUE ring,
                                          POISSON_VALUE right_side, float inverse, float part)
{
    POISSON_LOCAL wanted = (right_side + ring) * inverse;
    POISSON_LOCAL y = value + (wanted - value) * part;
    return y;
}

#endif

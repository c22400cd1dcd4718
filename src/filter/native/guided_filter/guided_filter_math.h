// Arithmetic of the guided filter, one text for C and GLSL. Colours and alpha are less 1/2, so that
// variances lose fewer bits.
#ifndef LG_GUIDED_FILTER_MATH_H
#define LG_GUIDED_FILTER_MATH_H

#include "kernel/color_math.h"
#include "kernel/prelude.h"

#define LG_GUIDED_NUMBERS 13 // of a cell: the colour, alpha, and their products
#define LG_GUIDED_LINE    4  // a, b of alpha = a . colour + b

// The numbers of a cell in the order in which they are stored.
LG_STRUCT(guided_cell)
{
    float r, g, b, a;
    float ra, ga, ba;
    float rr, rg, rb, gg, gb, bb;
};

LG_FUNCTION guided_cell guided_products(color pixel)
{
    guided_cell c;
    LG_FLOAT r = pixel.r - 0.5f;
    LG_FLOAT g = pixel.g - 0.5f;
    LG_FLOAT b = pixel.b - 0.5f;
    LG_FLOAT a = pixel.a - 0.5f;
    c.r = r;
    c.g = g;
    c.b = b;
    c.a = a;
    c.ra = r * a;
    c.ga = g * a;
    c.ba = b * a;
    c.rr = r * r;
    c.rg = r * g;
    c.rb = r * b;
    c.gg = g * g;
    c.gb = g * b;
    c.bb = b * b;
    return c;
}

// a of `alpha = a . colour + b` in r, g, b, and b in a, from sums of cells; `inverse` is 1 / how many.
// The matrix of covariances is decomposed into L D L'.
LG_FUNCTION color guided_solve(guided_cell sum, float inverse, float eps)
{
    LG_FLOAT r = sum.r * inverse;
    LG_FLOAT g = sum.g * inverse;
    LG_FLOAT b = sum.b * inverse;
    LG_FLOAT a = sum.a * inverse;
    LG_FLOAT ra = sum.ra * inverse - r * a;
    LG_FLOAT ga = sum.ga * inverse - g * a;
    LG_FLOAT ba = sum.ba * inverse - b * a;
    LG_FLOAT rr = (sum.rr * inverse - r * r) + eps;
    LG_FLOAT rg = sum.rg * inverse - r * g;
    LG_FLOAT rb = sum.rb * inverse - r * b;
    LG_FLOAT gg = (sum.gg * inverse - g * g) + eps;
    LG_FLOAT gb = sum.gb * inverse - g * b;
    LG_FLOAT bb = (sum.bb * inverse - b * b) + eps;
    // Variances are not below 0, but for rounding.
    LG_FLOAT least = eps * 0.5f;
    LG_FLOAT first = lg_div(1.0f, fmaxf(rr, least));
    LG_FLOAT l_rg = rg * first;
    LG_FLOAT l_rb = rb * first;
    LG_FLOAT second = lg_div(1.0f, fmaxf(gg - l_rg * rg, least));
    LG_FLOAT rest = gb - l_rg * rb;
    LG_FLOAT l_gb = rest * second;
    LG_FLOAT third = lg_div(1.0f, fmaxf((bb - l_rb * rb) - l_gb * rest, least));
    LG_FLOAT y_g = ga - l_rg * ra;
    LG_FLOAT y_b = (ba - l_rb * ra) - l_gb * y_g;
    LG_FLOAT a_b = y_b * third;
    LG_FLOAT a_g = y_g * second - l_gb * a_b;
    LG_FLOAT a_r = (ra * first - l_rg * a_g) - l_rb * a_b;
    LG_FLOAT constant = a - ((a_r * r + a_g * g) + a_b * b);
    return rgba(a_r, a_g, a_b, constant);
}

// The alpha of a pixel from sums of a, b.
LG_FUNCTION float guided_alpha(color pixel, color line, float inverse)
{
    LG_FLOAT colors =
        (line.r * (pixel.r - 0.5f) + line.g * (pixel.g - 0.5f)) + line.b * (pixel.b - 0.5f);
    LG_FLOAT a = (colors + line.a) * inverse + 0.5f;
    return lg_clamp01(a);
}

// The cell at or before a pixel, and how far the pixel lies towards the next one. Cell i is the pixel
// half + i side.
LG_FUNCTION lg_int guided_cell_before(lg_int at, lg_int side, lg_int cells)
{
    lg_int from = at - side / 2;
    lg_int i = from < 0 ? 0 : from / side;
    return i > cells - 1 ? cells - 1 : i;
}

LG_FUNCTION float guided_fraction(lg_int at, lg_int cell, lg_int side, float inverse)
{
    lg_int rest = at - side / 2 - cell * side;
    rest = rest < 0 ? 0 : rest;
    LG_FLOAT part = lg_to_float(rest) * inverse;
    return fminf(part, 1.0f);
}

#endif

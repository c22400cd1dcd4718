// Corners by products of derivatives, in the common subset.
#ifndef LG_CORNER_MATH_H
#define LG_CORNER_MATH_H

#include "kernel/edge_math.h"

// The squares of two derivatives, and their product.
LG_FUNCTION color lg_corner_products(float across, float down, float alpha)
{
    LG_FLOAT product = across * down;
    return rgba(across * across, down * down, product, alpha);
}

// How much of a corner it is where these are means; method 0: Harris, 1: Noble, 2: Shi and Tomasi.
LG_FUNCTION float lg_corner_measure(color c, float method, float k, float sensitivity)
{
    LG_FLOAT trace = c.r + c.g;
    LG_FLOAT determinant = c.r * c.g - c.b * c.b;
    LG_FLOAT y = determinant - (k * trace) * trace;
    if (method == 1.0f) {
        LG_FLOAT quotient = lg_div(determinant, trace > 1e-12f ? trace : 1.0f);
        y = trace > 1e-12f ? quotient : 0.0f;
    }
    if (method == 2.0f) {
        LG_FLOAT difference = c.r - c.g;
        LG_FLOAT twice = 2.0f * c.b;
        y = trace - lg_sqrt(difference * difference + twice * twice);
    }
    LG_FLOAT v = y * sensitivity;
    return v;
}

#endif

// What the CPU and devices do with the sums of a window.
#ifndef LG_KUWAHARA_RULE_H
#define LG_KUWAHARA_RULE_H

#include "kernel/pixel_rule.h"

// A window of n pixels has a sum for each plane (colour times alpha, and alpha), and one of the squares of
// all planes. Sums are made in this order: rows are cut into blocks of radius + 1 pixels, the first of which
// begins `radius` pixels before the image. A window that begins at pixel j of a block is the sum of that
// block from its end back to j, plus the sum of the next block from its beginning up to pixel j - 1. Columns
// of these sums are then cut and added in the same way. So the work does not depend on the radius.

// Bytes without alpha are integers less 128: then all sums are exact for up to 341 pixels, and those of
// planes for any radius.
LG_FUNCTION float kuwahara_whole(float v)
{
    LG_FLOAT whole = v * 255.0f + LG_WHOLE;
    LG_FLOAT y = (whole - LG_WHOLE) - 128.0f;
    return y;
}

LG_FUNCTION float kuwahara_unit(float mean)
{
    LG_FLOAT y = (mean + 128.0f) * LG_UNIT_U8;
    return y;
}

// The square of a pixel's or a mean's planes; those that it does not have are 0. Grey beside alpha counts
// as the three colours that it is.
LG_FUNCTION float kuwahara_square(float a, float b, float c, float d)
{
    LG_FLOAT y = ((a * a + b * b) + c * c) + d * d;
    return y;
}

// The variances of all planes together.
LG_FUNCTION float kuwahara_variance(float squares, float inverse, float square_of_mean)
{
    LG_FLOAT y = squares * inverse - square_of_mean;
    return y;
}

LG_FUNCTION float kuwahara_inverse(lg_int radius)
{
    LG_FLOAT side = lg_to_float(radius + 1);
    return lg_div(1.0f, side * side);
}

#endif

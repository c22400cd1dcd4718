// Arithmetic of the bilateral grid, one text for C and GLSL.
#ifndef LG_BILATERAL_GRID_MATH_H
#define LG_BILATERAL_GRID_MATH_H

#include "kernel/color_math.h"
#include "kernel/prelude.h"

#define LG_BILATERAL_GRID_BEYOND 3 // cells beyond each edge: two for blurring, one for looking up
#define LG_BILATERAL_GRID_RANGE  0.375f, 0.25f, 0.0625f // weights of blurring along luma
#define LG_BILATERAL_GRID_TILE   16                     // side of a tile, which is summed alone

// The position of a pixel among the levels, for floats: the integer part is the level below.
LG_FUNCTION float bilateral_grid_place(color c, bool grey, float per_level)
{
    LG_FLOAT luma = grey ? c.r : lg_luminance(c);
    LG_FLOAT x = fminf(fmaxf(luma, 0.0f), 1.0f) * per_level;
    return x;
}

// The same for bytes, in fractions of a level: the nearest integer.
LG_FUNCTION lg_int bilateral_grid_place_of_bytes(lg_uint r, lg_uint g, lg_uint b, bool grey,
                                                 float per_level)
{
    lg_uint luma = grey ? r << 16 : 13926u * r + 46885u * g + 4725u * b;
    LG_FLOAT x = lg_to_float(lg_to_int(luma)) * per_level + 0.5f;
    return lg_to_int(x);
}

// A sum of integers as a float: both halves are exact.
LG_FUNCTION float bilateral_grid_from_sum(lg_uint sum)
{
    LG_FLOAT x =
        lg_to_float(lg_to_int(sum >> 16)) * 65536.0f + lg_to_float(lg_to_int(sum & 65535u));
    return x;
}

// The middle of five neighbours after blurring along an axis.
LG_FUNCTION float bilateral_grid_blur(float a, float b, float c, float d, float e, float middle,
                                      float near, float far)
{
    LG_FLOAT x = (c * middle + (b + d) * near) + (a + e) * far;
    return x;
}

LG_FUNCTION float bilateral_grid_mix(float a, float b, float part)
{
    LG_FLOAT x = a * (1.0f - part) + b * part;
    return x;
}

#endif

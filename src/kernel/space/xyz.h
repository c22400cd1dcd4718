// CIE 1931 XYZ of sRGB: linear light times the matrix of IEC 61966-2-1. lg_point_relative is XYZ divided
// by the white D65, (0.95047, 1, 1.08883): the rows are divided by their sums and rounded so that they
// sum to 1, and a grey has three equal components exactly, though the three sums may round apart.
#ifndef LG_XYZ_H
#define LG_XYZ_H

#include "kernel/space/linear.h"

LG_FUNCTION color lg_point_relative(color c)
{
    LG_COLOR v = lg_point_linear(c);
    LG_FLOAT x = (v.r * 0.43394995f + v.g * 0.37620977f) + v.b * 0.18984032f;
    LG_FLOAT y = (v.r * 0.21267287f + v.g * 0.71515214f) + v.b * 0.07217497f;
    LG_FLOAT z = (v.r * 0.017756583f + v.g * 0.10946796f) + v.b * 0.87277544f;
    float grey = (v.r == v.g && v.g == v.b) ? 1.0f : 0.0f;
    LG_COLOR w = c;
    w.r = grey > 0.0f ? v.r : x;
    w.g = grey > 0.0f ? v.r : y;
    w.b = grey > 0.0f ? v.r : z;
    return w;
}

// The way back, by the inverse of that matrix.
LG_FUNCTION color lg_relative_rgb(color c)
{
    LG_COLOR y = c;
    y.r = lg_encoded((c.r * 3.07995495f - c.g * 1.53713888f) - c.b * 0.542816239f);
    y.g = lg_encoded((c.g * 1.87601102f - c.r * 0.921258525f) + c.b * 0.0452475769f);
    y.b = lg_encoded((c.b * 1.15113849f - c.g * 0.204025867f) + c.r * 0.0528873905f);
    return y;
}

LG_FUNCTION color lg_point_xyz(color c)
{
    LG_COLOR y = lg_point_relative(c);
    y.r = y.r * 0.95047f;
    y.b = y.b * 1.08883f;
    return y;
}

LG_FUNCTION color lg_xyz_rgb(color c)
{
    LG_COLOR y = c;
    y.r = c.r * 1.05211106f;
    y.b = c.b * 0.918417016f;
    return lg_relative_rgb(y);
}

#endif

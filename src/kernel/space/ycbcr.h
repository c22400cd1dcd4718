// Y'CbCr of r, g, b as stored, full range, chroma around 0 (ITU-R BT.601 and BT.709): Y = Kr r + Kg g
// + Kb b, Cb = (b - Y) / (2 - 2 Kb), Cr = (r - Y) / (2 - 2 Kr). Greys have Cb = Cr = 0 exactly. For
// 0..1 chroma is within -1/2..1/2: the factor of Cr is rounded down for that.
#ifndef LG_YCBCR_H
#define LG_YCBCR_H

#include "kernel/space/luma.h"

LG_FUNCTION color lg_point_ycbcr601(color c)
{
    LG_FLOAT luma = lg_luma_float(c.r, c.g, c.b, 0.299f, 0.587f, 0.114f);
    LG_COLOR y = c;
    y.r = luma;
    y.g = (c.b - luma) * 0.564334086f;
    y.b = (c.r - luma) * 0.713266700f;
    return y;
}

LG_FUNCTION color lg_point_ycbcr709(color c)
{
    LG_FLOAT luma = lg_luma_float(c.r, c.g, c.b, 0.2126f, 0.7152f, 0.0722f);
    LG_COLOR y = c;
    y.r = luma;
    y.g = (c.b - luma) * 0.538909248f;
    y.b = (c.r - luma) * 0.635001270f;
    return y;
}

// The ways back, r = Y, g = Cb, b = Cr: 2 - 2 Kr, 2 - 2 Kb, and both times Kr / Kg and Kb / Kg.
LG_FUNCTION color lg_ycbcr601_rgb(color c)
{
    LG_COLOR y = c;
    y.r = c.r + c.b * 1.402f;
    y.g = (c.r - c.g * 0.344136286f) - c.b * 0.714136286f;
    y.b = c.r + c.g * 1.772f;
    return y;
}

LG_FUNCTION color lg_ycbcr709_rgb(color c)
{
    LG_COLOR y = c;
    y.r = c.r + c.b * 1.5748f;
    y.g = (c.r - c.g * 0.187324273f) - c.b * 0.468124273f;
    y.b = c.r + c.g * 1.8556f;
    return y;
}

#endif

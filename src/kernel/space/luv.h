// CIE 1976 L*u*v* of sRGB, white D65: u' = 4 X / d and v' = 9 Y / d with d = X + 15 Y + 3 Z; L as of L*a*b*,
// u = 13 L (u' - u'n), v = 13 L (v' - v'n), where u'n = 0.19783982 and v'n = 0.46833631 are those of the
// white. Greys and what has no light (d not above 0) have u = v = 0 exactly.
#ifndef LG_LUV_H
#define LG_LUV_H

#include "kernel/space/lab.h"

LG_FUNCTION color lg_point_luv(color c)
{
    LG_COLOR v = lg_point_relative(c);
    LG_FLOAT d = (v.r * 0.95047f + v.g * 15.0f) + v.b * 3.26649f;
    LG_FLOAT lightness = 116.0f * lg_lab_f(v.g) - 16.0f;
    LG_FLOAT reciprocal = lg_div(1.0f, fmaxf(d, 1e-30f));
    LG_FLOAT u = (v.r * 3.80188f) * reciprocal - 0.197839825f;
    LG_FLOAT w = (v.g * 9.0f) * reciprocal - 0.468336303f;
    float none = d > 1e-30f ? ((v.r == v.g && v.g == v.b) ? 1.0f : 0.0f) : 1.0f;
    LG_FLOAT scale = 13.0f * lightness;
    LG_COLOR y = c;
    y.r = lightness;
    y.g = none > 0.0f ? 0.0f : scale * u;
    y.b = none > 0.0f ? 0.0f : scale * w;
    return y;
}

// The way back, r = L, g = u, b = v; black where L is not above 0 or v' not.
LG_FUNCTION color lg_luv_rgb(color c)
{
    LG_FLOAT reciprocal = lg_div(1.0f, fmaxf(13.0f * c.r, 1e-12f));
    LG_FLOAT u = c.g * reciprocal + 0.197839825f;
    LG_FLOAT v = c.b * reciprocal + 0.468336303f;
    LG_FLOAT light = lg_lab_t(c.r * 0.00862068966f + 0.137931034f);
    LG_FLOAT part = lg_div(light, fmaxf(v, 1e-6f));
    float lit = c.r > 0.0f ? (v > 0.0f ? 1.0f : 0.0f) : 0.0f;
    // X = 9 u' Y / (4 v'), Z = (12 - 3 u' - 20 v') Y / (4 v'), each divided by the white's.
    LG_FLOAT x = (u * part) * 2.36724989f;
    LG_FLOAT z = (((3.0f - u * 0.75f) - v * 5.0f) * part) * 0.918417016f;
    LG_COLOR y = c;
    y.r = lit > 0.0f ? x : 0.0f;
    y.g = lit > 0.0f ? light : 0.0f;
    y.b = lit > 0.0f ? z : 0.0f;
    return lg_relative_rgb(y);
}

#endif

// Oklab (B. Ottosson, 2020) of sRGB: linear light to three cone responses, whose rows sum to 1, their
// cube roots, and a matrix that is written with differences of roots. White is L = 1, and greys have
// a = b = 0 exactly.
#ifndef LG_OKLAB_H
#define LG_OKLAB_H

#include "kernel/space/linear.h"

// The cube root of t of any sign; 0 below 10^-30.
LG_FUNCTION float lg_oklab_root(float t)
{
    LG_FLOAT size = fabsf(t);
    LG_FLOAT root = lg_cbrt(fmaxf(size, 1e-30f));
    root = size > 1e-30f ? root : 0.0f;
    return t < 0.0f ? -root : root;
}

LG_FUNCTION color lg_point_oklab(color c)
{
    LG_COLOR v = lg_point_linear(c);
    LG_FLOAT long_cone = (v.r * 0.412221471f + v.g * 0.536332536f) + v.b * 0.0514459929f;
    LG_FLOAT medium_cone = (v.r * 0.211903498f + v.g * 0.680699545f) + v.b * 0.107396957f;
    LG_FLOAT short_cone = (v.r * 0.0883024619f + v.g * 0.281718838f) + v.b * 0.629978700f;
    float grey = (v.r == v.g && v.g == v.b) ? 1.0f : 0.0f;
    LG_FLOAT l = lg_oklab_root(grey > 0.0f ? v.r : long_cone);
    LG_FLOAT m = lg_oklab_root(grey > 0.0f ? v.r : medium_cone);
    LG_FLOAT s = lg_oklab_root(grey > 0.0f ? v.r : short_cone);
    LG_FLOAT first = l - m;
    LG_FLOAT second = s - m;
    LG_COLOR y = c;
    y.r = (m + first * 0.210454255f) - second * 0.00407204680f;
    y.g = first * 1.97799850f + second * 0.450593710f;
    y.b = first * 0.0259040371f - second * 0.808675766f;
    return y;
}

// The way back, r = L, g = a, b = b.
LG_FUNCTION color lg_oklab_rgb(color c)
{
    LG_FLOAT l = (c.r + c.g * 0.396337778f) + c.b * 0.215803757f;
    LG_FLOAT m = (c.r - c.g * 0.105561346f) - c.b * 0.0638541728f;
    LG_FLOAT s = (c.r - c.g * 0.0894841775f) - c.b * 1.29148555f;
    LG_FLOAT long_cone = (l * l) * l;
    LG_FLOAT medium_cone = (m * m) * m;
    LG_FLOAT short_cone = (s * s) * s;
    LG_COLOR y = c;
    y.r = lg_encoded((long_cone * 4.07674166f - medium_cone * 3.30771159f) +
                     short_cone * 0.230969929f);
    y.g = lg_encoded((medium_cone * 2.60975740f - long_cone * 1.26843800f) -
                     short_cone * 0.341319396f);
    y.b = lg_encoded((short_cone * 1.70761470f - medium_cone * 0.703418614f) -
                     long_cone * 0.00419608654f);
    return y;
}

#endif

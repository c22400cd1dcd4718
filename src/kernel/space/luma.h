// Luma: a weighted sum of r, g, b as stored. Grey pixels keep their value exactly, and luma never
// leaves the range spanned by the three components, however the sum rounds.
#ifndef LG_LUMA_H
#define LG_LUMA_H

#include "kernel/prelude.h"

LG_FUNCTION float lg_luma_float(float r, float g, float b, float wr, float wg, float wb)
{
    LG_FLOAT high = fmaxf(fmaxf(r, g), b);
    LG_FLOAT low = fminf(fminf(r, g), b);
    LG_FLOAT y = (wr * r + wg * g) + wb * b;
    y = fminf(fmaxf(y, low), high);
    return y;
}

// The largest component, LG_LUMA_MAX.
LG_FUNCTION float lg_luma_float_max(float r, float g, float b)
{
    LG_FLOAT high = fmaxf(fmaxf(r, g), b);
    return high;
}

// Integer samples up to 16 bits: weights are 1/65536 and sum to 65536.
LG_FUNCTION lg_uint lg_luma_integer(lg_uint r, lg_uint g, lg_uint b, lg_uint wr, lg_uint wg,
                                    lg_uint wb)
{
    return (wr * r + wg * g + wb * b + 32768u) >> 16;
}

LG_FUNCTION lg_uint lg_luma_integer_max(lg_uint r, lg_uint g, lg_uint b)
{
    lg_uint high = r > g ? r : g;
    return high > b ? high : b;
}

#endif

// The order of samples for a median of boxes. The value with a given rank is found bit by bit from above: of
// the keys that agree with what is known, those with a 0 come first.
#ifndef LG_MEDIAN_3D_RULE_H
#define LG_MEDIAN_3D_RULE_H

#include "kernel/float_bits.h"

// NaN is above everything.
LG_FUNCTION lg_uint median_3d_key(float v)
{
    return (lg_bits(v) & LG_BITS_ABS) > LG_BITS_INF ? 0xffffffffu : lg_float_key(v);
}

// 1 for a key that agrees with `known` above a bit and has a 0 there.
LG_FUNCTION lg_uint median_3d_counts(lg_uint key, lg_uint known, lg_uint bit)
{
    return key - known < bit ? 1u : 0u;
}

#endif

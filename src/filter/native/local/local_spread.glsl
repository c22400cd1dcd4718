// Mean and deviation of a window from its sums, and whether a pixel lies above a threshold made from both.
//
// Defined before: WIDE: words of 64 bits; SMALL: sums fit 24 bits; FIGURE 0 mean, 1 deviation, 2 Niblack's
// threshold, 3 Sauvola's; K, RANGE: indices of parameters.
#include "filter/native/local/local_rule.h"

// ---- words as floats ------------------------------------------------------------------------------

float real_of(uvec2 v)
{
#if WIDE
    return local_wide(v.y, v.x);
#else
    return local_low(v.x);
#endif
}

uvec2 negative(uvec2 v)
{
    uint borrow, low = usubBorrow(0u, v.x, borrow);
    return uvec2(low, 0u - v.y - borrow);
}

bool is_negative(uvec2 v)
{
    return int(WIDE != 0 ? v.y : v.x) < 0;
}

float signed_real_of(uvec2 v)
{
    float y = real_of(is_negative(v) ? negative(v) : v);
    return is_negative(v) ? -y : y;
}

// Sums of 32 bits have no sign. SMALL ones are floats.
float real_sum(uvec2 v)
{
#if WIDE
    return signed_real_of(v);
#elif SMALL
    return float(int(v.x));
#else
    return real_of(v);
#endif
}

// v - m n
uvec2 less(uvec2 v, int m, uvec2 n)
{
#if WIDE
    uvec2 product = lg_mul32(uint(abs(m)), n.x);
    product.y += uint(abs(m)) * n.y;
    return lg_add64(v, m < 0 ? product : negative(product));
#else
    return uvec2(v.x - uint(m) * n.x, 0u);
#endif
}

#if FIGURE > 0
// The integer near the mean, and the result of local_rule.h for the rest.
struct spread {
    int middle;
    float rest, deviation;
};

spread spread_of(uvec2 sum, uvec2 square, uint n, float inverse)
{
    spread s;
    s.middle = local_middle(real_sum(sum), inverse);
    uvec2 left = less(sum, s.middle, uvec2(n, 0u));
    int more = local_middle(signed_real_of(left), inverse);
    s.middle += more;
    left = less(left, more, uvec2(n, 0u));
    uvec2 moment = less(square, s.middle, lg_add64(sum, left));
    LG_FLOAT r = signed_real_of(left);
    LG_FLOAT rest = r * inverse;
    s.rest = rest;
    s.deviation = local_deviation(real_of(moment), r, inverse);
    return s;
}

#if FIGURE > 1
// 1 / the range of a deviation, where it matters.
float inverse_range()
{
#if FIGURE == 3
    return lg_div(1.0, lg_param_float(RANGE));
#else
    return 1.0;
#endif
}

// 1 where a pixel's own sample is as bright as the threshold.
float threshold_of(spread s, int own, float unit, float k, float per_range)
{
    float off = float(own - s.middle);
#if FIGURE == 2
    return local_niblack(off, s.rest, s.deviation, unit, k);
#else
    return local_sauvola(off, float(s.middle), s.rest, s.deviation, unit, k, per_range);
#endif
}
#endif
#endif

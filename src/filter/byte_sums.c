#include "filter/byte_sums.h"

#include "filter/stage.h"

#include <math.h>

static bool find(const float weights[9], int shift, lg_byte_sums *s)
{
    float all = 0;
    for (int i = 0; i < 9; i++) {
        const float w = ldexpf(weights[i], shift);
        all += fabsf(w);
        if (w != floorf(w) || !(all <= LG_BYTE_SUMS_MOST))
            return false;
        s->weight[i] = (int16_t)w;
    }
    s->shift = shift;
    return true;
}

lg_byte_sums lg_find_byte_sums(const lg_filter_loops *loops, const float *values)
{
    lg_byte_sums s = {.any = false};
    if (!loops->weight)
        return s;
    const lg_span span = {.values = values};
    float weights[9];
    for (int i = 0; i < 9; i++)
        weights[i] = loops->weight(&span, i);
    for (int shift = 0; shift <= LG_BYTE_SUMS_SHIFT && !s.any; shift++)
        s.any = find(weights, shift, &s);
    return s;
}

// Figures of 8-bit images from their counts: one text for C and GLSL, so that a parameter gets the same
// bits whoever measured it. lg_count(i) is the count of value i; they sum to less than 2^32.
#ifndef LG_FIGURE_RULE_H
#define LG_FIGURE_RULE_H

#include "filter/pixel_rule.h"

#ifdef VULKAN
#define LG_COUNTS
#define LG_COUNTS_GIVEN
#else
#define LG_COUNTS       const uint32_t *counts
#define LG_COUNTS_GIVEN counts
#define lg_count(i)     (counts[i])
#endif

// lg_figure_kind of graph/nodes.h.
#define LG_RULE_MEAN       1
#define LG_RULE_MIN        2
#define LG_RULE_MAX        3
#define LG_RULE_STDDEV     4
#define LG_RULE_VARIANCE   5
#define LG_RULE_PERCENTILE 6
#define LG_RULE_OTSU       7

// In two exact halves: how a device rounds when it converts does not matter.
LG_FUNCTION float lg_figure_float(lg_uint x)
{
    LG_FLOAT y = lg_from_whole(x >> 16) * 65536.0f + lg_from_whole(x & 0xffffu);
    return y;
}

LG_FUNCTION lg_uint lg_figure_total(LG_COUNTS)
{
    lg_uint n = 0u;
    for (lg_uint i = 0u; i < 256u; i++)
        n += lg_count(i);
    return n;
}

LG_FUNCTION float lg_figure_mean(LG_COUNTS)
{
    // The sum of value times count, exactly, in two parts: high * 2^16 + low.
    lg_uint high = 0u, low = 0u, n = 0u;
    for (lg_uint i = 0u; i < 256u; i++) {
        lg_uint c = lg_count(i);
        high += (c >> 16) * i;
        low += (c & 0xffffu) * i;
        n += c;
    }
    LG_FLOAT sum = lg_figure_float(high) * 65536.0f + lg_figure_float(low);
    LG_FLOAT all = lg_figure_float(n) * 255.0f;
    return n > 0u ? lg_div(sum, all) : 0.0f;
}

LG_FUNCTION float lg_figure_variance(float mean
#ifndef VULKAN
                                     ,
                                     LG_COUNTS
#endif
)
{
    LG_FLOAT sum = 0.0f;
    lg_uint n = 0u;
    for (lg_uint i = 0u; i < 256u; i++) {
        lg_uint c = lg_count(i);
        LG_FLOAT d = lg_from_whole(i) * LG_UNIT_U8 - mean;
        sum = sum + (d * d) * lg_figure_float(c);
        n += c;
    }
    return n > 0u ? lg_div(sum, lg_figure_float(n)) : 0.0f;
}

// The value of the sample of rank `rank`, 0 being the smallest.
LG_FUNCTION lg_uint lg_figure_ranked(lg_uint rank
#ifndef VULKAN
                                     ,
                                     LG_COUNTS
#endif
)
{
    lg_uint below = 0u, value = 255u, found = 0u;
    for (lg_uint i = 0u; i < 256u; i++) {
        lg_uint c = lg_count(i);
        value = found == 0u && rank - below < c ? i : value;
        found = found == 0u && rank - below < c ? 1u : found;
        below += found == 0u ? c : 0u;
    }
    return value;
}

LG_STRUCT(lg_figure_place)
{
    lg_uint rank;
    float rest;
};

// (n - 1) * millionths / 10^6 as a whole rank and what is left over, by long division.
LG_FUNCTION lg_figure_place lg_figure_place_of(lg_uint n, lg_uint millionths)
{
    lg_figure_place p;
    lg_uint rest = 0u, rank = 0u, a = n > 0u ? n - 1u : 0u;
    for (lg_int bit = 31; bit >= 0; bit--) {
        // rest < 10^6 and a bit adds at most 10^6: below 2^22
        rest = rest * 2u + ((a >> lg_to_uint(bit)) & 1u) * millionths;
        lg_uint times = rest >= 2000000u ? 2u : (rest >= 1000000u ? 1u : 0u);
        rank = rank * 2u + times;
        rest -= times * 1000000u;
    }
    p.rank = rank;
    p.rest = lg_from_whole(rest) * 0.000001f;
    return p;
}

// Linear between order statistics. percent in millionths of 1: 0 .. 10^6.
LG_FUNCTION float lg_figure_percentile(lg_uint millionths
#ifndef VULKAN
                                       ,
                                       LG_COUNTS
#endif
)
{
    lg_uint n = lg_figure_total(LG_COUNTS_GIVEN);
    lg_figure_place p = lg_figure_place_of(n, millionths);
#ifdef VULKAN
    lg_uint first = lg_figure_ranked(p.rank), second = lg_figure_ranked(p.rank + 1u);
#else
    lg_uint first = lg_figure_ranked(p.rank, counts),
            second = lg_figure_ranked(p.rank + 1u, counts);
#endif
    second = p.rank + 1u < n ? second : first;
    LG_FLOAT low = lg_from_whole(first) * LG_UNIT_U8;
    LG_FLOAT high = lg_from_whole(second) * LG_UNIT_U8;
    LG_FLOAT y = low + (high - low) * p.rest;
    return y;
}

// Everything but Otsu's level.
LG_FUNCTION float lg_figure_of_counts(lg_uint kind, lg_uint millionths
#ifndef VULKAN
                                      ,
                                      LG_COUNTS
#endif
)
{
#ifdef VULKAN
#define LG_FIGURE_CALL(f, x) f(x)
#else
#define LG_FIGURE_CALL(f, x) f(x, counts)
#endif
    if (kind == LG_RULE_MEAN)
        return lg_figure_mean(LG_COUNTS_GIVEN);
    if (kind == LG_RULE_STDDEV || kind == LG_RULE_VARIANCE) {
        LG_FLOAT v = LG_FIGURE_CALL(lg_figure_variance, lg_figure_mean(LG_COUNTS_GIVEN));
        return kind == LG_RULE_VARIANCE ? v : lg_sqrt(v);
    }
    if (kind == LG_RULE_MIN)
        return LG_FIGURE_CALL(lg_figure_percentile, 0u);
    if (kind == LG_RULE_MAX)
        return LG_FIGURE_CALL(lg_figure_percentile, 1000000u);
    return LG_FIGURE_CALL(lg_figure_percentile, millionths);
}

// Between Otsu's level and the next value, so that `>=` and `>` part the pixels in the same way.
LG_FUNCTION float lg_figure_level(lg_uint level)
{
    LG_FLOAT y = (lg_from_whole(level) + 0.5f) * LG_UNIT_U8;
    return y;
}

// factor * figure + offset, to a whole number when asked, inside the parameter's range.
LG_FUNCTION float lg_figure_fit(float figure, float factor, float offset, float least, float most,
                                lg_uint whole)
{
    LG_FLOAT x = figure * factor + offset;
    LG_FLOAT rounded = floorf(x + 0.5f);
    x = whole != 0u ? rounded : x;
    x = fminf(fmaxf(x, least), most);
    return x;
}

#endif

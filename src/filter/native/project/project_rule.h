// What the CPU and devices do for a projection: figures of one number over the layers, in their order.
#ifndef LG_PROJECT_RULE_H
#define LG_PROJECT_RULE_H

#include "kernel/prelude.h"

LG_NUMBER(LG_PROJECT_MAX, 0)
LG_NUMBER(LG_PROJECT_MIN, 1)
LG_NUMBER(LG_PROJECT_MEAN, 2)
LG_NUMBER(LG_PROJECT_SUM, 3)
LG_NUMBER(LG_PROJECT_STDDEV, 4)

LG_FUNCTION bool project_is_finite(float v)
{
    return (lg_bits(v) & 0x7fffffffu) < 0x7f800000u;
}

// The larger or the smaller number; one of them is NaN: the other.
LG_FUNCTION float project_outer(float a, float b, bool least)
{
    bool none = (lg_bits(a) & 0x7fffffffu) > 0x7f800000u;
    bool further = least ? b < a : b > a;
    return none || further ? b : a;
}

// What is lost when t = s + v is rounded (Knuth's TwoSum). Sums of these make up for it.
LG_FUNCTION float project_lost(float s, float v, float t)
{
    LG_FLOAT from_v = t - s;
    LG_FLOAT from_s = t - from_v;
    LG_FLOAT lost_s = s - from_s;
    LG_FLOAT lost_v = v - from_v;
    LG_FLOAT lost = lost_s + lost_v;
    return lost;
}

LG_FUNCTION float project_sum(float s, float lost)
{
    LG_FLOAT sum = s + lost;
    return project_is_finite(s) ? sum : s;
}

LG_FUNCTION float project_mean(float s, float lost, float layers)
{
    LG_FLOAT sum = project_sum(s, lost);
    LG_FLOAT mean = lg_div(sum, layers);
    return project_is_finite(sum) ? mean : sum;
}

LG_FUNCTION float project_square(float v, float mean)
{
    LG_FLOAT apart = v - mean;
    LG_FLOAT square = apart * apart;
    return square;
}

// Of the sum of squares.
LG_FUNCTION float project_stddev(float s, float lost, float layers)
{
    LG_FLOAT variance = project_mean(s, lost, layers);
    LG_FLOAT root = lg_sqrt(variance);
    return project_is_finite(variance) ? root : lg_from_bits(0x7fc00000u);
}

#endif

// What the CPU and devices add up for a Gaussian along layers: the outermost pair first.
#ifndef LG_LAYER_GAUSSIAN_RULE_H
#define LG_LAYER_GAUSSIAN_RULE_H

#include "kernel/pixel_rule.h"

LG_FUNCTION float layer_gaussian_pair(float before, float after, float weight)
{
    LG_FLOAT pair = before + after;
    pair = pair * weight;
    return pair;
}

LG_FUNCTION float layer_gaussian_centre(float sum, float centre, float weight)
{
    LG_FLOAT all = centre * weight;
    all = sum + all;
    return all;
}

LG_FUNCTION float layer_gaussian_add(float sum, float before, float after, float weight)
{
    LG_FLOAT all = sum + layer_gaussian_pair(before, after, weight);
    return all;
}

#endif

// A label as a component of a colour: one text for C and GLSL.
#ifndef LG_LABEL_RULE_H
#define LG_LABEL_RULE_H

#include "kernel/pixel_rule.h"

// Exact below 2^24 for a unit of 1; with 1/65535 what a sample of 16 bits means.
LG_FUNCTION float lg_label_component(lg_uint label, float unit)
{
    LG_FLOAT whole = lg_from_uint(label >> 16) * 65536.0f + lg_from_uint(label & 0xffffu);
    LG_FLOAT y = whole * unit;
    return y;
}

#endif

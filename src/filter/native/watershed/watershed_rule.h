// What the CPU and devices do for a watershed: the level of a pixel, its marker, its colour.
#ifndef LG_WATERSHED_RULE_H
#define LG_WATERSHED_RULE_H

#include "kernel/color_math.h"
#include "kernel/float_bits.h"

LG_NUMBER(LG_WATERSHED_DRY, 0xffffffffu) // the level of what is never flooded
LG_NUMBER(LG_WATERSHED_NONE, 0u)         // the label of what is not flooded

// A number that is not 0. Tested by bits, since devices may flush subnormal numbers to 0.
LG_FUNCTION bool watershed_there(float v)
{
    lg_uint magnitude = lg_bits(v) & LG_BITS_ABS;
    return magnitude != 0u && magnitude <= LG_BITS_INF;
}

// Integers in the order in which pixels are flooded.
LG_FUNCTION lg_uint watershed_level(color c, bool falling, bool nonzero)
{
    lg_uint key = lg_float_key(lg_plus_zero(c.r));
    bool number = (lg_bits(c.r) & LG_BITS_ABS) <= LG_BITS_INF;
    bool wet = number && watershed_there(c.a) && (!nonzero || watershed_there(c.r));
    key = falling ? ~key : key;
    return wet ? key : LG_WATERSHED_DRY;
}

// Labels are in the order of their colours.
LG_FUNCTION lg_uint watershed_marker(color over, lg_uint level)
{
    bool marks = watershed_there(over.r) && level != LG_WATERSHED_DRY;
    return marks ? lg_float_key(over.r) : LG_WATERSHED_NONE;
}

LG_FUNCTION float watershed_color(lg_uint label)
{
    return label == LG_WATERSHED_NONE ? 0.0f : lg_key_float(label);
}

// Whether a neighbour with `other` makes a pixel with `label`, which is no marker, one of a line.
LG_FUNCTION bool watershed_parts(lg_uint label, lg_uint other, bool other_marks)
{
    return other != LG_WATERSHED_NONE && other != label && (other < label || other_marks);
}

#endif

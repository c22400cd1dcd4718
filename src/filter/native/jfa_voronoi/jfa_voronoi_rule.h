// What the CPU and devices do for a Voronoi diagram by jump flooding. A site is a word, row and column.
#ifndef LG_JFA_VORONOI_RULE_H
#define LG_JFA_VORONOI_RULE_H

#include "kernel/color_math.h"

// Up to here squares of distances fit 32 bits.
LG_NUMBER(LG_VORONOI_SIDE, 46340)
LG_NUMBER(LG_VORONOI_NONE, 0xffffffffu)

// A number that is not 0. Tested by bits, since devices may flush subnormal numbers to 0.
LG_FUNCTION bool voronoi_there(float v)
{
    lg_uint magnitude = lg_bits(v) & 0x7fffffffu;
    return magnitude != 0u && magnitude <= 0x7f800000u;
}

LG_FUNCTION lg_uint voronoi_seed(color c, lg_int x, lg_int y)
{
    bool seed =
        voronoi_there(c.a) && (voronoi_there(c.r) || voronoi_there(c.g) || voronoi_there(c.b));
    return seed ? lg_to_uint(y) << 16 | lg_to_uint(x) : 0xffffffffu;
}

// The square of the distance; that of no site is the largest.
LG_FUNCTION lg_uint voronoi_square(lg_uint site, lg_int x, lg_int y)
{
    lg_uint across = lg_to_uint(x) - (site & 0xffffu);
    lg_uint down = lg_to_uint(y) - (site >> 16);
    return site == 0xffffffffu ? 0xffffffffu : across * across + down * down;
}

// Where the site of a pixel lies, as fractions, and how far away it is in widths.
LG_FUNCTION color voronoi_color(lg_uint site, lg_int x, lg_int y, lg_int width, lg_int height)
{
    LG_FLOAT column = lg_to_float(lg_to_int(site & 0xffffu));
    LG_FLOAT row = lg_to_float(lg_to_int(site >> 16));
    LG_FLOAT across = lg_to_float(x) - column;
    LG_FLOAT down = lg_to_float(y) - row;
    LG_FLOAT square = across * across + down * down;
    LG_FLOAT one = lg_div(1.0f, lg_to_float(width));
    LG_FLOAT r = (column + 0.5f) * one;
    LG_FLOAT g = (row + 0.5f) * lg_div(1.0f, lg_to_float(height));
    LG_FLOAT b = lg_sqrt(square) * one;
    bool none = site == 0xffffffffu;
    return rgba(none ? 0.0f : r, none ? 0.0f : g, none ? 0.0f : b, none ? 0.0f : 1.0f);
}

#endif

// Square cells of an image, and bilinear sampling of a table, in the common subset.
#ifndef LG_CELL_MATH_H
#define LG_CELL_MATH_H

#include "kernel/pixel_rule.h"

// The side of cells that are `width` widths of the image wide: no cell is smaller than a pixel.
LG_FUNCTION float lg_cell_side(place at, float width)
{
    return fmaxf(width, lg_div(1.0f, at.width));
}

// The middle of the cell around a pixel, as fractions of width and height. Cells begin at the top left;
// `side` is in widths, along both axes.
LG_FUNCTION point lg_cell_middle(place at, float side)
{
    LG_FLOAT column = floorf(lg_div(at.x, side)) + 0.5f;
    LG_FLOAT row = floorf(lg_div(at.y * at.aspect, side)) + 0.5f;
    LG_FLOAT x = column * side;
    LG_FLOAT y = row * lg_div(side, at.aspect);
    return xy(x, y);
}

// The square of a pixel's distance from a point, in widths.
LG_FUNCTION float lg_square_from(place at, point center)
{
    LG_FLOAT x = at.x - center.x;
    LG_FLOAT y = (at.y - center.y) * at.aspect;
    LG_FLOAT square = x * x + y * y;
    return square;
}

#ifdef VULKAN
color lg_color_at(uvec2 address, int i); // lg_at_color, behind the common texts
#endif

LG_FUNCTION color lg_table_pixel(lg_table t, float x, float y)
{
    lg_int i = lg_to_int(y) * t.row + lg_to_int(x) * 4;
    return lg_at_color(t, i);
}

// The first layer of a table at a point, given in fractions of the table. Columns and rows outside `least`
// .. `most` are those at these ends.
LG_FUNCTION color lg_table_sample(lg_table t, point from, point least, point most)
{
    lg_tap tap = lg_tap_at(from.x, from.y, lg_to_float(t.width), lg_to_float(t.height));
    LG_FLOAT left = lg_clamp(tap.x, least.x, most.x);
    LG_FLOAT right = lg_clamp(tap.x + 1.0f, least.x, most.x);
    LG_FLOAT top = lg_clamp(tap.y, least.y, most.y);
    LG_FLOAT bottom = lg_clamp(tap.y + 1.0f, least.y, most.y);
    return lg_bilinear(lg_table_pixel(t, left, top), lg_table_pixel(t, right, top),
                       lg_table_pixel(t, left, bottom), lg_table_pixel(t, right, bottom), tap);
}

#endif

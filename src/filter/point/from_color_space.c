// Colours from the components of a colour space.
#include "filter/point/color_spaces.h"

#define PARAMETERS(X) LG_SPACE_PARAMETERS(X)

LG_PARAMETERS(from_color_space)

LG_KERNEL(
    from_color_space,
    LG_FUNCTION color from_color_space_cie(color c, float space) {
        LG_COLOR y = c;
        if (space == 3.0f)
            y = lg_lab_rgb(c);
        if (space == 7.0f)
            y = lg_xyz_rgb(c);
        if (space == 8.0f)
            y = lg_luv_rgb(c);
        if (space == 9.0f)
            y = lg_lch_rgb(c);
        if (space == 10.0f)
            y = lg_oklab_rgb(c);
        return y;
    } LG_FUNCTION color from_color_space_of(color c, float space) {
        LG_COLOR y = from_color_space_cie(c, space);
        if (space == 0.0f)
            y = lg_linear_rgb(c);
        if (space == 1.0f)
            y = lg_hsv_rgb(c);
        if (space == 2.0f)
            y = lg_hsl_rgb(c);
        if (space == 4.0f)
            y = lg_ycbcr601_rgb(c);
        if (space == 5.0f)
            y = lg_ycbcr709_rgb(c);
        if (space == 6.0f)
            y = lg_yiq_rgb(c);
        return y;
    } LG_FUNCTION color from_color_space_kernel(color c, place at, from_color_space_params p) {
        bool unit = p.plain == 0.0f;
        LG_FLOAT middle = lg_choose(unit, lg_space_middle(p.space), 0.0f);
        LG_COLOR y = c;
        y.r = c.r * lg_choose(unit, lg_space_first(p.space), 1.0f);
        y.g = (c.g - middle) * lg_choose(unit, lg_space_second(p.space), 1.0f);
        y.b = (c.b - middle) * lg_choose(unit, lg_space_third(p.space), 1.0f);
        y = from_color_space_of(y, p.space);
        return rgba(y.r, y.g, y.b, c.a);
    })

LG_SPACE_LOOPS(from_color_space)

// 601: r = 0.5 + 1.402 / 4, g = 0.5 - 0.714136286 / 4. A grey of L = 53.38896777 is 1/2. hsl (1/3, 1,
// 1/4) is green of value 1/2.
LG_EXAMPLES(from_color_space,
            {"space=ycbcr601:plain=yes", .in = {0.5f, 0, 0.25f, 0.5f},
             .out = {0.8505f, 0.32146593f, 0.5f, 0.5f}},
            {"", .in = {0.53388968f, 0.50196078f, 0.50196078f, 1}, .out = {0.5f, 0.5f, 0.5f, 1}},
            {"space=hsl", .in = {0.33333333f, 1, 0.25f, 1}, .out = {0, 0.5f, 0, 1}},
            {"space=oklab:plain=yes", .in = {0.59818076f, 0, 0, 1}, .out = {0.5f, 0.5f, 0.5f, 1}})

LG_FILTER(from_color_space, POINT, 1, .flags = LG_FILTER_MAKES_COLOR,
          .summary = "colours from the components of a colour space (as r, g, b)",
          .formula = "the inverse of to_color_space: 128/255 is taken from what has a sign, each "
                     "component is multiplied by its divisor there, then the space's inverse "
                     "formulas",
          .source = "CIE 15; ITU-R BT.601, BT.709; IEC 61966-2-1; NTSC; A. R. Smith 1978; "
                    "B. Ottosson 2020",
          .notes = "components that no colour has become values outside 0..1, which integer images "
                   "clip. plain=yes: components in their own units");

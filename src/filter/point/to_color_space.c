// Components of a colour space as a picture.
#include "filter/point/color_spaces.h"

#define PARAMETERS(X) LG_SPACE_PARAMETERS(X)

LG_PARAMETERS(to_color_space)

LG_KERNEL(
    to_color_space,
    LG_FUNCTION color to_color_space_cie(color c, float space) {
        LG_COLOR y = c;
        if (space == 3.0f)
            y = lg_point_lab(c);
        if (space == 7.0f)
            y = lg_point_xyz(c);
        if (space == 8.0f)
            y = lg_point_luv(c);
        if (space == 9.0f)
            y = lg_point_lch(c);
        if (space == 10.0f)
            y = lg_point_oklab(c);
        return y;
    } LG_FUNCTION color to_color_space_of(color c, float space) {
        LG_COLOR y = to_color_space_cie(c, space);
        if (space == 0.0f)
            y = lg_point_linear(c);
        if (space == 1.0f)
            y = lg_point_hsv(c);
        if (space == 2.0f)
            y = lg_point_hsl(c);
        if (space == 4.0f)
            y = lg_point_ycbcr601(c);
        if (space == 5.0f)
            y = lg_point_ycbcr709(c);
        if (space == 6.0f)
            y = lg_point_yiq(c);
        return y;
    } LG_FUNCTION color to_color_space_kernel(color c, place at, to_color_space_params p) {
        LG_COLOR y = to_color_space_of(c, p.space);
        bool unit = p.plain == 0.0f;
        LG_FLOAT middle = lg_choose(unit, lg_space_middle(p.space), 0.0f);
        y.r = y.r * lg_choose(unit, lg_div(1.0f, lg_space_first(p.space)), 1.0f);
        y.g = y.g * lg_choose(unit, lg_div(1.0f, lg_space_second(p.space)), 1.0f) + middle;
        y.b = y.b * lg_choose(unit, lg_div(1.0f, lg_space_third(p.space)), 1.0f) + middle;
        return rgba(y.r, y.g, y.b, c.a);
    })

LG_SPACE_LOOPS(to_color_space)

// Red in 601: Y = 0.299, Cb = -0.299 / 1.772, Cr = 1/2. A grey of 1/2 in linear light is 0.214041140, and
// its cube root 0.598180757. White is XYZ / the white. Blue: hue 2/3. Red in YIQ: I = 0.595900593, Q =
// 0.211536648. L of the grey: 116 * 0.598180757 - 16 = 53.38896777.
LG_EXAMPLES(
    to_color_space,
    {"space=ycbcr601:plain=yes", .in = {1, 0, 0, 0.5f}, .out = {0.299f, -0.16873589f, 0.5f, 0.5f}},
    {"space=ycbcr601", .in = {0.5f, 0.5f, 0.5f, 1}, .out = {0.5f, 0.50196078f, 0.50196078f, 1}},
    {"space=oklab:plain=yes", .in = {0.5f, 0.5f, 0.5f, 1}, .out = {0.59818076f, 0, 0, 1}},
    {"space=xyz", .in = {1, 1, 1, 1}, .out = {1, 1, 1, 1}},
    {"space=hsv", .in = {0, 0, 1, 1}, .out = {0.66666667f, 1, 1, 1}},
    {"space=yiq:plain=yes", .in = {1, 0, 0, 1}, .out = {0.299f, 0.59590059f, 0.21153665f, 1}},
    {"", .in = {0.5f, 0.5f, 0.5f, 1}, .out = {0.53388968f, 0.50196078f, 0.50196078f, 1}})

LG_FILTER(
    to_color_space, POINT, 1, .flags = LG_FILTER_MAKES_COLOR,
    .summary = "the components of a colour space as r, g, b",
    .formula = "r, g, b become the components of the space, divided by 1, 1, 1 (linear, hsv, "
               "hsl, ycbcr601, ycbcr709), 100, 255, 255 (lab), 1, 1.25, 1.25 (yiq), 0.95047, 1, "
               "1.08883 (xyz), 100, 360, 360 (luv), 100, 135, 1 (lch) and 1, 0.8, 0.8 (oklab); "
               "128/255 is added to what has a sign. plain=yes: neither",
    .source = "CIE 15; ITU-R BT.601, BT.709; IEC 61966-2-1; NTSC; A. R. Smith 1978; "
              "B. Ottosson 2020",
    .notes = "the spaces of the command histogram. from_color_space is the inverse: greys come "
             "back as greys, also through bytes");

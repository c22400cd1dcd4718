// Components of colour spaces in the unit 0..1, so that integer images can hold them. Spaces are numbered
// as filters have them: 0 linear, 1 hsv, 2 hsl, 3 lab, 4 ycbcr601, 5 ycbcr709, 6 yiq, 7 xyz, 8 luv, 9 lch,
// 10 oklab. A component is divided by its span; one that has a sign also gets 128/255, so that no colour
// is the byte 128 and greys come back as greys.
#ifndef LG_UNITS_H
#define LG_UNITS_H

#include "kernel/prelude.h"

// The span of the first component, of the second and of the third.
LG_FUNCTION float lg_space_first(float space)
{
    bool lightness = space == 3.0f || space == 8.0f || space == 9.0f;
    return lg_choose(lightness, 100.0f, lg_choose(space == 7.0f, 0.95047f, 1.0f));
}

LG_FUNCTION float lg_space_second(float space)
{
    LG_FLOAT span = lg_choose(space == 3.0f, 255.0f, 1.0f);
    span = lg_choose(space == 6.0f, 1.25f, span);
    span = lg_choose(space == 8.0f, 360.0f, span);
    span = lg_choose(space == 9.0f, 135.0f, span);
    return lg_choose(space == 10.0f, 0.8f, span);
}

LG_FUNCTION float lg_space_third(float space)
{
    LG_FLOAT span = lg_choose(space == 7.0f, 1.08883f, lg_space_second(space));
    return lg_choose(space == 9.0f, 1.0f, span);
}

// What is added to the second and to the third.
LG_FUNCTION float lg_space_middle(float space)
{
    bool has_sign = space >= 3.0f && space != 7.0f && space != 9.0f;
    return lg_choose(has_sign, 0.501960784f, 0.0f);
}

#endif

// Samples under a rolling ball, in the common subset of C and GLSL. A bright background is that of the
// negative, so both kinds take the same two passes.
#ifndef LG_ROLLING_BALL_RULE_H
#define LG_ROLLING_BALL_RULE_H

#include "kernel/prelude.h"

#include "kernel/float_bits.h"

#define LG_BALL_CELL 4 // rows and columns whose least sample is known

// The sample that the ball rolls below.
LG_FUNCTION float rolling_ball_ground(float v, bool light)
{
    return lg_plus_zero(light ? -v : v);
}

// What is written: the background, or the sample less it. `opened` is of rolling_ball_ground; rounding may
// have lifted it above that.
LG_FUNCTION float rolling_ball_result(float v, float opened, bool light, bool background)
{
    LG_FLOAT ground = rolling_ball_ground(v, light);
    LG_FLOAT under = opened < ground ? opened : ground;
    LG_FLOAT level = lg_plus_zero(light ? -under : under);
    LG_FLOAT rest = v - level;
    LG_FLOAT white = rest + 1.0f;
    return background ? level : light ? white : rest;
}

#endif

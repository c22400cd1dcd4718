// Swirl: turned the more the nearer to the centre.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(POINT, center, 0.5f, 0.5f, "of the swirl")                                                   \
    X(NUMBER, radius, "", 0.5f, 0, 2, "of the swirl, in fractions of width and height")            \
    X(NUMBER, angle, "", 1, -2, 2, "of the centre, in units of 8 radians")                         \
    LG_BORDER_PARAMETER(X)

LG_PARAMETERS(swirl)

LG_KERNEL(
    swirl, LG_FUNCTION point swirl_kernel(place at, swirl_params p) {
        LG_FLOAT x = at.x - p.center.x;
        LG_FLOAT y = at.y - p.center.y;
        LG_FLOAT square = x * x + y * y;
        // For certain outside, whatever is rounded.
        LG_LEAVE(square > (p.radius * p.radius) * 1.0001f, xy(at.x, at.y));
        LG_FLOAT d = lg_sqrt(square);
        LG_FLOAT t = lg_div(p.radius - d, lg_choose(p.radius > 0.0f, p.radius, 1.0f));
        LG_FLOAT turn = (8.0f * p.angle) * (t * t);
        LG_FLOAT sine = lg_sin(turn);
        LG_FLOAT cosine = lg_cos(turn);
        LG_FLOAT to_x = p.center.x + (x * cosine - y * sine);
        LG_FLOAT to_y = p.center.y + (x * sine + y * cosine);
        return xy(d < p.radius ? to_x : at.x, d < p.radius ? to_y : at.y);
    })

LG_WARP(swirl)

LG_EXAMPLES(swirl, {"", .in = {0.25f, 0.5f, 0.75f, 0.5f}, .out = {0.25f, 0.5f, 0.75f, 0.5f}},
            {"border=mirror", .in = {1, 0.5f, 0, 1}, .out = {1, 0.5f, 0, 1}})

LG_FILTER(swirl, WARP, 1, .summary = "turned the more the nearer to the centre",
          .formula = "d = |p - center|; d < radius: t = (radius - d) / radius, read at p turned "
                     "around center by 8 angle t^2 radians",
          .source = "GPUImageSwirlFilter",
          .notes = "in fractions of width and of height, as in GPUImage: an ellipse where the "
                   "image is not square");

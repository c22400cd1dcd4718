// Pinch: the image drawn together.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(POINT, center, 0.5f, 0.5f, "of the circle")                                                  \
    X(NUMBER, radius, "widths", 0.5f, 0, 2, "of the circle")                                       \
    X(NUMBER, scale, "", 0.5f, -2, 2, "above 0 shrinks, below 0 magnifies")                        \
    LG_BORDER_PARAMETER(X)

LG_PARAMETERS(pinch_distortion)

LG_KERNEL(
    pinch_distortion,
    LG_FUNCTION point pinch_distortion_kernel(place at, pinch_distortion_params p) {
        LG_FLOAT x = at.x - p.center.x;
        LG_FLOAT y = at.y - p.center.y;
        LG_FLOAT down = y * at.aspect;
        LG_FLOAT square = x * x + down * down;
        // For certain outside, whatever is rounded.
        LG_LEAVE(square > (p.radius * p.radius) * 1.0001f, xy(at.x, at.y));
        LG_FLOAT d = lg_sqrt(square);
        LG_FLOAT inside = lg_div(p.radius - d, lg_choose(p.radius > 0.0f, p.radius, 1.0f));
        LG_FLOAT k = 1.0f + inside * p.scale;
        LG_FLOAT to_x = p.center.x + x * k;
        LG_FLOAT to_y = p.center.y + y * k;
        return xy(d < p.radius ? to_x : at.x, d < p.radius ? to_y : at.y);
    })

LG_WARP(pinch_distortion)

LG_EXAMPLES(pinch_distortion,
            {"", .in = {0.25f, 0.5f, 0.75f, 0.5f}, .out = {0.25f, 0.5f, 0.75f, 0.5f}},
            {"border=mirror", .in = {1, 0.5f, 0, 1}, .out = {1, 0.5f, 0, 1}})

LG_FILTER(pinch_distortion, WARP, 1, .summary = "draws the image together",
          .formula = "d = |(x - cx, (y - cy) height / width)|; d < radius: k = 1 + (radius - d) / "
                     "radius scale, read at center + (p - center) k",
          .source = "GPUImagePinchDistortionFilter",
          .notes =
              "GPUImage has 1/2 in place of the second radius, which leaves a ring at other "
              "radii than its look of 0.5, and moves the circle where the image is not square");

// As from a camera that moves along a line.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, blur_size, "px", 2.5f, 0, 1000, "a quarter of the way from the middle to an end")    \
    X(NUMBER, blur_angle, "degrees", 0, -360, 360, "of the line: 0 along rows, clockwise")         \
    X(INTEGER, samples, "", 17, 3, 257, "points on the line, an odd number")                       \
    LG_BORDER_PARAMETER(X)

LG_PARAMETERS(motion_blur)

LG_KERNEL(
    motion_blur,
    LG_FUNCTION float motion_blur_count(motion_blur_params p) {
        return floorf(p.samples * 0.5f) * 2.0f + 1.0f;
    } LG_FUNCTION point motion_blur_along(float t, place at, motion_blur_params p) {
        LG_FLOAT reach = (4.0f * p.blur_size) * t;
        LG_FLOAT turns = p.blur_angle * 0.00277777778f;
        LG_FLOAT across = lg_cos_turns(turns) * lg_div(1.0f, at.width);
        LG_FLOAT down = lg_sin_turns(turns) * lg_div(1.0f, at.height);
        LG_FLOAT x = at.x + reach * across;
        LG_FLOAT y = at.y + reach * down;
        return xy(x, y);
    })

LG_WARP_LINE(motion_blur)

LG_EXAMPLES(motion_blur, {"", .in = {0.25f, 0.5f, 0.75f, 0.5f}, .out = {0.25f, 0.5f, 0.75f, 0.5f}},
            {"blur_size=7:blur_angle=30:samples=65", .in = {1, 0.5f, 0, 1}, .out = {1, 0.5f, 0, 1}})

LG_FILTER(motion_blur, WARP, 1, .summary = "as from a camera that moves along a line",
          .formula =
              "c' = sum of w(t) c(p + 4 blur_size t (cos blur_angle, sin blur_angle)) / sum of "
              "w, t = -1 .. 1 in `samples` points; w = 0.18, 0.15, 0.12, 0.09, 0.05 at |t| = "
              "0, 1/4 .. 1, straight between; where there is alpha, of c a and a",
          .source = "GPUImageMotionBlurFilter, which has 9 samples",
          .notes = "an even `samples` counts as one more. Points further apart than a pixel or two "
                   "show as ghosts: a long line needs more of them");

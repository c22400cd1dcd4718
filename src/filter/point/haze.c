// White haze, taken away or added.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, distance, "", 0.2f, -0.3f, 0.3f, "white that is taken away; below 0 it is added")    \
    X(NUMBER, slope, "", 0, -0.3f, 0.3f, "how much distance grows from the top to the bottom")

LG_PARAMETERS(haze)

LG_KERNEL(
    haze, LG_FUNCTION color haze_kernel(color c, place at, haze_params p) {
        LG_FLOAT d = at.y * p.slope + p.distance;
        LG_FLOAT scale = lg_div(1.0f, 1.0f - d);
        LG_COLOR y = c;
        y.r = (c.r - d) * scale;
        y.g = (c.g - d) * scale;
        y.b = (c.b - d) * scale;
        return y;
    })

LG_POINT(haze)

LG_EXAMPLES(haze, {"", .in = {1, 0.2f, 0.6f, 0.5f}, .out = {1, 0, 0.5f, 0.5f}},
            {"distance=0:slope=0.25", .in = {1, 0.125f, 0.5625f, 1}, .out = {1, 0, 0.5f, 1},
             .x = 0.5f, .y = 0.5f},
            {"distance=-0.25", .in = {1, 0, 0.5f, 1}, .out = {1, 0.2f, 0.6f, 1}})

LG_FILTER(haze, POINT, 1, .summary = "takes white haze away, or adds it",
          .formula = "d = y slope + distance, c' = (c - d) / (1 - d); y is 0 at the top, 1 at the "
                     "bottom",
          .source = "GPUImageHazeFilter",
          .notes =
              "alpha is kept; GPUImage hazes it too. Up is that of the stored pixels, whatever "
              "an orientation tag of the file says",
          .neutral = "distance=0:slope=0");

// A factor for every channel.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, red, "", 1, 0, 2, "factor of red")                                                   \
    X(NUMBER, green, "", 1, 0, 2, "factor of green")                                               \
    X(NUMBER, blue, "", 1, 0, 2, "factor of blue")

LG_PARAMETERS(rgb)

LG_KERNEL(
    rgb, LG_FUNCTION color rgb_kernel(color c, place at, rgb_params p) {
        LG_COLOR y = c;
        y.r = c.r * p.red;
        y.g = c.g * p.green;
        y.b = c.b * p.blue;
        return y;
    })

LG_POINT(rgb)

LG_EXAMPLES(rgb,
            {"red=0.5:green=2:blue=0", .in = {0.5f, 0.25f, 1, 0.5f}, .out = {0.25f, 0.5f, 0, 0.5f}},
            {"blue=1.5", .in = {0.5f, 0.5f, 0.5f, 1}, .out = {0.5f, 0.5f, 0.75f, 1}})

LG_FILTER(rgb, POINT, 1, .flags = LG_FILTER_MAKES_COLOR | LG_FILTER_PER_CHANNEL | LG_FILTER_AFFINE,
          .summary = "a factor for every channel",
          .formula = "(r, g, b)' = (red r, green g, blue b)", .source = "GPUImageRGBFilter",
          .neutral = "red=1:green=1:blue=1");

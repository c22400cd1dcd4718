// The negative.
#include "filter/kernel.h"

#define PARAMETERS(X)

LG_PARAMETERS(color_invert)

LG_KERNEL(
    color_invert, LG_FUNCTION color color_invert_kernel(color c, place at, color_invert_params p) {
        LG_COLOR y = c;
        y.r = 1.0f - c.r;
        y.g = 1.0f - c.g;
        y.b = 1.0f - c.b;
        return y;
    })

LG_POINT(color_invert)

LG_EXAMPLES(color_invert, {"", .in = {0.25f, 0.5f, 1, 0.5f}, .out = {0.75f, 0.5f, 0, 0.5f}},
            {"", .in = {0, 2, -1, 1}, .out = {1, -1, 2, 1}})

LG_FILTER(color_invert, POINT, 1, .flags = LG_FILTER_PER_CHANNEL | LG_FILTER_AFFINE,
          .summary = "the negative", .formula = "c' = 1 - c", .source = "GPUImageColorInvertFilter",
          .notes = "on straight colours; GPUImage's is wrong where alpha is below 1");

// Luminance drawn towards mid grey, colour kept.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, range_reduction_factor, "", 0.6f, 0, 1, "0 leaves the image as it is")

LG_PARAMETERS(luminance_range)

LG_KERNEL(
    luminance_range,
    LG_FUNCTION color luminance_range_kernel(color c, place at, luminance_range_params p) {
        LG_FLOAT shift = (0.5f - lg_luminance(c)) * p.range_reduction_factor;
        LG_COLOR y = c;
        y.r = c.r + shift;
        y.g = c.g + shift;
        y.b = c.b + shift;
        return y;
    })

LG_POINT(luminance_range)

// Red: (0.5 - 0.2125) 0.6 = 0.1725; white: -0.5 / 2
LG_EXAMPLES(luminance_range, {"", .in = {1, 0, 0, 0.5f}, .out = {1.1725f, 0.1725f, 0.1725f, 0.5f}},
            {"range_reduction_factor=0.5", .in = {1, 1, 1, 1}, .out = {0.75f, 0.75f, 0.75f, 1}})

LG_FILTER(luminance_range, POINT, 1, .flags = LG_FILTER_AFFINE,
          .summary = "luminance drawn towards mid grey",
          .formula = "c' = c + (1/2 - l) range_reduction_factor, l = 0.2125 r + 0.7154 g + "
                     "0.0721 b",
          .source = "GPUImageLuminanceRangeFilter", .neutral = "range_reduction_factor=0");

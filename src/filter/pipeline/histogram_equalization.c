// Every level as frequent as the others, as far as whole levels allow.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(CHOICE, type, 0, "rgb|red|green|blue|luminance",                                             \
      "each channel by itself, one of them, or luma, which keeps r - l, g - l and b - l")

LG_ROWS(histogram_equalization)

LG_PIPELINE(
    histogram_equalization, 1, "measured_curve:type={type}:curve=@{type}.cdf",
    .summary = "spreads the levels of an image evenly",
    .formula = "c' = (samples up to c - s) / (all samples - s), s samples at the lowest level; "
               "luminance: clamp(c + l' - l)",
    .source = "GPUImageHistogramEqualizationFilter; OpenCV's equalizeHist",
    .notes =
        "all pixels count, 32 bits each: GPUImage's counts saturate, leave out pixels, are "
        "one frame late, and its brightest output is below 1 when the darkest level occurs; it "
        "divides by 0 where there is one level, which here stays as it is");

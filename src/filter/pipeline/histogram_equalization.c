// Every level as frequent as the others, as far as whole levels allow.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(CHOICE, type, 0, "rgb|red|green|blue|luminance",                                             \
      "each channel by itself, one of them, or luma, which keeps r - l, g - l and b - l")          \
    X(INTEGER, downsampling_factor, "px", 1, 1, LG_MOST_STEP,                                      \
      "every so many pixels along both axes one is counted")

LG_ROWS(histogram_equalization)

LG_PIPELINE(
    histogram_equalization, 1,
    "measured_curve:type={type}:downsampling_factor={downsampling_factor}:curve=@{type}.cdf",
    .summary = "spreads the levels of an image evenly",
    .formula = "c' = (samples up to c - s) / (all samples - s), s samples at the lowest level; "
               "luminance: clamp(c + l' - l). Samples are those of the pixels whose column and row "
               "are multiples of downsampling_factor",
    .source = "GPUImageHistogramEqualizationFilter; OpenCV's equalizeHist",
    .notes =
        "all pixels count by default, 32 bits each: GPUImage's counts saturate, which its factor "
        "of 16 delays, are one frame late, and its brightest output is below 1 when the darkest "
        "level occurs; it "
        "divides by 0 where there is one level, which here stays as it is");

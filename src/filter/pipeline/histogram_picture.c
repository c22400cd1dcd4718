// The histogram of an image as a picture.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(CHOICE, type, 0, "rgb|red|green|blue|luminance", "of which channels")                        \
    X(INTEGER, height, "px", 256, 1, 4096, "of the picture; it has 256 columns")                   \
    X(NUMBER, scale, "", 1, 1, 1e6f,                                                               \
      "how often the picture's height the largest column is; it is cut off")                       \
    X(INTEGER, downsampling_factor, "px", 1, 1, LG_MOST_STEP,                                      \
      "every so many pixels along both axes one is counted")

LG_ROWS(histogram_picture)

LG_PIPELINE(
    histogram_picture, 1,
    "histogram_strip:type={type}:scale={scale}:downsampling_factor={downsampling_factor}:curve=@{"
    "type}.ecdf | "
    "histogram_generator:height={height}:background=0,0,0,1",
    .summary = "the histogram of an image as a picture of bars",
    .formula = "histogram_generator of histogram_strip, on black",
    .source = "GPUImageHistogramFilter and GPUImageHistogramGenerator",
    .notes =
        "exact counts, of all pixels by default; the largest is as high as the picture, or scale "
        "times that. The "
        "command `lumagraph histogram` prints them");

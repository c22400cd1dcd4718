// Corners by Harris and Stephens.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, sigma, "px", 2, 0, 64, "of the Gaussian over the products of derivatives")           \
    X(NUMBER, sensitivity, "", 5, 0, 1000, "factor of the measure")                                \
    X(LEVEL, threshold, 0.2f, "least measure of a corner")                                         \
    X(NUMBER, k, "", 0.04f, 0, 0.25f, "how much an edge lowers the measure")                       \
    X(CHOICE, output, 0, "corners|score", "1 at corners, or their measures")                       \
    LG_BORDER_PARAMETER(X)                                                                         \
    X(ALIAS, blur_radius, sigma)

LG_ROWS(harris_corner_detection)

LG_PIPELINE(
    harris_corner_detection, 1,
    "xy_derivative:offset=0:border={border} | map_channel:alpha=one | "
    "gaussian_blur:sigma={sigma}:border={border} | "
    "corner_response:method=harris:sensitivity={sensitivity}:k={k} | "
    "map_channel:green=red:blue=red:alpha=one | "
    "thresholded_non_maximum_suppression:threshold={threshold}:result={output}:border={border}",
    .summary = "corners by Harris: white pixels on black",
    .formula = "1, or the measure with output=score, where corner_response of the blurred products "
               "of derivatives is >= threshold and the largest of 3 x 3 pixels, else 0",
    .source = "GPUImageHarrisCornerDetectionFilter; C. Harris and M. Stephens, 1988",
    .notes = "derivatives and products are floats with their sign; GPUImage's have 8 bits, "
             "and end at 1. The result is one channel; fewer corners: a higher threshold");

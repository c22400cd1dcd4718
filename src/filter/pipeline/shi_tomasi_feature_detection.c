// Corners by Shi and Tomasi.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, sigma, "px", 2, 0, 64, "of the Gaussian over the products of derivatives")           \
    X(NUMBER, sensitivity, "", 1.5f, 0, 1000, "factor of the measure")                             \
    X(LEVEL, threshold, 0.2f, "least measure of a corner")                                         \
    X(CHOICE, output, 0, "corners|score", "1 at corners, or their measures")                       \
    LG_BORDER_PARAMETER(X)                                                                         \
    X(ALIAS, blur_radius, sigma)

LG_ROWS(shi_tomasi_feature_detection)

LG_PIPELINE(
    shi_tomasi_feature_detection, 1,
    "xy_derivative:offset=0:border={border} | map_channel:alpha=one | "
    "gaussian_blur:sigma={sigma}:border={border} | "
    "corner_response:method=shi_tomasi:sensitivity={sensitivity} | "
    "map_channel:green=red:blue=red:alpha=one | "
    "thresholded_non_maximum_suppression:threshold={threshold}:result={output}:border={border}",
    .summary = "corners by Shi and Tomasi: white pixels on black",
    .formula = "1, or the measure with output=score, where corner_response of the blurred products "
               "of derivatives is >= threshold and the largest of 3 x 3 pixels, else 0",
    .source = "GPUImageShiTomasiFeatureDetectionFilter; J. Shi and C. Tomasi, 1994",
    .notes = "derivatives and products are floats with their sign; GPUImage's have 8 bits, "
             "and end at 1. The result is one channel; fewer corners: a higher threshold");

// What the detectors of corners by products of derivatives share.
#ifndef LG_CORNERS_H
#define LG_CORNERS_H

#include "filter/kernel.h"

#define LG_CORNER_PARAMETERS(X, factor)                                                            \
    X(NUMBER, sigma, "px", 2, 0, 64, "of the Gaussian over the products of derivatives")           \
    X(NUMBER, sensitivity, "", factor, 0, 1000, "factor of the measure")                           \
    X(LEVEL, threshold, 0.2f, "least measure of a corner")

#define LG_CORNER_OUTPUT(X)                                                                        \
    X(CHOICE, output, 0, "corners|score", "1 at corners, or their measures")                       \
    LG_BORDER_PARAMETER(X)                                                                         \
    X(ALIAS, blur_radius, sigma)

// `measure`: the method of corner_measure, with its own parameters.
#define LG_CORNER_STEPS(measure)                                                                   \
    "corner_measure:method=" measure ":sigma={sigma}:sensitivity={sensitivity}:border={border} | " \
    "thresholded_non_maximum_suppression:threshold={threshold}:result={output}:border={border}"

#define LG_CORNER_FORMULA                                                                          \
    "1, or the measure with output=score, where corner_measure is >= threshold and the largest "   \
    "of 3 x 3 pixels, else 0"
#define LG_CORNER_NOTES                                                                            \
    "derivatives and products are floats with their sign; GPUImage's have 8 bits, and end at 1. "  \
    "The result is one channel; fewer corners: a higher threshold"

#endif

// Where something moves, and how much of the image.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, low_pass_filter_strength, "", 0.5f, 0, 1, "share of the run before in the mean")     \
    X(NUMBER, threshold, "", 0.2f, 0, 2, "least distance of a colour that moves from the mean")    \
    X(ALIAS, strength, low_pass_filter_strength)

LG_ROWS(motion_detector)

LG_PIPELINE(
    motion_detector, 1,
    "low_pass:filter_strength={low_pass_filter_strength} #mean | #in | "
    "motion_mask:over=#mean:threshold={threshold} | fill:color=@mean | motion_center",
    .summary = "the centre of what moves, and its share of the image, as a colour",
    .formula =
        "r, g = mean x and y of pixels with |rgb - low_pass(rgb)| >= threshold, as fractions of "
        "width and height; b = their share of the image; all 0 where nothing moves",
    .source = "GPUImageMotionDetector",
    .notes =
        "the same colour everywhere: figures such as max of its r, g and b are the centre and the "
        "strength. motion_mask shows the pixels. GPUImage gives NaN where nothing moves");

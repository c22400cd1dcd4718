// White where a pixel is not much darker than its surroundings.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(INTEGER, radius, "px", 4, 0, 4096, "the surroundings have 2 radius + 1 pixels on a side")    \
    X(NUMBER, offset, "", 0.05f, -1, 1, "how much darker than the mean is still white")            \
    X(ALIAS, blur_radius, radius)

LG_ROWS(adaptive_threshold)

LG_PIPELINE(adaptive_threshold, 1,
            "grayscale #grey | box_blur:radius={radius} #mean | #grey | "
            "local_threshold:over=#mean:offset={offset}",
            .summary = "white where a pixel is not much darker than the mean around it",
            .formula = "c' = 1 where l >= mean of l over (2 radius + 1)^2 pixels - offset, else 0",
            .source = "GPUImageAdaptiveThresholdFilter");

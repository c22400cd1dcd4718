// The median of any window, by aoce's name.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(INTEGER, radius, "px", 2, 0, 1024, "the window has 2 radius + 1 pixels a side")              \
    LG_BORDER_PARAMETER(X)

LG_ROWS(median_k)

LG_PIPELINE(median_k, 1, "median:radius={radius}:border={border}",
            .summary = "the median of a window of any size, per channel",
            .formula = "median with a radius, 2 by default", .source = "VkMedianLayer of aoce",
            .notes = "alpha is the centre's. aoce takes a value one rank lower, and windows up to "
                     "15 pixels");

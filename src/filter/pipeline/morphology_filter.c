// One of the four operations on squares.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(CHOICE, operation, 0, "dilation|erosion|opening|closing", "which")                           \
    X(INTEGER, radius, "px", 1, 0, 4096, "the window has 2 radius + 1 pixels a side")              \
    LG_BORDER_PARAMETER(X)

LG_ROWS(morphology)

LG_PIPELINE(morphology, 1, "rgb_{operation}:radius={radius}:border={border}",
            .summary = "dilation, erosion, opening or closing of each channel",
            .formula = "rgb_dilation, rgb_erosion, rgb_opening or rgb_closing",
            .source = "VkMorphLayer of aoce");

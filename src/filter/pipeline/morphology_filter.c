// One of the four operations on rectangles.
#include "filter/kernel.h"
#include "filter/native/window_side.h"

#define PARAMETERS(X)                                                                              \
    X(CHOICE, operation, 0, "dilation|erosion|opening|closing", "which")                           \
    X(INTEGER, radius, "px", 1, 0, 4096,                                                           \
      "a window without width and height has 2 radius + 1 pixels a side")                          \
    LG_BORDER_PARAMETER(X)                                                                         \
    LG_WIDTH_PARAMETER(X)                                                                          \
    LG_HEIGHT_PARAMETER(X)

LG_ROWS(morphology)

LG_PIPELINE(morphology, 1,
            "rgb_{operation}:radius={radius}:width={width}:height={height}:border={border}",
            .summary = "dilation, erosion, opening or closing of each channel",
            .formula = "rgb_dilation, rgb_erosion, rgb_opening or rgb_closing",
            .source = "VkMorphLayer of aoce");

// Both sides times a factor, by aoce's name.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, fx, "", 1, 0.0001f, 1000, "factor of the width")                                     \
    X(NUMBER, fy, "", 1, 0.0001f, 1000, "factor of the height")                                    \
    X(CHOICE, method, 1, "nearest|bilinear", "the nearest pixel, or a mean of four")

LG_ROWS(size_scale)

LG_PIPELINE(size_scale, 1, "resize:scale_x={fx}:scale_y={fy}:method={method}:antialias=no",
            .summary = "the image times a factor for each side, by the nearest pixel or bilinearly",
            .formula = "resize without antialias: round(W fx) x round(H fy) pixels",
            .source = "VkSizeScaleLayer of aoce",
            .notes = "resize has weights that reach further where the image becomes smaller",
            .neutral = "fx=1:fy=1");

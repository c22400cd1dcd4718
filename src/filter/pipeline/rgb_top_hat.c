// What an opening of each channel removes.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(INTEGER, radius, "px", 1, 0, 4096, "the window has 2 radius + 1 pixels a side")              \
    LG_BORDER_PARAMETER(X)

LG_ROWS(rgb_top_hat)

LG_PIPELINE(rgb_top_hat, 1,
            "rgb_opening:radius={radius}:border={border} #opened | #in | "
            "signed_difference:over=#opened",
            .summary = "bright things smaller than a square, in each channel",
            .formula = "c' = c - rgb_opening(c) for r, g, b; alpha stays",
            .source = "F. Meyer, 1979; J. Serra, 1982",
            .notes = "any radius. The result for integers is exact");

// What a closing of each channel fills.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(INTEGER, radius, "px", 1, 0, 4096, "the window has 2 radius + 1 pixels a side")              \
    LG_BORDER_PARAMETER(X)

LG_ROWS(rgb_black_hat)

LG_PIPELINE(rgb_black_hat, 1,
            "rgb_closing:radius={radius}:border={border} #closed | #in | "
            "signed_difference:over=#closed:reversed=1",
            .summary = "dark things smaller than a square, in each channel",
            .formula = "c' = rgb_closing(c) - c for r, g, b; alpha stays",
            .source = "F. Meyer, 1979; J. Serra, 1982",
            .notes = "any radius. The result for integers is exact");

// What an opening removes: small bright things.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(INTEGER, radius, "px", 1, 0, 4096, "the window has 2 radius + 1 pixels a side")              \
    LG_BORDER_PARAMETER(X)

LG_ROWS(top_hat)

LG_PIPELINE(top_hat, 1,
            "opening:radius={radius}:border={border} #opened | #in | "
            "signed_difference:over=#opened:red=1",
            .summary = "bright things smaller than a square: red, as grey",
            .formula = "red - opening(image), never below 0",
            .source = "F. Meyer, 1979; J. Serra, 1982",
            .notes = "any radius; rgb_top_hat does each channel. The result for integers is exact");

// What an opening of each channel removes.
#include "filter/kernel.h"
#include "filter/native/window_side.h"

#define PARAMETERS(X) LG_WINDOW_PARAMETERS(X)

LG_ROWS(rgb_top_hat)

LG_PIPELINE(
    rgb_top_hat, 1,
    "rgb_opening:radius={radius}:width={width}:height={height}:border={border} #opened | #in | "
    "signed_difference:over=#opened",
    .summary = "bright things smaller than a rectangle, in each channel",
    .formula = "c' = c - rgb_opening(c) for r, g, b; alpha stays",
    .source = "F. Meyer, 1979; J. Serra, 1982",
    .notes = "any radius. The result for integers is exact");

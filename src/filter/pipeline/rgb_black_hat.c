// What a closing of each channel fills.
#include "filter/kernel.h"
#include "filter/native/window_side.h"

#define PARAMETERS(X) LG_WINDOW_PARAMETERS(X)

LG_ROWS(rgb_black_hat)

LG_PIPELINE(
    rgb_black_hat, 1,
    "rgb_closing:radius={radius}:width={width}:height={height}:border={border} #closed | #in | "
    "signed_difference:over=#closed:reversed=1",
    .summary = "dark things smaller than a rectangle, in each channel",
    .formula = "c' = rgb_closing(c) - c for r, g, b; alpha stays",
    .source = "F. Meyer, 1979; J. Serra, 1982",
    .notes = "any radius. The result for integers is exact");

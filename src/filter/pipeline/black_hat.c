// What a closing fills: small dark things.
#include "filter/kernel.h"
#include "filter/native/window_side.h"

#define PARAMETERS(X) LG_WINDOW_PARAMETERS(X)

LG_ROWS(black_hat)

LG_PIPELINE(
    black_hat, 1,
    "closing:radius={radius}:width={width}:height={height}:border={border} #closed | #in | "
    "signed_difference:over=#closed:reversed=1:red=1",
    .summary = "dark things smaller than a rectangle: red, as grey",
    .formula = "closing(image) - red, never below 0", .source = "F. Meyer, 1979; J. Serra, 1982",
    .notes = "any radius; rgb_black_hat does each channel. The result for integers is exact");

// What an opening removes: small bright things.
#include "filter/kernel.h"
#include "filter/native/window_side.h"

#define PARAMETERS(X) LG_WINDOW_PARAMETERS(X)

LG_ROWS(top_hat)

LG_PIPELINE(top_hat, 1,
            "opening:radius={radius}:width={width}:height={height}:border={border} #opened | #in | "
            "signed_difference:over=#opened:red=1",
            .summary = "bright things smaller than a rectangle: red, as grey",
            .formula = "red - opening(image), never below 0",
            .source = "F. Meyer, 1979; J. Serra, 1982",
            .notes = "any radius; rgb_top_hat does each channel. The result for integers is exact");

// Only the largest of 3 x 3 pixels stay.
#include "filter/kernel.h"
#include "kernel/edge_math.h"

#define PARAMETERS(X)                                                                              \
    LG_BORDER_PARAMETER(X)                                                                         \
    LG_TEXEL_PARAMETERS(X)

LG_PARAMETERS(non_maximum_suppression)

LG_KERNEL(
    non_maximum_suppression,
    LG_FUNCTION float non_maximum_suppression_value(color c) {
        return c.r;
    } LG_FUNCTION color non_maximum_suppression_kernel(neighborhood n, color c, place at,
                                                       non_maximum_suppression_params p) {
        LG_FLOAT keep = lg_is_peak(n);
        LG_COLOR y = c;
        y.r = keep > 0.0f ? c.r : 0.0f;
        y.g = keep > 0.0f ? c.g : 0.0f;
        y.b = keep > 0.0f ? c.b : 0.0f;
        return y;
    })

LG_WINDOW_OF_VALUES(non_maximum_suppression)

// A peak; a slope; the first and the second of two equal pixels; two in a column, seen from below.
LG_EXAMPLES(non_maximum_suppression,
            {"", .window = {0.25f, 0.5f, 0, 0, 0.75f, 0.5f, 0, 0.5f, 0},
             .out = {0.75f, 0.75f, 0.75f, 1}},
            {"", .window = {0, 0, 0, 0, 0.5f, 0.75f, 0, 0, 0}, .out = {0, 0, 0, 1}},
            {"", .window = {0, 0, 0, 0, 0.5f, 0.5f, 0, 0, 0}, .out = {0.5f, 0.5f, 0.5f, 1}},
            {"", .window = {0, 0, 0, 0.5f, 0.5f, 0, 0, 0, 0}, .out = {0, 0, 0, 1}},
            {"", .window = {0, 0.5f, 0, 0, 0.5f, 0, 0, 0, 0}, .out = {0, 0, 0, 1}})

LG_FILTER(non_maximum_suppression, WINDOW, 1,
          .summary = "only the largest of 3 x 3 pixels stay, by their red",
          .formula = "c' = c where red > red of the top left, top, left and bottom left neighbours "
                     "and >= that of the other four, else 0",
          .source = "GPUImageNonMaximumSuppressionFilter",
          .notes =
              "alpha is the centre's. Of equal neighbours the leftmost column's top pixel stays; a "
              "larger plateau may keep several");

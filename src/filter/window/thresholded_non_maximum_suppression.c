// White at the largest of 3 x 3 pixels, from a threshold on.
#include "filter/kernel.h"
#include "kernel/edge_math.h"

#define PARAMETERS(X)                                                                              \
    X(LEVEL, threshold, 0.9f, "least red of a pixel that stays")                                   \
    X(CHOICE, result, 0, "corners|score", "1 at these pixels, or their red")                       \
    LG_BORDER_PARAMETER(X)                                                                         \
    LG_TEXEL_PARAMETERS(X)

LG_PARAMETERS(thresholded_non_maximum_suppression)

LG_KERNEL(
    thresholded_non_maximum_suppression,
    LG_FUNCTION float thresholded_non_maximum_suppression_value(color c) {
        return c.r;
    } LG_FUNCTION color
        thresholded_non_maximum_suppression_kernel(neighborhood n, color c, place at,
                                                   thresholded_non_maximum_suppression_params p) {
            LG_FLOAT keep = n.c >= p.threshold ? lg_is_peak(n) : 0.0f;
            LG_FLOAT score = keep > 0.0f ? n.c : 0.0f;
            LG_FLOAT y = lg_choose(p.result == 1.0f, score, keep);
            return rgba(y, y, y, c.a);
        })

LG_WINDOW_OF_VALUES(thresholded_non_maximum_suppression)

LG_EXAMPLES(thresholded_non_maximum_suppression,
            {"", .window = {0.25f, 0.5f, 0, 0, 1, 0.5f, 0, 0.5f, 0}, .out = {1, 1, 1, 1}},
            {"", .window = {0.25f, 0.5f, 0, 0, 0.75f, 0.5f, 0, 0.5f, 0}, .out = {0, 0, 0, 1}},
            {"threshold=0.5", .window = {0, 0, 0, 0, 0.5f, 0.5f, 0, 0, 0}, .out = {1, 1, 1, 1}},
            {"threshold=0.5:result=score", .window = {0, 0, 0, 0, 0.75f, 0.5f, 0, 0, 0},
             .out = {0.75f, 0.75f, 0.75f, 1}},
            {"threshold=0.5", .window = {0, 0, 0, 0.5f, 0.5f, 0, 0, 0, 0}, .out = {0, 0, 0, 1}})

LG_FILTER(thresholded_non_maximum_suppression, WINDOW, 1,
          .summary = "white at the largest of 3 x 3 pixels, by their red, else black",
          .formula = "c' = 1, or red with result=score, where red >= threshold, red > red of the "
                     "top left, top, left and bottom left neighbours and >= that of the other "
                     "four, else 0",
          .source = "GPUImageThresholdedNonMaximumSuppressionFilter",
          .notes = "alpha is the centre's");

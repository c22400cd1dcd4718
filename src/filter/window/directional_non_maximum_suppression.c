// Pixels that are the largest along their gradient.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, upper_threshold, "", 0.5f, 0, 10, "red that becomes 1; not below the lower one")     \
    X(NUMBER, lower_threshold, "", 0.1f, 0, 10, "red that becomes 0")                              \
    LG_BORDER_PARAMETER(X)                                                                         \
    LG_TEXEL_PARAMETERS(X)

LG_PARAMETERS(directional_non_maximum_suppression)

// The neighbour at (x, y), each -1, 0 or 1 as below 1/4, between, or above 3/4. The one opposite is at
// (1 - x, 1 - y).
LG_KERNEL(
    directional_non_maximum_suppression,
    LG_FUNCTION float directional_non_maximum_suppression_value(color c) {
        return c.r;
    } LG_FUNCTION float directional_non_maximum_suppression_of(float left, float middle,
                                                               float right, float x) {
        LG_FLOAT near = x < 0.25f ? left : middle;
        return x > 0.75f ? right : near;
    } LG_FUNCTION float directional_non_maximum_suppression_at(neighborhood n, float x, float y) {
        LG_FLOAT top = directional_non_maximum_suppression_of(n.tl, n.t, n.tr, x);
        LG_FLOAT middle = directional_non_maximum_suppression_of(n.l, n.c, n.r, x);
        LG_FLOAT bottom = directional_non_maximum_suppression_of(n.bl, n.b, n.br, x);
        return directional_non_maximum_suppression_of(top, middle, bottom, y);
    } LG_FUNCTION color
        directional_non_maximum_suppression_kernel(neighborhood n, color c, place at,
                                                   directional_non_maximum_suppression_params p) {
            LG_FLOAT ahead = directional_non_maximum_suppression_at(n, c.g, c.b);
            LG_FLOAT behind = directional_non_maximum_suppression_at(n, 1.0f - c.g, 1.0f - c.b);
            LG_FLOAT most = fmaxf(ahead, behind);
            LG_FLOAT strength = lg_smoothstep(p.lower_threshold, p.upper_threshold, n.c);
            LG_FLOAT y = n.c >= most ? strength : 0.0f;
            return rgba(y, y, y, c.a);
        })

LG_WINDOW_OF_VALUES(directional_non_maximum_suppression)

// Greys have directions: 1 down to the right, 0.5 none, 0 up to the left. smoothstep(0, 0.5, 0.125) =
// 1/16 (3 - 1/2).
LG_EXAMPLES(directional_non_maximum_suppression,
            {"", .window = {0.5f, 2, 2, 2, 1, 2, 2, 2, 0.75f}, .out = {1, 1, 1, 1}},
            {"", .window = {0, 0, 0, 0, 1, 0, 0, 0, 1.25f}, .out = {0, 0, 0, 1}},
            {"", .window = {1.25f, 0, 0, 0, 1, 0, 0, 0, 0}, .out = {0, 0, 0, 1}},
            {"lower_threshold=0", .window = {0, 2, 2, 2, 0.125f, 2, 2, 2, 0},
             .out = {0.15625f, 0.15625f, 0.15625f, 1}})

LG_FILTER_LIMITED(
    directional_non_maximum_suppression, WINDOW, 1, "lower_threshold <= upper_threshold",
    .summary = "pixels that are the largest along their gradient",
    .formula = "c' = smoothstep(lower_threshold, upper_threshold, r) where r is not below r "
               "of the neighbours at (dx, dy) and (-dx, -dy), else 0; dx is -1 where g < "
               "1/4, 1 where g > 3/4, else 0, and dy is of b",
    .source = "GPUImageDirectionalNonMaximumSuppressionFilter",
    .notes =
        "on the result of directional_sobel_edge_detection; alpha is the centre's. "
        "Without a direction a pixel stays. Where the thresholds are equal the result is a step");

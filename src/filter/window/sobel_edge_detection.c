// Length of the gradient by Sobel.
#include "filter/kernel.h"
#include "kernel/edge_math.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, edge_strength, "", 1, 0, 16, "factor of the gradient")                               \
    LG_BORDER_PARAMETER(X)                                                                         \
    LG_TEXEL_PARAMETERS(X)

LG_PARAMETERS(sobel_edge_detection)

LG_KERNEL(
    sobel_edge_detection,
    LG_NUMBER(sobel_edge_detection_middle, 2) LG_NUMBER(sobel_edge_detection_dark, 0)
        LG_FUNCTION float sobel_edge_detection_strength(sobel_edge_detection_params p) {
            return p.edge_strength;
        } LG_FUNCTION float sobel_edge_detection_value(color c) {
            return lg_luminance(c);
        } LG_FUNCTION color sobel_edge_detection_kernel(neighborhood n, color c, place at,
                                                        sobel_edge_detection_params p) {
            LG_FLOAT m = lg_gradient(n, 2.0f) * p.edge_strength;
            return rgba(m, m, m, c.a);
        })

LG_WINDOW_OF_VALUES(sobel_edge_detection)

// A step of 0.125: 4 0.125. A corner: 1 across and 1 down.
LG_EXAMPLES(sobel_edge_detection,
            {"", .window = {0, 0.5f, 0.125f, 0, 0.5f, 0.125f, 0, 0.5f, 0.125f},
             .out = {0.5f, 0.5f, 0.5f, 1}},
            {"edge_strength=0.5", .window = {0, 0, 0, 0, 0, 0.25f, 0, 0.25f, 0.5f},
             .out = {0.70710678f, 0.70710678f, 0.70710678f, 1}})

LG_FILTER(sobel_edge_detection, WINDOW, 1, .summary = "length of the gradient by Sobel",
          .formula = "c' = sqrt(gx^2 + gy^2) edge_strength, gx = right column - left column, gy = "
                     "bottom row - top row with weights 1 2 1",
          .source = "GPUImageSobelEdgeDetectionFilter",
          .notes = "on luminance 0.2125 r + 0.7154 g + 0.0721 b; alpha is the centre's. GPUImage2 "
                   "and 3 look at red only");

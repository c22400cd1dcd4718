// Length of the gradient by Prewitt.
#include "filter/kernel.h"
#include "kernel/edge_math.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, edge_strength, "", 1, 0, 16, "factor of the gradient")                               \
    LG_BORDER_PARAMETER(X)                                                                         \
    LG_TEXEL_PARAMETERS(X)

LG_PARAMETERS(prewitt_edge_detection)

LG_KERNEL(
    prewitt_edge_detection,
    LG_NUMBER(prewitt_edge_detection_middle, 1) LG_NUMBER(prewitt_edge_detection_dark, 0)
        LG_FUNCTION float prewitt_edge_detection_strength(prewitt_edge_detection_params p) {
            return p.edge_strength;
        } LG_FUNCTION float prewitt_edge_detection_value(color c) {
            return lg_luminance(c);
        } LG_FUNCTION color prewitt_edge_detection_kernel(neighborhood n, color c, place at,
                                                          prewitt_edge_detection_params p) {
            LG_FLOAT m = lg_gradient(n, 1.0f) * p.edge_strength;
            return rgba(m, m, m, c.a);
        })

LG_WINDOW_OF_VALUES(prewitt_edge_detection)

// A step of 0.125: 3 0.125. A corner: 0.75 across and 0.75 down.
LG_EXAMPLES(prewitt_edge_detection,
            {"", .window = {0, 0.5f, 0.125f, 0, 0.5f, 0.125f, 0, 0.5f, 0.125f},
             .out = {0.375f, 0.375f, 0.375f, 1}},
            {"edge_strength=2", .window = {0, 0, 0, 0, 0, 0.25f, 0, 0.25f, 0.5f},
             .out = {2.1213203f, 2.1213203f, 2.1213203f, 1}})

LG_FILTER(prewitt_edge_detection, WINDOW, 1, .summary = "length of the gradient by Prewitt",
          .formula = "c' = sqrt(gx^2 + gy^2) edge_strength, gx = right column - left column, gy = "
                     "bottom row - top row",
          .source = "GPUImagePrewittEdgeDetectionFilter",
          .notes = "on luminance 0.2125 r + 0.7154 g + 0.0721 b; alpha is the centre's. GPUImage2 "
                   "and 3 look at red only");

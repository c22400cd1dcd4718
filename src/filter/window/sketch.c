// Dark edges on white.
#include "filter/kernel.h"
#include "kernel/edge_math.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, edge_strength, "", 1, 0, 16, "factor of the gradient")                               \
    LG_BORDER_PARAMETER(X)                                                                         \
    LG_TEXEL_PARAMETERS(X)

LG_PARAMETERS(sketch)

LG_KERNEL(
    sketch,
    LG_NUMBER(sketch_middle, 2) LG_NUMBER(sketch_dark, 1)
        LG_FUNCTION float sketch_strength(sketch_params p) {
            return p.edge_strength;
        } LG_FUNCTION float sketch_value(color c) {
            return lg_luminance(c);
        } LG_FUNCTION color sketch_kernel(neighborhood n, color c, place at, sketch_params p) {
            LG_FLOAT v = 1.0f - lg_gradient(n, 2.0f) * p.edge_strength;
            return rgba(v, v, v, c.a);
        })

LG_WINDOW_OF_VALUES(sketch)

LG_EXAMPLES(sketch,
            {"", .window = {0, 0.5f, 0.125f, 0, 0.5f, 0.125f, 0, 0.5f, 0.125f},
             .out = {0.5f, 0.5f, 0.5f, 1}},
            {"edge_strength=0.5", .window = {0, 0, 0, 0, 0, 0.25f, 0, 0.25f, 0.5f},
             .out = {0.29289322f, 0.29289322f, 0.29289322f, 1}})

LG_FILTER(sketch, WINDOW, 1, .summary = "dark edges on white",
          .formula = "c' = 1 - gradient of sobel_edge_detection", .source = "GPUImageSketchFilter",
          .notes = "on luminance 0.2125 r + 0.7154 g + 0.0721 b; alpha is the centre's. GPUImage2 "
                   "and 3 look at red only");

// Black edges on white.
#include "filter/kernel.h"
#include "kernel/edge_math.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, threshold, "", 0.25f, 0, 1, "least gradient that becomes black")                     \
    X(NUMBER, edge_strength, "", 1, 0, 16, "factor of the gradient")                               \
    LG_BORDER_PARAMETER(X)                                                                         \
    LG_TEXEL_PARAMETERS(X)

LG_PARAMETERS(threshold_sketch)

LG_KERNEL(
    threshold_sketch,
    LG_FUNCTION float threshold_sketch_value(color c) { return lg_luminance(c); } LG_FUNCTION color
        threshold_sketch_kernel(neighborhood n, color c, place at, threshold_sketch_params p) {
            LG_FLOAT m = lg_gradient(n, 2.0f) * p.edge_strength;
            LG_FLOAT v = 1.0f - lg_step(p.threshold, m);
            return rgba(v, v, v, c.a);
        })

LG_WINDOW_OF_VALUES(threshold_sketch)

LG_EXAMPLES(threshold_sketch,
            {"threshold=0.45", .window = {0, 0.5f, 0.125f, 0, 0.5f, 0.125f, 0, 0.5f, 0.125f},
             .out = {0, 0, 0, 1}},
            {"threshold=0.55", .window = {0, 0.5f, 0.125f, 0, 0.5f, 0.125f, 0, 0.5f, 0.125f},
             .out = {1, 1, 1, 1}},
            {"", .window = {0, 0, 0, 0, 0, 0.25f, 0, 0.25f, 0.5f}, .out = {0, 0, 0, 1}})

LG_FILTER(
    threshold_sketch, WINDOW, 1, .summary = "black edges on white",
    .formula = "c' = 0 where the gradient of sobel_edge_detection >= threshold, else 1",
    .source = "GPUImageThresholdSketchFilter",
    .notes =
        "one meaning of the threshold; GPUImage's two platforms differ. Alpha is the centre's");

// White where the gradient is steep.
#include "filter/kernel.h"
#include "kernel/edge_math.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, threshold, "", 0.25f, 0, 1, "least gradient that becomes white")                     \
    X(NUMBER, edge_strength, "", 1, 0, 16, "factor of the gradient")                               \
    LG_BORDER_PARAMETER(X)                                                                         \
    LG_TEXEL_PARAMETERS(X)

LG_PARAMETERS(threshold_edge_detection)

LG_KERNEL(
    threshold_edge_detection,
    LG_FUNCTION float threshold_edge_detection_value(color c) {
        return lg_luminance(c);
    } LG_FUNCTION color threshold_edge_detection_kernel(neighborhood n, color c, place at,
                                                        threshold_edge_detection_params p) {
        LG_FLOAT m = lg_gradient(n, 2.0f) * p.edge_strength;
        LG_FLOAT v = lg_step(p.threshold, m);
        return rgba(v, v, v, c.a);
    })

LG_WINDOW_OF_VALUES(threshold_edge_detection)

// The gradient is 0.5, of the corner 1.414.
LG_EXAMPLES(threshold_edge_detection,
            {"threshold=0.45", .window = {0, 0.5f, 0.125f, 0, 0.5f, 0.125f, 0, 0.5f, 0.125f},
             .out = {1, 1, 1, 1}},
            {"threshold=0.55", .window = {0, 0.5f, 0.125f, 0, 0.5f, 0.125f, 0, 0.5f, 0.125f},
             .out = {0, 0, 0, 1}},
            {"threshold=0.75:edge_strength=0.5", .window = {0, 0, 0, 0, 0, 0.25f, 0, 0.25f, 0.5f},
             .out = {0, 0, 0, 1}},
            {"", .window = {0, 0, 0, 0, 0, 0.25f, 0, 0.25f, 0.5f}, .out = {1, 1, 1, 1}})

LG_FILTER(threshold_edge_detection, WINDOW, 1, .summary = "white where the gradient is steep",
          .formula = "c' = 1 where the gradient of sobel_edge_detection >= threshold, else 0",
          .source = "GPUImageThresholdEdgeDetectionFilter",
          .notes = "the whole of Sobel's gradient; GPUImage takes differences of four neighbours "
                   "on one platform and drops negative halves on another. Alpha is the centre's");

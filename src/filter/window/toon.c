// Few levels and black edges.
#include "filter/kernel.h"
#include "kernel/edge_math.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, threshold, "", 0.2f, 0, 1, "least gradient that becomes black")                      \
    X(NUMBER, quantization_levels, "", 10, 1, 256, "steps between 0 and 1")                        \
    LG_BORDER_PARAMETER(X)                                                                         \
    LG_TEXEL_PARAMETERS(X)

LG_PARAMETERS(toon)

LG_KERNEL(
    toon,
    LG_FUNCTION float toon_value(color c) {
        return lg_luminance(c);
    } LG_FUNCTION color toon_kernel(neighborhood n, color c, place at, toon_params p) {
        LG_FLOAT m = lg_gradient(n, 2.0f);
        LG_FLOAT levels = p.quantization_levels;
        LG_COLOR y = c;
        y.r = floorf(c.r * levels + 0.5f);
        y.g = floorf(c.g * levels + 0.5f);
        y.b = floorf(c.b * levels + 0.5f);
        y.r = m < p.threshold ? lg_div(y.r, levels) : 0.0f;
        y.g = m < p.threshold ? lg_div(y.g, levels) : 0.0f;
        y.b = m < p.threshold ? lg_div(y.b, levels) : 0.0f;
        return y;
    })

LG_WINDOW_OF_VALUES(toon)

// floor(0.46 10 + 0.5) / 10; the gradient is 0 and 0.5.
LG_EXAMPLES(toon,
            {"", .window = {0.1f, 0.1f, 0.1f, 0.1f, 0.46f, 0.1f, 0.1f, 0.1f, 0.1f},
             .out = {0.5f, 0.5f, 0.5f, 1}},
            {"threshold=0.6:quantization_levels=4",
             .window = {0, 0.5f, 0.125f, 0, 0.5f, 0.125f, 0, 0.5f, 0.125f},
             .out = {0.5f, 0.5f, 0.5f, 1}},
            {"threshold=0.4", .window = {0, 0.5f, 0.125f, 0, 0.5f, 0.125f, 0, 0.5f, 0.125f},
             .out = {0, 0, 0, 1}})

LG_FILTER(toon, WINDOW, 1, .summary = "few levels and black edges",
          .formula = "c' = floor(c n + 1/2) / n where the gradient of sobel_edge_detection < "
                     "threshold, else 0; n = quantization_levels",
          .source = "GPUImageToonFilter",
          .notes = "edges of luminance; GPUImage looks at red only");

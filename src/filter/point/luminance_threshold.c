// White from a luminance on, else black.
#include "filter/kernel.h"

// No narrow range: the luminances of float images may be anything, and so may what is measured on them.
#define PARAMETERS(X) X(LEVEL, threshold, 0.5f, "least luminance that becomes white")

LG_PARAMETERS(luminance_threshold)

LG_KERNEL(
    luminance_threshold,
    LG_FUNCTION color luminance_threshold_kernel(color c, place at, luminance_threshold_params p) {
        LG_FLOAT v = lg_step(p.threshold, lg_luminance(c));
        return rgba(v, v, v, c.a);
    })

LG_POINT(luminance_threshold)

// The luminance of green is 0.7154, of magenta 0.2846; equality counts as white.
LG_EXAMPLES(luminance_threshold,
            {"threshold=0.5", .in = {0.5f, 0.5f, 0.5f, 0.5f}, .out = {1, 1, 1, 0.5f}},
            {"threshold=0.5", .in = {1, 0, 1, 1}, .out = {0, 0, 0, 1}},
            {"threshold=0.7", .in = {0, 1, 0, 1}, .out = {1, 1, 1, 1}})

LG_FILTER(luminance_threshold, POINT, 1, .summary = "white from a luminance on, else black",
          .formula = "c' = 1 where 0.2125 r + 0.7154 g + 0.0721 b >= threshold, else 0",
          .source = "GPUImageLuminanceThresholdFilter");

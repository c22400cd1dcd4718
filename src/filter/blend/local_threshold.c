// White where an image reaches a level that another image gives.
#include "filter/kernel.h"
#include "kernel/composite_math.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, offset, "", 0.05f, -1, 1, "how far below the level white begins")                    \
    LG_FIT_PARAMETER(X)

LG_PARAMETERS(local_threshold)

LG_KERNEL(
    local_threshold,
    LG_FUNCTION color local_threshold_kernel(color b, color o, place at, local_threshold_params p) {
        LG_FLOAT level = lg_luminance(o) - p.offset;
        LG_FLOAT v = lg_step(level, lg_luminance(b));
        return rgba(v, v, v, b.a);
    })

LG_BLEND(local_threshold)

LG_EXAMPLES(local_threshold,
            {"", .in = {0.5f, 0.5f, 0.5f, 0.5f}, .over = {0.5f, 0.5f, 0.5f, 1},
             .out = {1, 1, 1, 0.5f}},
            {"", .in = {0.4f, 0.4f, 0.4f, 1}, .over = {0.5f, 0.5f, 0.5f, 1}, .out = {0, 0, 0, 1}},
            {"offset=-0.25", .in = {0.5f, 0.5f, 0.5f, 1}, .over = {0.25f, 0.25f, 0.25f, 1},
             .out = {1, 1, 1, 1}})

LG_FILTER(local_threshold, BLEND, 2,
          .summary = "white where the first image reaches the second one's level",
          .formula = "1 where l(b) >= l(o) - offset, else 0; l = 0.2125 r + 0.7154 g + 0.0721 b",
          .source = "the last step of GPUImageAdaptiveThresholdFilter, where the second image is a "
                    "mean of the first");

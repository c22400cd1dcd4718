// The second image over the first.
#include "filter/kernel.h"
#include "kernel/composite_math.h"

#define PARAMETERS(X)                                                                              \
    LG_OPACITY_PARAMETER(X)                                                                        \
    LG_FIT_PARAMETER(X)

LG_PARAMETERS(normal_blend)

LG_KERNEL(
    normal_blend,
    LG_FUNCTION color normal_blend_kernel(color b, color o, place at, normal_blend_params p) {
        return lg_composite(b, o, o, p.opacity);
    })

LG_BLEND(normal_blend)

// Half transparent: (2 o + b) / 3 with alpha 3/4.
LG_EXAMPLES(normal_blend,
            {"", .in = {1, 0.5f, 0, 1}, .over = {0, 0.25f, 1, 1}, .out = {0, 0.25f, 1, 1}},
            {"opacity=0.5", .in = {1, 0.5f, 0, 1}, .over = {0, 0.25f, 1, 0.5f},
             .out = {0.75f, 0.4375f, 0.25f, 1}},
            {"", .in = {0.75f, 0.75f, 0, 0.5f}, .over = {0, 0.75f, 0.75f, 0.5f},
             .out = {0.25f, 0.75f, 0.5f, 0.75f}},
            {"", .in = {1, 1, 1, 0}, .over = {0, 0.25f, 0.5f, 0.25f},
             .out = {0, 0.25f, 0.5f, 0.25f}})

LG_FILTER(normal_blend, BLEND, 2, .flags = LG_FILTER_TAKES_COLOR,
          .summary = "the second image over the first",
          .formula = "a = ao + ab (1 - ao), c = (o ao + b ab (1 - ao)) / a; ao is the second "
                     "image's alpha times opacity",
          .source = "GPUImageNormalBlendFilter; Porter and Duff, Compositing Digital Images");

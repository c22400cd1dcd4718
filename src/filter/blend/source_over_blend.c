// The second image over the first: Porter and Duff's operator.
#include "filter/kernel.h"
#include "kernel/composite_math.h"

// With alpha_mode=gpuimage this is the filter source_over_mix (graph/graph_spelling.c).
#define PARAMETERS(X)                                                                              \
    LG_OPACITY_PARAMETER(X)                                                                        \
    LG_ALPHA_MODE_PARAMETER(X)                                                                     \
    LG_FIT_PARAMETER(X)

LG_PARAMETERS(source_over_blend)

LG_KERNEL(
    source_over_blend, LG_FUNCTION color source_over_blend_kernel(color b, color o, place at,
                                                                  source_over_blend_params p) {
        return lg_composite(b, o, o, p.opacity);
    })

LG_BLEND(source_over_blend)

// Half transparent: (2 o + b) / 3 with alpha 3/4.
LG_EXAMPLES(source_over_blend,
            {"", .in = {1, 0.5f, 0, 1}, .over = {0, 0.25f, 1, 1}, .out = {0, 0.25f, 1, 1}},
            {"opacity=0.5", .in = {1, 0.5f, 0, 1}, .over = {0, 0.25f, 1, 0.5f},
             .out = {0.75f, 0.4375f, 0.25f, 1}},
            {"", .in = {0.75f, 0.75f, 0, 0.5f}, .over = {0, 0.75f, 0.75f, 0.5f},
             .out = {0.25f, 0.75f, 0.5f, 0.75f}},
            {"", .in = {1, 1, 1, 0}, .over = {0, 0.25f, 0.5f, 0.25f},
             .out = {0, 0.25f, 0.5f, 0.25f}})

LG_FILTER(source_over_blend, BLEND, 2, .flags = LG_FILTER_TAKES_COLOR,
          .summary = "the second image over the first",
          .formula =
              "a = ao + ab (1 - ao), c = (o ao + b ab (1 - ao)) / a; ao is the second image's "
              "alpha times opacity",
          .source = "GPUImageSourceOverBlendFilter; Porter and Duff, Compositing Digital Images",
          .notes = "straight colours. The same as normal_blend; with alpha_mode=gpuimage it is "
                   "source_over_mix, which mixes alphas like colours");

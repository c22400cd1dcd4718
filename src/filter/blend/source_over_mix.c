// The second image over the first as GPUImage does it: alpha is mixed like a colour.
#include "filter/kernel.h"
#include "kernel/composite_math.h"

#define PARAMETERS(X)                                                                              \
    LG_OPACITY_PARAMETER(X)                                                                        \
    LG_FIT_PARAMETER(X)

LG_PARAMETERS(source_over_mix)

LG_KERNEL(
    source_over_mix,
    LG_FUNCTION color source_over_mix_kernel(color b, color o, place at, source_over_mix_params p) {
        LG_FLOAT t = o.a * p.opacity;
        LG_COLOR mixed = lg_gpuimage_mix(b, o, lg_mix(b.a, t, t), t);
        LG_COLOR y = b;
        y.r = t > 0.0f ? mixed.r : b.r;
        y.g = t > 0.0f ? mixed.g : b.g;
        y.b = t > 0.0f ? mixed.b : b.b;
        y.a = t > 0.0f ? mixed.a : b.a;
        return y;
    })

LG_BLEND(source_over_mix)

// t = 1/2: (b + o) / 2, and alpha (ab + 1/2) / 2. t = 1/4: 3/4 b + o / 4, and 3/4 ab + 1/16.
LG_EXAMPLES(source_over_mix,
            {"", .in = {1, 0.5f, 0, 1}, .over = {0, 0.25f, 1, 1}, .out = {0, 0.25f, 1, 1}},
            {"", .in = {1, 0.5f, 0, 1}, .over = {0, 0.25f, 1, 0.5f},
             .out = {0.5f, 0.375f, 0.5f, 0.75f}},
            {"opacity=0.5", .in = {1, 0.5f, 0, 0.5f}, .over = {0, 0.25f, 1, 0.5f},
             .out = {0.75f, 0.4375f, 0.25f, 0.4375f}},
            {"", .in = {1, 0.5f, 0, 0.5f}, .over = {0, 0.25f, 1, 0}, .out = {1, 0.5f, 0, 0.5f}})

LG_FILTER(source_over_mix, BLEND, 2, .flags = LG_FILTER_TAKES_COLOR | LG_FILTER_TAKES_ALPHA,
          .summary = "the second image over the first, alpha mixed like a colour",
          .formula = "C' = b (1 - ao) + o ao for all four components; ao is the second image's "
                     "alpha times opacity",
          .source = "GPUImageSourceOverBlendFilter",
          .notes = "source_over_blend with alpha_mode=gpuimage. An opaque image becomes "
                   "transparent under a half transparent one; source_over_blend does it right");

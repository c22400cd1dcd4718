// Exclusion.
#include "filter/kernel.h"
#include "kernel/composite_math.h"

#define PARAMETERS(X)                                                                              \
    LG_OPACITY_PARAMETER(X)                                                                        \
    LG_ALPHA_MODE_PARAMETER(X)                                                                     \
    LG_FIT_PARAMETER(X)

LG_PARAMETERS(exclusion_blend)

LG_KERNEL(
    exclusion_blend,
    LG_FUNCTION float exclusion_blend_of(float b, float o) {
        LG_FLOAT y = (b + o) - (2.0f * b) * o;
        return y;
    } LG_FUNCTION color exclusion_blend_kernel(color b, color o, place at,
                                               exclusion_blend_params p) {
        LG_COLOR blended = rgba(exclusion_blend_of(b.r, o.r), exclusion_blend_of(b.g, o.g),
                                exclusion_blend_of(b.b, o.b), 1.0f);
        if (p.alpha_mode > 0.0f)
            return lg_gpuimage_within(b, o, blended, p.opacity);
        return lg_composite(b, o, blended, p.opacity);
    })

LG_BLEND(exclusion_blend)

// Two half transparent colours: (b + o + B) / 3 with alpha 3/4.
LG_EXAMPLES(exclusion_blend,
            {"", .in = {0.5f, 1, 0.25f, 1}, .over = {0.25f, 0.75f, 0.25f, 1},
             .out = {0.5f, 0.25f, 0.375f, 1}},
            {"opacity=0.5", .in = {0.5f, 1, 0.25f, 1}, .over = {0.25f, 0.75f, 0.25f, 1},
             .out = {0.5f, 0.625f, 0.3125f, 1}},
            {"", .in = {0.5f, 1, 0.25f, 0.5f}, .over = {0.25f, 0.75f, 0.25f, 0.5f},
             .out = {0.41666667f, 0.66666667f, 0.29166667f, 0.75f}},
            {"alpha_mode=gpuimage", .in = {0.5f, 1, 0.25f, 0.5f},
             .over = {0.25f, 0.75f, 0.25f, 0.5f}, .out = {0.625f, 1, 0.4375f, 0.5f}})

LG_FILTER(exclusion_blend, BLEND, 2, .flags = LG_FILTER_TAKES_COLOR,
          .summary = "a difference with less contrast",
          .formula = "B = b + o - 2 b o; composited as W3C Compositing and Blending says, with "
                     "alpha o times opacity",
          .source = "GPUImageExclusionBlendFilter",
          .notes = "alpha_mode=gpuimage: the first image's alpha, also for the division");

// Subtract.
#include "filter/kernel.h"
#include "kernel/composite_math.h"

#define PARAMETERS(X)                                                                              \
    LG_OPACITY_PARAMETER(X)                                                                        \
    LG_ALPHA_MODE_PARAMETER(X)                                                                     \
    LG_FIT_PARAMETER(X)

LG_PARAMETERS(subtract_blend)

LG_KERNEL(
    subtract_blend,
    LG_FUNCTION float subtract_blend_of(float b, float o) {
        LG_FLOAT y = fmaxf(0.0f, b - o);
        return y;
    } LG_FUNCTION color subtract_blend_kernel(color b, color o, place at, subtract_blend_params p) {
        LG_COLOR blended = rgba(subtract_blend_of(b.r, o.r), subtract_blend_of(b.g, o.g),
                                subtract_blend_of(b.b, o.b), 1.0f);
        if (p.alpha_mode > 0.0f)
            return lg_gpuimage_mix(b, blended, b.a, p.opacity);
        return lg_composite(b, o, blended, p.opacity);
    })

LG_BLEND(subtract_blend)

// Two half transparent colours: (b + o + B) / 3 with alpha 3/4.
LG_EXAMPLES(subtract_blend,
            {"", .in = {0.5f, 0.25f, 1, 1}, .over = {0.25f, 0.75f, 0.5f, 1},
             .out = {0.25f, 0, 0.5f, 1}},
            {"opacity=0.5", .in = {0.5f, 0.25f, 1, 1}, .over = {0.25f, 0.75f, 0.5f, 1},
             .out = {0.375f, 0.125f, 0.75f, 1}},
            {"", .in = {0.5f, 0.25f, 1, 0.5f}, .over = {0.25f, 0.75f, 0.5f, 0.5f},
             .out = {0.33333333f, 0.33333333f, 0.66666667f, 0.75f}},
            {"alpha_mode=gpuimage", .in = {0.5f, 0.25f, 1, 0.5f},
             .over = {0.25f, 0.75f, 0.5f, 0.5f}, .out = {0.25f, 0, 0.5f, 0.5f}})

LG_FILTER(subtract_blend, BLEND, 2, .flags = LG_FILTER_TAKES_COLOR,
          .summary = "the first less the second",
          .formula = "B = max(0, b - o); composited as W3C Compositing and Blending says, with "
                     "alpha o times opacity",
          .source = "GPUImageSubtractBlendFilter",
          .notes = "alpha_mode=gpuimage: c' = b + (B - b) opacity, and the first image's alpha");

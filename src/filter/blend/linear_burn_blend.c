// Linear burn.
#include "filter/kernel.h"
#include "kernel/composite_math.h"

#define PARAMETERS(X)                                                                              \
    LG_OPACITY_PARAMETER(X)                                                                        \
    LG_ALPHA_MODE_PARAMETER(X)                                                                     \
    LG_FIT_PARAMETER(X)

LG_PARAMETERS(linear_burn_blend)

LG_KERNEL(
    linear_burn_blend,
    LG_FUNCTION float linear_burn_blend_of(float b, float o) {
        LG_FLOAT y = fmaxf(0.0f, (b + o) - 1.0f);
        return y;
    } LG_FUNCTION color linear_burn_blend_kernel(color b, color o, place at,
                                                 linear_burn_blend_params p) {
        LG_COLOR blended = rgba(linear_burn_blend_of(b.r, o.r), linear_burn_blend_of(b.g, o.g),
                                linear_burn_blend_of(b.b, o.b), 1.0f);
        if (p.alpha_mode > 0.0f)
            return lg_gpuimage_mix(b, blended, b.a, p.opacity);
        return lg_composite(b, o, blended, p.opacity);
    })

LG_BLEND(linear_burn_blend)

// Two half transparent colours: (b + o + B) / 3 with alpha 3/4.
LG_EXAMPLES(linear_burn_blend,
            {"", .in = {0.75f, 0.25f, 1, 1}, .over = {0.5f, 0.5f, 0.75f, 1},
             .out = {0.25f, 0, 0.75f, 1}},
            {"opacity=0.5", .in = {0.75f, 0.25f, 1, 1}, .over = {0.5f, 0.5f, 0.75f, 1},
             .out = {0.5f, 0.125f, 0.875f, 1}},
            {"", .in = {0.75f, 0.25f, 1, 0.5f}, .over = {0.5f, 0.5f, 0.75f, 0.5f},
             .out = {0.5f, 0.25f, 0.83333333f, 0.75f}},
            {"alpha_mode=gpuimage", .in = {0.75f, 0.25f, 1, 0.5f},
             .over = {0.5f, 0.5f, 0.75f, 0.5f}, .out = {0.25f, 0, 0.75f, 0.5f}})

LG_FILTER(linear_burn_blend, BLEND, 2, .flags = LG_FILTER_TAKES_COLOR, .summary = "the sum less 1",
          .formula = "B = max(0, b + o - 1); composited as W3C Compositing and Blending says, with "
                     "alpha o times opacity",
          .source = "GPUImageLinearBurnBlendFilter",
          .notes = "alpha_mode=gpuimage: c' = b + (B - b) opacity, and the first image's alpha");

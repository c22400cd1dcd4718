// Hard light: overlay with the images changed over.
#include "filter/kernel.h"
#include "kernel/composite_math.h"

#define PARAMETERS(X)                                                                              \
    LG_OPACITY_PARAMETER(X)                                                                        \
    LG_ALPHA_MODE_PARAMETER(X)                                                                     \
    LG_FIT_PARAMETER(X)

LG_PARAMETERS(hard_light_blend)

LG_KERNEL(
    hard_light_blend,
    LG_FUNCTION float hard_light_blend_of(float b, float o) {
        return lg_hard_light(o, b, o);
    } LG_FUNCTION color hard_light_blend_kernel(color b, color o, place at,
                                                hard_light_blend_params p) {
        LG_COLOR blended = rgba(hard_light_blend_of(b.r, o.r), hard_light_blend_of(b.g, o.g),
                                hard_light_blend_of(b.b, o.b), 1.0f);
        if (p.alpha_mode > 0.0f)
            return lg_gpuimage_opaque(b, o, blended, p.opacity);
        return lg_composite(b, o, blended, p.opacity);
    })

LG_BLEND(hard_light_blend)

// Two half transparent colours: (b + o + B) / 3 with alpha 3/4.
LG_EXAMPLES(hard_light_blend,
            {"", .in = {0.5f, 0.5f, 0.25f, 1}, .over = {0.25f, 0.75f, 0.5f, 1},
             .out = {0.25f, 0.75f, 0.25f, 1}},
            {"opacity=0.5", .in = {0.5f, 0.5f, 0.25f, 1}, .over = {0.25f, 0.75f, 0.5f, 1},
             .out = {0.375f, 0.625f, 0.25f, 1}},
            {"", .in = {0.5f, 0.5f, 0.25f, 0.5f}, .over = {0.25f, 0.75f, 0.5f, 0.5f},
             .out = {0.33333333f, 0.66666667f, 0.33333333f, 0.75f}},
            {"alpha_mode=gpuimage", .in = {0.5f, 0.5f, 0.25f, 0.5f},
             .over = {0.25f, 0.75f, 0.5f, 0.5f}, .out = {0.25f, 0.5f, 0.25f, 1}})

LG_FILTER(
    hard_light_blend, BLEND, 2, .flags = LG_FILTER_TAKES_COLOR,
    .summary = "more contrast, by the second image",
    .formula = "B = 2 b o where o < 1/2, else 1 - 2 (1 - b)(1 - o); composited as W3C "
               "Compositing and Blending says, with alpha o times opacity",
    .source = "GPUImageHardLightBlendFilter",
    .notes = "alpha_mode=gpuimage: the sum of W3C before it is divided by alpha, and alpha 1");

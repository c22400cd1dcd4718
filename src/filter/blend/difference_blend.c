// Difference.
#include "filter/kernel.h"
#include "kernel/composite_math.h"

#define PARAMETERS(X)                                                                              \
    LG_OPACITY_PARAMETER(X)                                                                        \
    LG_ALPHA_MODE_PARAMETER(X)                                                                     \
    LG_FIT_PARAMETER(X)

LG_PARAMETERS(difference_blend)

LG_KERNEL(
    difference_blend,
    LG_FUNCTION float difference_blend_of(float b, float o) {
        LG_FLOAT y = fabsf(b - o);
        return y;
    } LG_FUNCTION color difference_blend_kernel(color b, color o, place at,
                                                difference_blend_params p) {
        LG_COLOR blended = rgba(difference_blend_of(b.r, o.r), difference_blend_of(b.g, o.g),
                                difference_blend_of(b.b, o.b), 1.0f);
        if (p.alpha_mode > 0.0f)
            return lg_gpuimage_mix(b, blended, b.a, p.opacity);
        return lg_composite(b, o, blended, p.opacity);
    })

LG_BLEND(difference_blend)

// Two half transparent colours: (b + o + B) / 3 with alpha 3/4.
LG_EXAMPLES(difference_blend,
            {"", .in = {0.25f, 1, 0.5f, 1}, .over = {0.75f, 0.25f, 0.5f, 1},
             .out = {0.5f, 0.75f, 0, 1}},
            {"opacity=0.5", .in = {0.25f, 1, 0.5f, 1}, .over = {0.75f, 0.25f, 0.5f, 1},
             .out = {0.375f, 0.875f, 0.25f, 1}},
            {"", .in = {0.25f, 1, 0.5f, 0.5f}, .over = {0.75f, 0.25f, 0.5f, 0.5f},
             .out = {0.5f, 0.66666667f, 0.33333333f, 0.75f}},
            {"alpha_mode=gpuimage", .in = {0.25f, 1, 0.5f, 0.5f},
             .over = {0.75f, 0.25f, 0.5f, 0.5f}, .out = {0.5f, 0.75f, 0, 0.5f}})

LG_FILTER(
    difference_blend, BLEND, 2, .flags = LG_FILTER_TAKES_COLOR, .summary = "the distance of both",
    .formula =
        "B = |b - o|; composited as W3C Compositing and Blending says, with alpha o times opacity",
    .source = "GPUImageDifferenceBlendFilter",
    .notes = "alpha_mode=gpuimage: c' = b + (B - b) opacity, and the first image's alpha");

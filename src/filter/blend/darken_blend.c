// Darken.
#include "filter/kernel.h"
#include "kernel/composite_math.h"

#define PARAMETERS(X)                                                                              \
    LG_OPACITY_PARAMETER(X)                                                                        \
    LG_ALPHA_MODE_PARAMETER(X)                                                                     \
    LG_FIT_PARAMETER(X)

LG_PARAMETERS(darken_blend)

LG_KERNEL(
    darken_blend,
    LG_FUNCTION float darken_blend_of(float b, float o) {
        LG_FLOAT y = fminf(b, o);
        return y;
    } LG_FUNCTION color darken_blend_kernel(color b, color o, place at, darken_blend_params p) {
        LG_COLOR blended = rgba(darken_blend_of(b.r, o.r), darken_blend_of(b.g, o.g),
                                darken_blend_of(b.b, o.b), 1.0f);
        if (p.alpha_mode > 0.0f)
            return lg_gpuimage_opaque(b, o, blended, p.opacity);
        return lg_composite(b, o, blended, p.opacity);
    })

LG_BLEND(darken_blend)

// Two half transparent colours: (b + o + B) / 3 with alpha 3/4.
LG_EXAMPLES(darken_blend,
            {"", .in = {0.25f, 0.75f, 1, 1}, .over = {0.5f, 0.5f, 0, 1},
             .out = {0.25f, 0.5f, 0, 1}},
            {"opacity=0.5", .in = {0.25f, 0.75f, 1, 1}, .over = {0.5f, 0.5f, 0, 1},
             .out = {0.25f, 0.625f, 0.5f, 1}},
            {"", .in = {0.25f, 0.75f, 1, 0.5f}, .over = {0.5f, 0.5f, 0, 0.5f},
             .out = {0.33333333f, 0.58333333f, 0.33333333f, 0.75f}},
            {"alpha_mode=gpuimage", .in = {0.25f, 0.75f, 1, 0.5f}, .over = {0.5f, 0.5f, 0, 0.5f},
             .out = {0.25f, 0.4375f, 0.25f, 1}})

LG_FILTER(
    darken_blend, BLEND, 2, .flags = LG_FILTER_TAKES_COLOR,
    .summary = "the darker of both per channel",
    .formula = "B = min(b, o); composited as W3C Compositing and Blending says, with alpha o "
               "times opacity",
    .source = "GPUImageDarkenBlendFilter",
    .notes = "alpha_mode=gpuimage: the sum of W3C before it is divided by alpha, and alpha 1");

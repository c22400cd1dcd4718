// Colour dodge.
#include "filter/kernel.h"
#include "kernel/composite_math.h"

#define PARAMETERS(X)                                                                              \
    LG_OPACITY_PARAMETER(X)                                                                        \
    LG_ALPHA_MODE_PARAMETER(X)                                                                     \
    LG_FIT_PARAMETER(X)

LG_PARAMETERS(color_dodge_blend)

LG_KERNEL(
    color_dodge_blend,
    LG_FUNCTION float color_dodge_blend_of(float b, float o) {
        LG_FLOAT rest = 1.0f - o;
        LG_FLOAT ratio = lg_div(b, rest > 0.0f ? rest : 1.0f);
        LG_FLOAT y = rest > 0.0f ? fminf(1.0f, ratio) : 1.0f;
        return b > 0.0f ? y : 0.0f;
    } LG_FUNCTION color color_dodge_blend_kernel(color b, color o, place at,
                                                 color_dodge_blend_params p) {
        LG_COLOR blended = rgba(color_dodge_blend_of(b.r, o.r), color_dodge_blend_of(b.g, o.g),
                                color_dodge_blend_of(b.b, o.b), 1.0f);
        if (p.alpha_mode > 0.0f)
            return lg_gpuimage_opaque(b, o, blended, p.opacity);
        return lg_composite(b, o, blended, p.opacity);
    })

LG_BLEND(color_dodge_blend)

// Two half transparent colours: (b + o + B) / 3 with alpha 3/4.
LG_EXAMPLES(color_dodge_blend,
            {"", .in = {0.25f, 0.75f, 0, 1}, .over = {0.5f, 0.5f, 1, 1}, .out = {0.5f, 1, 0, 1}},
            {"opacity=0.5", .in = {0.25f, 0.75f, 0, 1}, .over = {0.5f, 0.5f, 1, 1},
             .out = {0.375f, 0.875f, 0.0f, 1}},
            {"", .in = {0.25f, 0.75f, 0, 0.5f}, .over = {0.5f, 0.5f, 1, 0.5f},
             .out = {0.41666667f, 0.75f, 0.33333333f, 0.75f}},
            {"alpha_mode=gpuimage", .in = {0.25f, 0.75f, 0, 0.5f}, .over = {0.5f, 0.5f, 1, 0.5f},
             .out = {0.3125f, 0.5625f, 0.25f, 1}})

LG_FILTER(color_dodge_blend, BLEND, 2, .flags = LG_FILTER_TAKES_COLOR,
          .summary = "lightens the first image by the second",
          .formula = "B = min(1, b / (1 - o)); 0 where b = 0, else 1 where o = 1; composited as "
                     "W3C Compositing and Blending says, with alpha o times opacity",
          .source = "GPUImageColorDodgeBlendFilter",
          .notes = "alpha_mode=gpuimage: the sum of W3C before it is divided by alpha, and alpha "
                   "1. GPUImage holds o below 0.99");

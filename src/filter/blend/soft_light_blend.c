// Soft light, without a corner.
#include "filter/kernel.h"
#include "kernel/composite_math.h"

#define PARAMETERS(X)                                                                              \
    LG_OPACITY_PARAMETER(X)                                                                        \
    LG_FIT_PARAMETER(X)

LG_PARAMETERS(soft_light_blend)

LG_KERNEL(
    soft_light_blend,
    LG_FUNCTION float soft_light_blend_of(float b, float o) {
        LG_FLOAT y = b * b + ((2.0f * o) * b) * (1.0f - b);
        return y;
    } LG_FUNCTION color soft_light_blend_kernel(color b, color o, place at,
                                                soft_light_blend_params p) {
        LG_COLOR blended = rgba(soft_light_blend_of(b.r, o.r), soft_light_blend_of(b.g, o.g),
                                soft_light_blend_of(b.b, o.b), 1.0f);
        return lg_composite(b, o, blended, p.opacity);
    })

LG_BLEND(soft_light_blend)

// Two half transparent colours: (b + o + B) / 3 with alpha 3/4.
LG_EXAMPLES(soft_light_blend,
            {"", .in = {0.5f, 0.5f, 0.25f, 1}, .over = {0.25f, 0.75f, 0.5f, 1},
             .out = {0.375f, 0.625f, 0.25f, 1}},
            {"opacity=0.5", .in = {0.5f, 0.5f, 0.25f, 1}, .over = {0.25f, 0.75f, 0.5f, 1},
             .out = {0.4375f, 0.5625f, 0.25f, 1}},
            {"", .in = {0.5f, 0.5f, 0.25f, 0.5f}, .over = {0.25f, 0.75f, 0.5f, 0.5f},
             .out = {0.375f, 0.625f, 0.33333333f, 0.75f}})

LG_FILTER(soft_light_blend, BLEND, 2, .flags = LG_FILTER_TAKES_COLOR,
          .summary = "a gentle change of contrast by the second image",
          .formula = "B = b^2 + 2 o b (1 - b); composited as W3C Compositing and Blending says, "
                     "with alpha o times opacity",
          .source = "GPUImageSoftLightBlendFilter",
          .notes = "the form called pegtop, which is neither W3C's nor Photoshop's");

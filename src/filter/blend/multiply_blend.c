// Multiply.
#include "filter/kernel.h"
#include "kernel/composite_math.h"

#define PARAMETERS(X)                                                                              \
    LG_OPACITY_PARAMETER(X)                                                                        \
    LG_FIT_PARAMETER(X)

LG_PARAMETERS(multiply_blend)

LG_KERNEL(
    multiply_blend,
    LG_FUNCTION float multiply_blend_of(float b, float o) {
        LG_FLOAT y = b * o;
        return y;
    } LG_FUNCTION color multiply_blend_kernel(color b, color o, place at, multiply_blend_params p) {
        LG_COLOR blended = rgba(multiply_blend_of(b.r, o.r), multiply_blend_of(b.g, o.g),
                                multiply_blend_of(b.b, o.b), 1.0f);
        return lg_composite(b, o, blended, p.opacity);
    })

LG_BLEND(multiply_blend)

// Two half transparent colours: (b + o + B) / 3 with alpha 3/4.
LG_EXAMPLES(multiply_blend,
            {"", .in = {0.5f, 1, 0.25f, 1}, .over = {0.25f, 0.75f, 0, 1},
             .out = {0.125f, 0.75f, 0, 1}},
            {"opacity=0.5", .in = {0.5f, 1, 0.25f, 1}, .over = {0.25f, 0.75f, 0, 1},
             .out = {0.3125f, 0.875f, 0.125f, 1}},
            {"", .in = {0.5f, 1, 0.25f, 0.5f}, .over = {0.25f, 0.75f, 0, 0.5f},
             .out = {0.29166667f, 0.83333333f, 0.08333333f, 0.75f}})

LG_FILTER(
    multiply_blend, BLEND, 2, .flags = LG_FILTER_TAKES_COLOR, .summary = "the product; darkens",
    .formula =
        "B = b o; composited as W3C Compositing and Blending says, with alpha o times opacity",
    .source = "GPUImageMultiplyBlendFilter");

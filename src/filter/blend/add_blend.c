// Add: light on light.
#include "filter/kernel.h"
#include "kernel/composite_math.h"

#define PARAMETERS(X)                                                                              \
    LG_OPACITY_PARAMETER(X)                                                                        \
    LG_FIT_PARAMETER(X)

LG_PARAMETERS(add_blend)

LG_KERNEL(
    add_blend,
    LG_FUNCTION float add_blend_of(float b, float o) {
        LG_FLOAT y = fminf(1.0f, b + o);
        return y;
    } LG_FUNCTION color add_blend_kernel(color b, color o, place at, add_blend_params p) {
        LG_COLOR blended =
            rgba(add_blend_of(b.r, o.r), add_blend_of(b.g, o.g), add_blend_of(b.b, o.b), 1.0f);
        return lg_composite(b, o, blended, p.opacity);
    })

LG_BLEND(add_blend)

// Two half transparent colours: (b + o + B) / 3 with alpha 3/4.
LG_EXAMPLES(add_blend,
            {"", .in = {0.5f, 0.75f, 0.25f, 1}, .over = {0.25f, 0.5f, 0, 1},
             .out = {0.75f, 1, 0.25f, 1}},
            {"opacity=0.5", .in = {0.5f, 0.75f, 0.25f, 1}, .over = {0.25f, 0.5f, 0, 1},
             .out = {0.625f, 0.875f, 0.25f, 1}},
            {"", .in = {0.5f, 0.75f, 0.25f, 0.5f}, .over = {0.25f, 0.5f, 0, 0.5f},
             .out = {0.5f, 0.75f, 0.16666667f, 0.75f}})

LG_FILTER(add_blend, BLEND, 2, .flags = LG_FILTER_TAKES_COLOR, .summary = "the sum",
          .formula = "B = min(1, b + o); composited as W3C Compositing and Blending says, with "
                     "alpha o times opacity",
          .source = "GPUImageAddBlendFilter");

// Divide.
#include "filter/kernel.h"
#include "kernel/composite_math.h"

#define PARAMETERS(X)                                                                              \
    LG_OPACITY_PARAMETER(X)                                                                        \
    LG_FIT_PARAMETER(X)

LG_PARAMETERS(divide_blend)

LG_KERNEL(
    divide_blend,
    LG_FUNCTION float divide_blend_of(float b, float o) {
        LG_FLOAT ratio = lg_div(b, o > 0.0f ? o : 1.0f);
        LG_FLOAT y = o > 0.0f ? ratio : 0.0f;
        return b > o ? 1.0f : y;
    } LG_FUNCTION color divide_blend_kernel(color b, color o, place at, divide_blend_params p) {
        LG_COLOR blended = rgba(divide_blend_of(b.r, o.r), divide_blend_of(b.g, o.g),
                                divide_blend_of(b.b, o.b), 1.0f);
        return lg_composite(b, o, blended, p.opacity);
    })

LG_BLEND(divide_blend)

// Two half transparent colours: (b + o + B) / 3 with alpha 3/4.
LG_EXAMPLES(divide_blend,
            {"", .in = {0.25f, 0.5f, 0, 1}, .over = {0.5f, 0.25f, 0, 1}, .out = {0.5f, 1, 0, 1}},
            {"opacity=0.5", .in = {0.25f, 0.5f, 0, 1}, .over = {0.5f, 0.25f, 0, 1},
             .out = {0.375f, 0.75f, 0.0f, 1}},
            {"", .in = {0.25f, 0.5f, 0, 0.5f}, .over = {0.5f, 0.25f, 0, 0.5f},
             .out = {0.41666667f, 0.58333333f, 0.0f, 0.75f}})

LG_FILTER(divide_blend, BLEND, 2, .flags = LG_FILTER_TAKES_COLOR,
          .summary = "the first divided by the second",
          .formula = "B = 1 where b > o, else b / o; 0 where both are 0; composited as W3C "
                     "Compositing and Blending says, with alpha o times opacity",
          .source = "GPUImageDivideBlendFilter",
          .notes = "GPUImage divides by 0 where the second image is 0");

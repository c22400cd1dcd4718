// Colour burn.
#include "filter/kernel.h"
#include "kernel/composite_math.h"

#define PARAMETERS(X)                                                                              \
    LG_OPACITY_PARAMETER(X)                                                                        \
    LG_ALPHA_MODE_PARAMETER(X)                                                                     \
    LG_FIT_PARAMETER(X)

LG_PARAMETERS(color_burn_blend)

LG_KERNEL(
    color_burn_blend,
    LG_FUNCTION float color_burn_blend_of(float b, float o) {
        LG_FLOAT ratio = lg_div(1.0f - b, o > 0.0f ? o : 1.0f);
        LG_FLOAT y = o > 0.0f ? 1.0f - fminf(1.0f, ratio) : 0.0f;
        return b >= 1.0f ? 1.0f : y;
    } LG_FUNCTION color color_burn_blend_kernel(color b, color o, place at,
                                                color_burn_blend_params p) {
        LG_COLOR blended = rgba(color_burn_blend_of(b.r, o.r), color_burn_blend_of(b.g, o.g),
                                color_burn_blend_of(b.b, o.b), 1.0f);
        if (p.alpha_mode > 0.0f)
            return lg_gpuimage_mix(
                b, blended, lg_mix(b.a, color_burn_blend_of(b.a, o.a), p.opacity), p.opacity);
        return lg_composite(b, o, blended, p.opacity);
    })

LG_BLEND(color_burn_blend)

// Two half transparent colours: (b + o + B) / 3 with alpha 3/4.
LG_EXAMPLES(color_burn_blend,
            {"", .in = {0.75f, 0.25f, 0.5f, 1}, .over = {0.5f, 0.5f, 0, 1}, .out = {0.5f, 0, 0, 1}},
            {"opacity=0.5", .in = {0.75f, 0.25f, 0.5f, 1}, .over = {0.5f, 0.5f, 0, 1},
             .out = {0.625f, 0.125f, 0.25f, 1}},
            {"", .in = {0.75f, 0.25f, 0.5f, 0.5f}, .over = {0.5f, 0.5f, 0, 0.5f},
             .out = {0.58333333f, 0.25f, 0.16666667f, 0.75f}},
            {"alpha_mode=gpuimage", .in = {0.75f, 0.25f, 0.5f, 0.5f}, .over = {0.5f, 0.5f, 0, 0.5f},
             .out = {0.5f, 0, 0, 0}})

LG_FILTER(color_burn_blend, BLEND, 2, .flags = LG_FILTER_TAKES_COLOR,
          .summary = "darkens the first image by the second",
          .formula = "B = 1 - min(1, (1 - b) / o); o = 0: 1 where b >= 1, else 0; composited as "
                     "W3C Compositing and Blending says, with alpha o times opacity",
          .source = "GPUImageColorBurnBlendFilter",
          .notes = "alpha_mode=gpuimage: c' = b + (B - b) opacity, and alpha as a colour. GPUImage "
                   "divides by 0 where the second image is black");

// Hue and saturation of the second image, luminosity of the first.
#include "filter/kernel.h"
#include "kernel/composite_math.h"

#define PARAMETERS(X)                                                                              \
    LG_OPACITY_PARAMETER(X)                                                                        \
    LG_ALPHA_MODE_PARAMETER(X)                                                                     \
    LG_FIT_PARAMETER(X)

LG_PARAMETERS(color_blend)

LG_KERNEL(
    color_blend,
    LG_FUNCTION color color_blend_kernel(color b, color o, place at, color_blend_params p) {
        LG_COLOR blended = lg_set_lum(o, lg_lum(b));
        if (p.alpha_mode > 0.0f)
            return lg_gpuimage_mix(b, blended, b.a, o.a * p.opacity);
        return lg_composite(b, o, blended, p.opacity);
    })

LG_BLEND(color_blend)

// Red on grey 0.5: red has luminosity 0.3, shifted (1.2, 0.2, 0.2); 0.5 / 0.7 of the distance from 0.5 is
// left. Blue on grey 0.1: (-0.01, -0.01, 0.99), of which 0.1 / 0.11 is left.
LG_EXAMPLES(color_blend,
            {"", .in = {0.5f, 0.5f, 0.5f, 1}, .over = {1, 0, 0, 1},
             .out = {1, 0.28571429f, 0.28571429f, 1}},
            {"alpha_mode=gpuimage", .in = {0.5f, 0.5f, 0.5f, 0.5f}, .over = {1, 0, 0, 0.5f},
             .out = {0.75f, 0.39285715f, 0.39285715f, 0.5f}},
            {"", .in = {0.1f, 0.1f, 0.1f, 1}, .over = {0, 0, 1, 1}, .out = {0, 0, 0.90909091f, 1}},
            {"opacity=0.5", .in = {0.25f, 0.5f, 0.25f, 1}, .over = {0.5f, 0.5f, 0.5f, 1},
             .out = {0.32375f, 0.44875f, 0.32375f, 1}})

LG_FILTER(color_blend, BLEND, 2, .flags = LG_FILTER_TAKES_COLOR,
          .summary = "hue and saturation of the second image, luminosity of the first",
          .formula =
              "B = SetLum(o, Lum(b)), Lum = .3 r + .59 g + .11 b, Sat = max - min; SetLum shifts "
              "all channels, then draws them towards the luminosity until they lie in 0..1; "
              "composited as W3C Compositing and Blending says, with alpha o times opacity",
          .source = "GPUImageColorBlendFilter; PDF, W3C Compositing and Blending",
          .notes = "alpha_mode=gpuimage: c' = b + (B - b) ao, and the first image's alpha");

// Luminosity of the second image, hue and saturation of the first.
#include "filter/kernel.h"
#include "kernel/composite_math.h"

#define PARAMETERS(X)                                                                              \
    LG_OPACITY_PARAMETER(X)                                                                        \
    LG_ALPHA_MODE_PARAMETER(X)                                                                     \
    LG_FIT_PARAMETER(X)

LG_PARAMETERS(luminosity_blend)

LG_KERNEL(
    luminosity_blend, LG_FUNCTION color luminosity_blend_kernel(color b, color o, place at,
                                                                luminosity_blend_params p) {
        LG_COLOR blended = lg_set_lum(b, lg_lum(o));
        if (p.alpha_mode > 0.0f)
            return lg_gpuimage_mix(b, blended, b.a, o.a * p.opacity);
        return lg_composite(b, o, blended, p.opacity);
    })

LG_BLEND(luminosity_blend)

// Lum(b) = 0.325, shifted by 0.175. White leaves no room for a colour. Two half transparent colours: (b + o
// + B) / 3.
LG_EXAMPLES(luminosity_blend,
            {"", .in = {0.5f, 0.25f, 0.25f, 1}, .over = {0.5f, 0.5f, 0.5f, 1},
             .out = {0.675f, 0.425f, 0.425f, 1}},
            {"", .in = {1, 0, 0, 1}, .over = {1, 1, 1, 1}, .out = {1, 1, 1, 1}},
            {"", .in = {0.5f, 0.25f, 0.25f, 0.5f}, .over = {0.5f, 0.5f, 0.5f, 0.5f},
             .out = {0.55833333f, 0.39166667f, 0.39166667f, 0.75f}},
            {"alpha_mode=gpuimage", .in = {0.5f, 0.25f, 0.25f, 0.5f},
             .over = {0.5f, 0.5f, 0.5f, 0.5f}, .out = {0.5875f, 0.3375f, 0.3375f, 0.5f}})

LG_FILTER(luminosity_blend, BLEND, 2, .flags = LG_FILTER_TAKES_COLOR,
          .summary = "luminosity of the second image, hue and saturation of the first",
          .formula =
              "B = SetLum(b, Lum(o)), Lum = .3 r + .59 g + .11 b, Sat = max - min; SetLum shifts "
              "all channels, then draws them towards the luminosity until they lie in 0..1; "
              "composited as W3C Compositing and Blending says, with alpha o times opacity",
          .source = "GPUImageLuminosityBlendFilter; PDF, W3C Compositing and Blending",
          .notes = "alpha_mode=gpuimage: c' = b + (B - b) ao, and the first image's alpha");

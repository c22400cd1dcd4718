// Saturation of the second image, hue and luminosity of the first.
#include "filter/kernel.h"
#include "kernel/composite_math.h"

#define PARAMETERS(X)                                                                              \
    LG_OPACITY_PARAMETER(X)                                                                        \
    LG_ALPHA_MODE_PARAMETER(X)                                                                     \
    LG_FIT_PARAMETER(X)

LG_PARAMETERS(saturation_blend)

LG_KERNEL(
    saturation_blend, LG_FUNCTION color saturation_blend_kernel(color b, color o, place at,
                                                                saturation_blend_params p) {
        LG_COLOR blended = lg_set_lum(lg_set_sat(b, lg_sat(o)), lg_lum(b));
        if (p.alpha_mode > 0.0f)
            return lg_gpuimage_mix(b, blended, b.a, o.a * p.opacity);
        return lg_composite(b, o, blended, p.opacity);
    })

LG_BLEND(saturation_blend)

// Sat(o) = 0.2, Lum(b) = 0.4075; b becomes (0.2 / 3, 0, 0.2), luminosity 0.042, shifted by 0.3655.
LG_EXAMPLES(saturation_blend,
            {"", .in = {0.5f, 0.25f, 1, 1}, .over = {0.6f, 0.4f, 0.4f, 1},
             .out = {0.43216667f, 0.3655f, 0.5655f, 1}},
            {"alpha_mode=gpuimage", .in = {0.5f, 0.25f, 1, 0.5f}, .over = {0.6f, 0.4f, 0.4f, 0.5f},
             .out = {0.46608333f, 0.30775f, 0.78275f, 0.5f}},
            {"", .in = {0.5f, 0.25f, 1, 1}, .over = {0.75f, 0.75f, 0.75f, 1},
             .out = {0.4075f, 0.4075f, 0.4075f, 1}})

LG_FILTER(
    saturation_blend, BLEND, 2, .flags = LG_FILTER_TAKES_COLOR,
    .summary = "saturation of the second image, hue and luminosity of the first",
    .formula =
        "B = SetLum(SetSat(b, Sat(o)), Lum(b)), Lum = .3 r + .59 g + .11 b, Sat = max - min; "
        "SetLum shifts all channels, then draws them towards the luminosity until they lie in "
        "0..1; composited as W3C Compositing and Blending says, with alpha o times opacity",
    .source = "GPUImageSaturationBlendFilter; PDF, W3C Compositing and Blending",
    .notes = "alpha_mode=gpuimage: c' = b + (B - b) ao, and the first image's alpha. SetSat as PDF "
             "has it: GPUImage's goes wrong where blue is the greatest and green the least");

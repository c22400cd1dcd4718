// Hue of the second image, saturation and luminosity of the first.
#include "filter/kernel.h"
#include "kernel/composite_math.h"

#define PARAMETERS(X)                                                                              \
    LG_OPACITY_PARAMETER(X)                                                                        \
    LG_ALPHA_MODE_PARAMETER(X)                                                                     \
    LG_FIT_PARAMETER(X)

LG_PARAMETERS(hue_blend)

LG_KERNEL(
    hue_blend, LG_FUNCTION color hue_blend_kernel(color b, color o, place at, hue_blend_params p) {
        LG_COLOR blended = lg_set_lum(lg_set_sat(o, lg_sat(b)), lg_lum(b));
        if (p.alpha_mode > 0.0f)
            return lg_gpuimage_mix(b, blended, b.a, o.a * p.opacity);
        return lg_composite(b, o, blended, p.opacity);
    })

LG_BLEND(hue_blend)

// Sat(b) = 0.2, Lum(b) = 0.46; o with blue the greatest, red in the middle: (0.2 / 3, 0, 0.2), luminosity
// 0.042, shifted by 0.418. Greys have no hue to give a saturation to.
LG_EXAMPLES(hue_blend,
            {"", .in = {0.6f, 0.4f, 0.4f, 1}, .over = {0.5f, 0.25f, 1, 1},
             .out = {0.48466667f, 0.418f, 0.618f, 1}},
            {"alpha_mode=gpuimage", .in = {0.6f, 0.4f, 0.4f, 0.5f}, .over = {0.5f, 0.25f, 1, 0.5f},
             .out = {0.54233334f, 0.409f, 0.509f, 0.5f}},
            {"", .in = {0.5f, 0.5f, 0.5f, 1}, .over = {1, 0, 0, 1}, .out = {0.5f, 0.5f, 0.5f, 1}},
            {"", .in = {0.6f, 0.4f, 0.4f, 1}, .over = {0.25f, 0.25f, 0.25f, 1},
             .out = {0.46f, 0.46f, 0.46f, 1}})

LG_FILTER(
    hue_blend, BLEND, 2, .flags = LG_FILTER_TAKES_COLOR,
    .summary = "hue of the second image, saturation and luminosity of the first",
    .formula =
        "B = SetLum(SetSat(o, Sat(b)), Lum(b)), Lum = .3 r + .59 g + .11 b, Sat = max - min; "
        "SetLum shifts all channels, then draws them towards the luminosity until they lie in "
        "0..1; composited as W3C Compositing and Blending says, with alpha o times opacity",
    .source = "GPUImageHueBlendFilter; PDF, W3C Compositing and Blending",
    .notes = "alpha_mode=gpuimage: c' = b + (B - b) ao, and the first image's alpha. SetSat as PDF "
             "has it: GPUImage's goes wrong where blue is the greatest and green the least");

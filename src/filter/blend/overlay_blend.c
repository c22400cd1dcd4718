// Overlay: multiply where the base is dark, screen where it is light.
#include "filter/kernel.h"
#include "kernel/composite_math.h"

#define PARAMETERS(X)                                                                              \
    LG_OPACITY_PARAMETER(X)                                                                        \
    LG_ALPHA_MODE_PARAMETER(X)                                                                     \
    LG_FIT_PARAMETER(X)

LG_PARAMETERS(overlay_blend)

LG_KERNEL(
    overlay_blend,
    LG_FUNCTION float overlay_blend_of(float b, float o) {
        return lg_hard_light(b, b, o);
    } LG_FUNCTION color overlay_blend_kernel(color b, color o, place at, overlay_blend_params p) {
        LG_COLOR blended = rgba(overlay_blend_of(b.r, o.r), overlay_blend_of(b.g, o.g),
                                overlay_blend_of(b.b, o.b), 1.0f);
        if (p.alpha_mode > 0.0f)
            return lg_gpuimage_opaque(b, o, blended, p.opacity);
        return lg_composite(b, o, blended, p.opacity);
    })

LG_BLEND(overlay_blend)

// Two half transparent colours: (b + o + B) / 3 with alpha 3/4.
LG_EXAMPLES(overlay_blend,
            {"", .in = {0.25f, 0.75f, 0.5f, 1}, .over = {0.5f, 0.5f, 0.25f, 1},
             .out = {0.25f, 0.75f, 0.25f, 1}},
            {"opacity=0.5", .in = {0.25f, 0.75f, 0.5f, 1}, .over = {0.5f, 0.5f, 0.25f, 1},
             .out = {0.25f, 0.75f, 0.375f, 1}},
            {"", .in = {0.25f, 0.75f, 0.5f, 0.5f}, .over = {0.5f, 0.5f, 0.25f, 0.5f},
             .out = {0.33333333f, 0.66666667f, 0.33333333f, 0.75f}},
            {"alpha_mode=gpuimage", .in = {0.25f, 0.75f, 0.5f, 0.5f},
             .over = {0.5f, 0.5f, 0.25f, 0.5f}, .out = {0.25f, 0.5f, 0.25f, 1}})

LG_FILTER(
    overlay_blend, BLEND, 2, .flags = LG_FILTER_TAKES_COLOR,
    .summary = "more contrast, by the first image",
    .formula = "B = 2 b o where b < 1/2, else 1 - 2 (1 - b)(1 - o); composited as W3C "
               "Compositing and Blending says, with alpha o times opacity",
    .source = "GPUImageOverlayBlendFilter",
    .notes = "alpha_mode=gpuimage: the sum of W3C before it is divided by alpha, and alpha 1");

// Lighten.
#include "filter/kernel.h"
#include "kernel/composite_math.h"

#define PARAMETERS(X)                                                                              \
    LG_OPACITY_PARAMETER(X)                                                                        \
    LG_ALPHA_MODE_PARAMETER(X)                                                                     \
    LG_FIT_PARAMETER(X)

LG_PARAMETERS(lighten_blend)

LG_KERNEL(
    lighten_blend,
    LG_FUNCTION float lighten_blend_of(float b, float o) {
        LG_FLOAT y = fmaxf(b, o);
        return y;
    } LG_FUNCTION color lighten_blend_kernel(color b, color o, place at, lighten_blend_params p) {
        LG_COLOR blended = rgba(lighten_blend_of(b.r, o.r), lighten_blend_of(b.g, o.g),
                                lighten_blend_of(b.b, o.b), 1.0f);
        if (p.alpha_mode > 0.0f)
            return lg_gpuimage_mix(b, blended, lg_mix(b.a, fmaxf(b.a, o.a), p.opacity), p.opacity);
        return lg_composite(b, o, blended, p.opacity);
    })

LG_BLEND(lighten_blend)

// Two half transparent colours: (b + o + B) / 3 with alpha 3/4.
LG_EXAMPLES(lighten_blend,
            {"", .in = {0.25f, 0.75f, 1, 1}, .over = {0.5f, 0.5f, 0, 1},
             .out = {0.5f, 0.75f, 1, 1}},
            {"opacity=0.5", .in = {0.25f, 0.75f, 1, 1}, .over = {0.5f, 0.5f, 0, 1},
             .out = {0.375f, 0.75f, 1.0f, 1}},
            {"", .in = {0.25f, 0.75f, 1, 0.5f}, .over = {0.5f, 0.5f, 0, 0.5f},
             .out = {0.41666667f, 0.66666667f, 0.66666667f, 0.75f}},
            {"alpha_mode=gpuimage", .in = {0.25f, 0.75f, 1, 0.5f}, .over = {0.5f, 0.5f, 0, 0.5f},
             .out = {0.5f, 0.75f, 1, 0.5f}})

LG_FILTER(lighten_blend, BLEND, 2, .flags = LG_FILTER_TAKES_COLOR,
          .summary = "the lighter of both per channel",
          .formula = "B = max(b, o); composited as W3C Compositing and Blending says, with alpha o "
                     "times opacity",
          .source = "GPUImageLightenBlendFilter",
          .notes = "alpha_mode=gpuimage: c' = b + (B - b) opacity, and the larger alpha");

// Screen: multiply of negatives.
#include "filter/kernel.h"
#include "kernel/composite_math.h"

#define PARAMETERS(X)                                                                              \
    LG_OPACITY_PARAMETER(X)                                                                        \
    LG_ALPHA_MODE_PARAMETER(X)                                                                     \
    LG_FIT_PARAMETER(X)

LG_PARAMETERS(screen_blend)

LG_KERNEL(
    screen_blend,
    LG_FUNCTION float screen_blend_of(float b, float o) {
        LG_FLOAT y = 1.0f - (1.0f - b) * (1.0f - o);
        return y;
    } LG_FUNCTION color screen_blend_kernel(color b, color o, place at, screen_blend_params p) {
        LG_COLOR blended = rgba(screen_blend_of(b.r, o.r), screen_blend_of(b.g, o.g),
                                screen_blend_of(b.b, o.b), 1.0f);
        if (p.alpha_mode > 0.0f)
            return lg_gpuimage_mix(b, blended, lg_mix(b.a, screen_blend_of(b.a, o.a), p.opacity),
                                   p.opacity);
        return lg_composite(b, o, blended, p.opacity);
    })

LG_BLEND(screen_blend)

// Two half transparent colours: (b + o + B) / 3 with alpha 3/4.
LG_EXAMPLES(screen_blend,
            {"", .in = {0.5f, 0.25f, 0.75f, 1}, .over = {0.5f, 0, 0.75f, 1},
             .out = {0.75f, 0.25f, 0.9375f, 1}},
            {"opacity=0.5", .in = {0.5f, 0.25f, 0.75f, 1}, .over = {0.5f, 0, 0.75f, 1},
             .out = {0.625f, 0.25f, 0.84375f, 1}},
            {"", .in = {0.5f, 0.25f, 0.75f, 0.5f}, .over = {0.5f, 0, 0.75f, 0.5f},
             .out = {0.58333333f, 0.16666667f, 0.8125f, 0.75f}},
            {"alpha_mode=gpuimage", .in = {0.5f, 0.25f, 0.75f, 0.5f},
             .over = {0.5f, 0, 0.75f, 0.5f}, .out = {0.75f, 0.25f, 0.9375f, 0.75f}})

LG_FILTER(screen_blend, BLEND, 2, .flags = LG_FILTER_TAKES_COLOR,
          .summary = "the negative of the product of the negatives; lightens",
          .formula = "B = 1 - (1 - b)(1 - o); composited as W3C Compositing and Blending says, "
                     "with alpha o times opacity",
          .source = "GPUImageScreenBlendFilter",
          .notes = "alpha_mode=gpuimage: c' = b + (B - b) opacity, and alpha as a colour");

// Shadows and highlights in two colours.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(COLOR, shadow_tint_color, 1, 0, 0, 1, "of shadows")                                          \
    X(NUMBER, shadow_tint_intensity, "", 0, 0, 1, "0 leaves them as they are")                     \
    X(COLOR, highlight_tint_color, 0, 0, 1, 1, "of highlights")                                    \
    X(NUMBER, highlight_tint_intensity, "", 0, 0, 1, "0 leaves them as they are")

LG_PARAMETERS(highlight_shadow_tint)

LG_KERNEL(
    highlight_shadow_tint,
    LG_FUNCTION float highlight_shadow_tint_of(float v, float l, float shadow, float dark,
                                               float highlight, float light) {
        LG_FLOAT s = lg_mix(v, fmaxf(v, lg_mix(shadow, v, l)), dark);
        LG_FLOAT h = lg_mix(v, fminf(s, lg_mix(s, highlight, l)), light);
        LG_FLOAT y = s + (h - s) * l;
        return y;
    } LG_FUNCTION color highlight_shadow_tint_kernel(color c, place at,
                                                     highlight_shadow_tint_params p) {
        LG_FLOAT l = lg_luminance(c);
        LG_FLOAT dark = p.shadow_tint_intensity;
        LG_FLOAT light = p.highlight_tint_intensity;
        return rgba(highlight_shadow_tint_of(c.r, l, p.shadow_tint_color.r, dark,
                                             p.highlight_tint_color.r, light),
                    highlight_shadow_tint_of(c.g, l, p.shadow_tint_color.g, dark,
                                             p.highlight_tint_color.g, light),
                    highlight_shadow_tint_of(c.b, l, p.shadow_tint_color.b, dark,
                                             p.highlight_tint_color.b, light),
                    c.a);
    })

LG_POINT(highlight_shadow_tint)

LG_EXAMPLES(highlight_shadow_tint,
            {"shadow_tint_intensity=1", .in = {0.5f, 0.5f, 0.5f, 0.5f},
             .out = {0.625f, 0.5f, 0.5f, 0.5f}},
            {"highlight_tint_intensity=1", .in = {0.5f, 0.5f, 0.5f, 1},
             .out = {0.375f, 0.375f, 0.5f, 1}})

LG_FILTER(highlight_shadow_tint, POINT, 1, .flags = LG_FILTER_MAKES_COLOR,
          .summary = "shadows and highlights in two colours",
          .formula = "l = 0.2125 r + 0.7154 g + 0.0721 b; S = mix(c, max(c, mix(shadow, c, l)), "
                     "shadow_tint_intensity), K = mix(c, min(S, mix(S, highlight, l)), "
                     "highlight_tint_intensity), c' = mix(S, K, l)",
          .source = "GPUImageHighlightShadowTintFilter",
          .notes = "the alphas of the tint colours count for nothing",
          .neutral = "shadow_tint_intensity=0:highlight_tint_intensity=0");

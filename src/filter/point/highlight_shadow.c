// Shadows lightened, highlights darkened.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, shadows, "", 0, 0, 1, "1 lightens most, 0 leaves them")                              \
    X(NUMBER, highlights, "", 1, 0, 1, "0 darkens most, 1 leaves them")

LG_PARAMETERS(highlight_shadow)

LG_KERNEL(
    highlight_shadow,
    LG_FUNCTION float highlight_shadow_power(float v, float base) {
        LG_FLOAT curved = v;
        if (base != 1.0f)
            curved = lg_power(v, lg_div(1.0f, base));
        return curved;
    } LG_FUNCTION color highlight_shadow_kernel(color c, place at, highlight_shadow_params p) {
        LG_FLOAT l = 0.3f * ((c.r + c.g) + c.b);
        LG_FLOAT m = 1.0f - l;
        LG_FLOAT u = highlight_shadow_power(l, 1.0f + p.shadows);
        LG_FLOAT v = highlight_shadow_power(m, 2.0f - p.highlights);
        LG_FLOAT lift = (u - l) - (0.76f * u) * u;
        LG_FLOAT fall = (m - v) + (0.8f * v) * v;
        LG_FLOAT wanted = l + (lg_clamp(lift, 0.0f, 1.0f) + lg_clamp(fall, -1.0f, 0.0f));
        LG_FLOAT ratio = l > 1e-6f ? lg_div(wanted, l) : 1.0f;
        LG_COLOR y = c;
        y.r = c.r * ratio;
        y.g = c.g * ratio;
        y.b = c.b * ratio;
        return y;
    })

LG_POINT(highlight_shadow)

// l = 0.25: 0.5 - 0.76 0.25 - 0.25 = 0.06, ratio 0.31 / 0.25 = 1.24. l = 0.91: 0.09 - 0.3 + 0.8 0.09 =
// -0.138, ratio 0.772 / 0.91.
LG_EXAMPLES(highlight_shadow,
            {"shadows=1", .in = {0.5f, 0.25f, 0.083333333f, 0.5f},
             .out = {0.62f, 0.31f, 0.10333333f, 0.5f}},
            {"highlights=0", .in = {1, 1, 1.0333333f, 1},
             .out = {0.84835165f, 0.84835165f, 0.87663004f, 1}},
            {"shadows=1", .in = {0, 0, 0, 1}, .out = {0, 0, 0, 1}})

LG_FILTER(highlight_shadow, POINT, 1, .summary = "lightens shadows, darkens highlights",
          .formula =
              "l = 0.3 (r + g + b); u = l^(1/(shadows + 1)), S = clamp(u - .76 u^2 - l, 0, 1); v = "
              "(1 - l)^(1/(2 - highlights)), H = clamp(1 - v + .8 v^2 - l, -1, 0); c' = c (l + S "
              "+ H) / l",
          .source = "GPUImageHighlightShadowFilter",
          .notes = "black stays black; GPUImage divides 0 by 0 there",
          .neutral = "shadows=0:highlights=1");

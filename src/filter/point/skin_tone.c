// Skin tones, turned towards green, red or orange.
#include "filter/kernel.h"
#include "kernel/space/hsv.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, skin_tone_adjust, "", 0, -1, 1, "0 leaves the image as it is; -0.3 to 0.3 is usual") \
    X(NUMBER, skin_hue, "turns", 0.05f, 0, 1, "hue that is skin")                                  \
    X(NUMBER, skin_hue_threshold, "", 40, 0, 1000, "how fast the effect fades with other hues")    \
    X(NUMBER, max_hue_shift, "turns", 0.25f, 0, 1, "shift of hue at skin_tone_adjust = 1")         \
    X(NUMBER, max_saturation_shift, "", 0.4f, 0, 1, "shift of saturation, for orange")             \
    X(CHOICE, upper_skin_tone_color, 0, "green|orange", "what skin_tone_adjust above 0 goes to")

LG_PARAMETERS(skin_tone)

LG_KERNEL(
    skin_tone, LG_FUNCTION color skin_tone_kernel(color c, place at, skin_tone_params p) {
        LG_COLOR hsv = lg_point_hsv(c);
        LG_FLOAT d = hsv.r - p.skin_hue;
        d = d > 0.5f ? d - 1.0f : (d < -0.5f ? d + 1.0f : d);
        d = d * 2.0f;
        // e^x is 2^(x / ln 2).
        LG_FLOAT weight = lg_exp2(((d * d) * p.skin_hue_threshold) * -1.44269504f);
        LG_FLOAT amount = p.skin_tone_adjust * lg_clamp01(weight);
        bool saturates = p.upper_skin_tone_color > 0.0f && p.skin_tone_adjust > 0.0f;
        hsv.r = hsv.r + lg_choose(saturates, 0.0f, amount * p.max_hue_shift);
        hsv.g = hsv.g + lg_choose(saturates, amount * p.max_saturation_shift, 0.0f);
        LG_COLOR y = lg_hsv_rgb(hsv);
        y.r = lg_choose(p.skin_tone_adjust == 0.0f, c.r, y.r);
        y.g = lg_choose(p.skin_tone_adjust == 0.0f, c.g, y.g);
        y.b = lg_choose(p.skin_tone_adjust == 0.0f, c.b, y.b);
        return y;
    })

LG_POINT(skin_tone)

// (1, 0.65, 0.5): h = 0.3 / 6 = 0.05, s = 0.5, v = 1: the weight is 1. Hue 0.05 + 0.4 0.25 = 0.15 makes
// green 0.5 + 0.5 0.9; saturation 0.5 + 0.5 0.4 = 0.7 makes green 0.3 + 0.7 0.3. Blue lies at 0.667:
// 0.383 turns the short way, d = 0.767, e^(-40 0.588) = 6e-11.
LG_EXAMPLES(skin_tone,
            {"skin_tone_adjust=0.4", .in = {1, 0.65f, 0.5f, 0.5f}, .out = {1, 0.95f, 0.5f, 0.5f}},
            {"skin_tone_adjust=0.5:upper_skin_tone_color=orange", .in = {1, 0.65f, 0.5f, 1},
             .out = {1, 0.51f, 0.3f, 1}},
            {"skin_tone_adjust=-0.2:upper_skin_tone_color=orange", .in = {1, 0.65f, 0.5f, 1},
             .out = {1, 0.5f, 0.5f, 1}},
            {"skin_tone_adjust=1", .in = {0, 0, 1, 1}, .out = {0, 0, 1, 1}})

LG_FILTER(skin_tone, POINT, 1, .flags = LG_FILTER_MAKES_COLOR,
          .summary = "turns skin tones towards red, green or orange",
          .formula =
              "h, s, v of c; d = 2 |h - skin_hue| the short way round, w = e^(-d^2 "
              "skin_hue_threshold), h' = h + skin_tone_adjust w max_hue_shift; for orange and "
              "skin_tone_adjust > 0: s' = s + skin_tone_adjust w max_saturation_shift",
          .source = "GPUImageSkinToneFilter", .notes = "alpha is kept; GPUImage makes it 1",
          .neutral = "skin_tone_adjust=0");

// A mask over the image it belongs to.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(COLOR, color, 1, 0, 0, 1, "of the mask; its alpha says how much covers")                     \
    LG_FIT_PARAMETER(X)

LG_PARAMETERS(alpha_show2)

LG_KERNEL(
    alpha_show2,
    LG_FUNCTION color alpha_show2_kernel(color b, color o, place at, alpha_show2_params p) {
        LG_COLOR mixed = lg_mix_rgb(b, p.color, p.color.a);
        LG_FLOAT alpha = b.a + (1.0f - b.a) * p.color.a;
        LG_COLOR y = b;
        y.r = o.r > 0.0f ? mixed.r : b.r;
        y.g = o.r > 0.0f ? mixed.g : b.g;
        y.b = o.r > 0.0f ? mixed.b : b.b;
        y.a = o.r > 0.0f ? alpha : b.a;
        return y;
    })

LG_BLEND(alpha_show2)

LG_EXAMPLES(alpha_show2,
            {"", .in = {0.25f, 0.5f, 1, 0.5f}, .over = {0.125f, 0, 0, 1}, .out = {1, 0, 0, 1}},
            {"", .in = {0.25f, 0.5f, 1, 0.5f}, .over = {0, 1, 1, 1}, .out = {0.25f, 0.5f, 1, 0.5f}},
            {"color=0,1,0,0.5", .in = {0.25f, 0.5f, 1, 0.5f}, .over = {1, 1, 1, 1},
             .out = {0.125f, 0.75f, 0.5f, 0.75f}})

LG_FILTER(alpha_show2, BLEND, 2, .flags = LG_FILTER_MAKES_COLOR,
          .summary = "the second image as a coloured mask over the first",
          .formula = "where red of the second image > 0: c = b (1 - t) + color t, a = ab (1 - t) + "
                     "t, t = alpha of color; else the first image",
          .source = "VkAlphaShow2Layer of aoce", .notes = "aoce has opaque red");

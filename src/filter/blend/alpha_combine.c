// The second image as alpha of the first.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(CHOICE, from, 0, "red|luminance|alpha", "what of the second image becomes alpha")            \
    LG_FIT_PARAMETER(X)

LG_PARAMETERS(alpha_combine)

LG_KERNEL(
    alpha_combine,
    LG_FUNCTION color alpha_combine_kernel(color b, color o, place at, alpha_combine_params p) {
        LG_FLOAT grey = lg_choose(p.from == 1.0f, lg_luminance(o), o.r);
        LG_COLOR y = b;
        y.a = lg_choose(p.from == 2.0f, o.a, grey);
        return y;
    })

LG_BLEND(alpha_combine)

// 0.2125 0.5 + 0.7154 0.25 + 0.0721 = 0.3572
LG_EXAMPLES(alpha_combine,
            {"", .in = {0.25f, 0.5f, 1, 0.75f}, .over = {0.5f, 0.25f, 1, 0.125f},
             .out = {0.25f, 0.5f, 1, 0.5f}},
            {"from=luminance", .in = {0.25f, 0.5f, 1, 1}, .over = {0.5f, 0.25f, 1, 0.125f},
             .out = {0.25f, 0.5f, 1, 0.3572f}},
            {"from=alpha", .in = {0.25f, 0.5f, 1, 1}, .over = {0.5f, 0.25f, 1, 0.125f},
             .out = {0.25f, 0.5f, 1, 0.125f}})

LG_FILTER(alpha_combine, BLEND, 2, .flags = LG_FILTER_MAKES_ALPHA,
          .summary = "the second image becomes alpha of the first",
          .formula = "c = b, a = red, luminance or alpha of the second image",
          .source = "VkAlphaCombinLayer of aoce",
          .notes = "replaces alpha, where mask multiplies it; alpha_separate is the way back");

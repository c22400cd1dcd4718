// White balance by a colour that ought to be grey.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(COLOR, neutral, 1, 1, 1, 1, "becomes grey of the same luminance; may be measured: @mean")

LG_PARAMETERS(neutral_balance)

LG_KERNEL(
    neutral_balance,
    LG_FUNCTION float neutral_balance_gain(float l, float v) {
        return lg_choose(v > 1e-6f, lg_div(l, v), 1.0f);
    } LG_FUNCTION color neutral_balance_kernel(color c, place at, neutral_balance_params p) {
        LG_FLOAT l = lg_luminance(p.neutral);
        LG_COLOR y = c;
        y.r = c.r * neutral_balance_gain(l, p.neutral.r);
        y.g = c.g * neutral_balance_gain(l, p.neutral.g);
        y.b = c.b * neutral_balance_gain(l, p.neutral.b);
        return y;
    })

LG_POINT(neutral_balance)

// l = 0.2125 / 2 + 0.7154 / 4 + 0.0721 = 0.3572: factors 0.7144, 1.4288, 0.3572
LG_EXAMPLES(neutral_balance,
            {"neutral=0.5,0.25,1", .in = {0.5f, 0.25f, 1, 0.5f},
             .out = {0.3572f, 0.3572f, 0.3572f, 0.5f}},
            {"neutral=0.5,0.25,1", .in = {1, 0.5f, 0.5f, 1}, .out = {0.7144f, 0.7144f, 0.1786f, 1}},
            {"neutral=0,0.5,0.5", .in = {0.25f, 0.5f, 1, 1}, .out = {0.25f, 0.39375f, 0.7875f, 1}})

LG_FILTER(neutral_balance, POINT, 1,
          .flags = LG_FILTER_MAKES_COLOR | LG_FILTER_PER_CHANNEL | LG_FILTER_AFFINE,
          .summary = "white balance by a colour that ought to be grey",
          .formula = "c' = c l(neutral) / neutral per channel, l = 0.2125 r + 0.7154 g + 0.0721 b",
          .source = "von Kries scaling in RGB; with neutral=@mean the grey-world assumption",
          .notes = "a channel where neutral is not above 0 stays as it is",
          .neutral = "neutral=1,1,1");

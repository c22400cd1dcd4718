// Luminance as a place between two colours.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(COLOR, first_color, 0, 0, 0.5f, 1, "of black")                                               \
    X(COLOR, second_color, 1, 0, 0, 1, "of white")

LG_PARAMETERS(false_color)

LG_KERNEL(
    false_color, LG_FUNCTION color false_color_kernel(color c, place at, false_color_params p) {
        LG_COLOR y = lg_mix_rgb(p.first_color, p.second_color, lg_luminance(c));
        y.a = c.a;
        return y;
    })

LG_POINT(false_color)

LG_EXAMPLES(false_color, {"", .in = {0.25f, 0.25f, 0.25f, 0.5f}, .out = {0.25f, 0, 0.375f, 0.5f}},
            {"first_color=1,1,0:second_color=0,0,1", .in = {1, 0, 0, 1},
             .out = {0.7875f, 0.7875f, 0.2125f, 1}})

LG_FILTER(false_color, POINT, 1, .flags = LG_FILTER_MAKES_COLOR | LG_FILTER_AFFINE,
          .summary = "dark pixels take one colour, light ones another",
          .formula = "c' = first_color (1 - l) + second_color l, l = 0.2125 r + 0.7154 g + "
                     "0.0721 b",
          .source = "GPUImageFalseColorFilter");

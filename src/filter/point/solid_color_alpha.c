// One colour with the image's alpha.
#include "filter/kernel.h"

#define PARAMETERS(X) X(COLOR, color, 0, 0, 0.5f, 1, "of every pixel; its alpha says nothing")

LG_PARAMETERS(solid_color_alpha)

LG_KERNEL(
    solid_color_alpha,
    LG_FUNCTION color solid_color_alpha_kernel(color c, place at, solid_color_alpha_params p) {
        LG_COLOR y = p.color;
        y.a = c.a;
        return y;
    })

LG_POINT(solid_color_alpha)

LG_EXAMPLES(solid_color_alpha, {"", .in = {1, 0.25f, 0, 0.25f}, .out = {0, 0, 0.5f, 0.25f}},
            {"color=0.25,0.5,1,0.5", .in = {1, 0.25f, 0, 0.75f}, .out = {0.25f, 0.5f, 1, 0.75f}})

LG_FILTER(solid_color_alpha, POINT, 1,
          .flags = LG_FILTER_MAKES_COLOR | LG_FILTER_MAKES_ALPHA | LG_FILTER_AFFINE,
          .summary = "one colour with the image's alpha", .formula = "c' = color, a' = a",
          .source = "GPUImageSolidColorGenerator with useExistingAlpha",
          .notes = "solid_color:use_existing_alpha=yes is the same");

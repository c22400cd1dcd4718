// One colour.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(COLOR, color, 0, 0, 0.5f, 1, "of every pixel")                                               \
    X(FLAG, use_existing_alpha, 0, "the image's alpha in place of the colour's: solid_color_alpha")

LG_PARAMETERS(solid_color)

LG_KERNEL(
    solid_color,
    LG_FUNCTION color solid_color_kernel(place at, solid_color_params p) { return p.color; })

LG_GENERATE(solid_color)

LG_EXAMPLES(solid_color, {"", .out = {0, 0, 0.5f, 1}},
            {"color=0.25,0.5,1,0.5", .out = {0.25f, 0.5f, 1, 0.5f}})

LG_FILTER(solid_color, GENERATE, 1, .flags = LG_FILTER_MAKES_COLOR | LG_FILTER_MAKES_ALPHA,
          .summary = "one colour", .formula = "C' = color", .source = "GPUImageSolidColorGenerator",
          .notes = "GPUImage's shader makes alpha 1 without use_existing_alpha");

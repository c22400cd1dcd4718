// Dark pixels inverted.
#include "filter/kernel.h"

#define PARAMETERS(X) X(NUMBER, threshold, "", 0.5f, 0, 1, "greatest luminance that is inverted")

LG_PARAMETERS(solarize)

LG_KERNEL(
    solarize, LG_FUNCTION color solarize_kernel(color c, place at, solarize_params p) {
        LG_FLOAT dark = lg_step(lg_luminance(c), p.threshold);
        LG_COLOR y = c;
        y.r = dark > 0.0f ? 1.0f - c.r : c.r;
        y.g = dark > 0.0f ? 1.0f - c.g : c.g;
        y.b = dark > 0.0f ? 1.0f - c.b : c.b;
        return y;
    })

LG_POINT(solarize)

// Luminance of red 0.2125, of yellow 0.9279; equality is inverted.
LG_EXAMPLES(solarize, {"", .in = {1, 0, 0, 0.5f}, .out = {0, 1, 1, 0.5f}},
            {"", .in = {1, 1, 0, 1}, .out = {1, 1, 0, 1}},
            {"threshold=0.25", .in = {0.25f, 0.25f, 0.25f, 1}, .out = {0.75f, 0.75f, 0.75f, 1}})

LG_FILTER(solarize, POINT, 1, .summary = "inverts dark pixels",
          .formula = "c' = 1 - c where 0.2125 r + 0.7154 g + 0.0721 b <= threshold",
          .source = "GPUImageSolarizeFilter");

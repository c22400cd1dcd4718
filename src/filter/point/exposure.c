// Exposure: factors of two.
#include "filter/kernel.h"

#define PARAMETERS(X) X(NUMBER, exposure, "stops", 0, -10, 10, "each stop doubles the colour")

LG_PARAMETERS(exposure)

LG_KERNEL(
    exposure, LG_FUNCTION color exposure_kernel(color c, place at, exposure_params p) {
        LG_FLOAT factor = lg_exp2(p.exposure);
        LG_COLOR y = c;
        y.r = c.r * factor;
        y.g = c.g * factor;
        y.b = c.b * factor;
        return y;
    })

LG_POINT(exposure)

LG_EXAMPLES(exposure, {"exposure=1", .in = {0.25f, 0.5f, 0.75f, 1}, .out = {0.5f, 1, 1.5f, 1}},
            {"exposure=-2", .in = {1, 0.5f, 0, 0.5f}, .out = {0.25f, 0.125f, 0, 0.5f}})

LG_FILTER(exposure, POINT, 1, .flags = LG_FILTER_PER_CHANNEL | LG_FILTER_AFFINE,
          .summary = "brighter or darker by stops", .formula = "c' = c 2^exposure",
          .source = "GPUImageExposureFilter", .neutral = "exposure=0");

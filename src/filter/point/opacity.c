// Alpha times a factor.
#include "filter/kernel.h"

#define PARAMETERS(X) X(NUMBER, opacity, "", 1, 0, 1, "factor of alpha")

LG_PARAMETERS(opacity)

LG_KERNEL(
    opacity, LG_FUNCTION color opacity_kernel(color c, place at, opacity_params p) {
        LG_COLOR y = c;
        y.a = c.a * p.opacity;
        return y;
    })

LG_POINT(opacity)

LG_EXAMPLES(opacity, {"opacity=0.5", .in = {0.25f, 0.5f, 1, 1}, .out = {0.25f, 0.5f, 1, 0.5f}},
            {"opacity=0.25", .in = {1, 1, 0, 0.5f}, .out = {1, 1, 0, 0.125f}})

LG_FILTER(opacity, POINT, 1,
          .flags = LG_FILTER_MAKES_ALPHA | LG_FILTER_AFFINE | LG_FILTER_AFFINE_ALPHA,
          .summary = "makes the image transparent", .formula = "a' = a opacity",
          .source = "GPUImageOpacityFilter",
          .notes = "colours are straight, so they need no change", .neutral = "opacity=1");

// Contrast: the distance from mid grey, times a factor.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, contrast, "", 1, 0, 4, "factor: 0 gives mid grey, 1 leaves the image as it is")

LG_PARAMETERS(contrast)

LG_KERNEL(
    contrast, LG_FUNCTION color contrast_kernel(color c, place at, contrast_params p) {
        // (c - 0.5) contrast + 0.5 with the part that is the same for all pixels put together.
        LG_FLOAT shift = 0.5f - 0.5f * p.contrast;
        c.r = c.r * p.contrast + shift;
        c.g = c.g * p.contrast + shift;
        c.b = c.b * p.contrast + shift;
        return c;
    })

LG_POINT(contrast)

LG_EXAMPLES(contrast, {"contrast=2", .in = {0.25f, 0.5f, 0.75f, 0.5f}, .out = {0, 0.5f, 1, 0.5f}},
            {"contrast=0", .in = {0.25f, 0.5f, 0.75f, 1}, .out = {0.5f, 0.5f, 0.5f, 1}})

LG_FILTER(contrast, POINT, 1, .flags = LG_FILTER_PER_CHANNEL | LG_FILTER_AFFINE,
          .summary = "more or less contrast around mid grey",
          .formula = "c' = (c - 0.5) contrast + 0.5", .source = "GPUImageContrastFilter",
          .neutral = "contrast=1");

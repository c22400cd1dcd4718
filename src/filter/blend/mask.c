// The second image as a mask.
#include "filter/kernel.h"
#include "kernel/composite_math.h"

#define PARAMETERS(X) LG_FIT_PARAMETER(X)

LG_PARAMETERS(mask)

LG_KERNEL(
    mask, LG_FUNCTION color mask_kernel(color b, color o, place at, mask_params p) {
        LG_FLOAT mean = ((o.r + o.g) + o.b) * 0.333333333f;
        LG_COLOR y = b;
        y.a = b.a * (mean * o.a);
        return y;
    })

LG_BLEND(mask)

LG_EXAMPLES(mask,
            {"", .in = {0.25f, 0.5f, 1, 1}, .over = {0.5f, 0.25f, 0.75f, 1},
             .out = {0.25f, 0.5f, 1, 0.5f}},
            {"", .in = {0.25f, 0.5f, 1, 0.5f}, .over = {1, 1, 1, 0.5f},
             .out = {0.25f, 0.5f, 1, 0.25f}})

LG_FILTER(
    mask, BLEND, 2, .flags = LG_FILTER_MAKES_ALPHA,
    .summary = "the second image as a mask of the first",
    .formula = "c = b, a = ab ao (r + g + b of the second image) / 3",
    .source = "GPUImageMaskFilter",
    .notes = "GPUImage stores alpha twice multiplied, and loses the alpha of the first image");

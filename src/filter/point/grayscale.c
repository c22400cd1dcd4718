// Luminance in every channel.
#include "filter/kernel.h"
#include "filter/luma_bytes.h"

#define PARAMETERS(X)

LG_PARAMETERS(grayscale)

LG_KERNEL(
    grayscale, LG_FUNCTION color grayscale_kernel(color c, place at, grayscale_params p) {
        LG_FLOAT l = lg_luminance(c);
        return rgba(l, l, l, c.a);
    })

LG_POINT(grayscale)
LG_PIXELS_BY(grayscale, lg_luma_grey(from, s->count, s->set, to))

// 0.2125 / 2 + 0.7154 / 4 + 0.0721 = 0.3572
LG_EXAMPLES(grayscale, {"", .in = {1, 0, 0, 0.5f}, .out = {0.2125f, 0.2125f, 0.2125f, 0.5f}},
            {"", .in = {0.5f, 0.25f, 1, 1}, .out = {0.3572f, 0.3572f, 0.3572f, 1}})

LG_FILTER(grayscale, POINT, 1, .flags = LG_FILTER_AFFINE, .summary = "luminance in every channel",
          .formula = "c' = 0.2125 r + 0.7154 g + 0.0721 b", .source = "GPUImageGrayscaleFilter");

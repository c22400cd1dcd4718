// Sepia: a colour matrix.
#include "filter/kernel.h"

#define PARAMETERS(X) X(NUMBER, intensity, "", 1, 0, 1, "0 leaves the image as it is")

LG_PARAMETERS(sepia)

LG_KERNEL(
    sepia,
    LG_FUNCTION color sepia_whole(color c) {
        LG_FLOAT r = (0.3588f * c.r + 0.7044f * c.g) + 0.1368f * c.b;
        LG_FLOAT g = (0.2990f * c.r + 0.5870f * c.g) + 0.1140f * c.b;
        LG_FLOAT b = (0.2392f * c.r + 0.4696f * c.g) + 0.0912f * c.b;
        return rgba(r, g, b, c.a);
    } LG_FUNCTION color sepia_kernel(color c, place at, sepia_params p) {
        return lg_mix_rgb(c, sepia_whole(c), p.intensity);
    })

LG_POINT(sepia)
LG_PIXELS_WHOLE(sepia)

LG_EXAMPLES(sepia, {"", .in = {1, 0, 0, 0.5f}, .out = {0.3588f, 0.299f, 0.2392f, 0.5f}},
            {"", .in = {0.5f, 0.5f, 0.5f, 1}, .out = {0.6f, 0.5f, 0.4f, 1}},
            {"intensity=0.5", .in = {0, 1, 0, 1}, .out = {0.3522f, 0.7935f, 0.2348f, 1}})

LG_FILTER(sepia, POINT, 1, .flags = LG_FILTER_MAKES_COLOR | LG_FILTER_AFFINE,
          .summary = "the brown of old prints",
          .formula = "rows (.3588 .7044 .1368), (.2990 .5870 .1140), (.2392 .4696 .0912); c' = c "
                     "(1 - intensity) + M c intensity",
          .source = "GPUImageSepiaFilter", .neutral = "intensity=0");

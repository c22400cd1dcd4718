// Saturation: the distance of a colour from its grey, times a factor.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, saturation, "", 1, 0, 2, "factor: 0 gives grey, 1 leaves the image as it is")

LG_PARAMETERS(saturation)

LG_KERNEL(
    saturation, LG_FUNCTION color saturation_kernel(color c, place at, saturation_params p) {
        LG_FLOAT l = lg_luminance(c);
        return lg_mix_rgb(rgba(l, l, l, c.a), c, p.saturation);
    })

LG_POINT(saturation)
LG_PIXELS(saturation)

// The luminance of (1, 0, 0) is 0.2125, of (0, 1, 0) 0.7154.
LG_EXAMPLES(saturation,
            {"saturation=0", .in = {1, 0, 0, 0.5f}, .out = {0.2125f, 0.2125f, 0.2125f, 0.5f}},
            {"saturation=0.5", .in = {0, 1, 0, 1}, .out = {0.3577f, 0.8577f, 0.3577f, 1}},
            {"saturation=2", .in = {1, 0, 0, 1}, .out = {1.7875f, -0.2125f, -0.2125f, 1}})

LG_FILTER(saturation, POINT, 1, .flags = LG_FILTER_AFFINE, .summary = "more or less colour",
          .formula = "c' = l (1 - saturation) + c saturation, l = 0.2125 r + 0.7154 g + 0.0721 b",
          .source = "GPUImageSaturationFilter", .neutral = "saturation=1");

// Vibrance: saturation that spares colours which have much of it.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, vibrance, "", 0, -1.2f, 1.2f, "above 0 for more colour, below for less")

LG_PARAMETERS(vibrance)

LG_KERNEL(
    vibrance, LG_FUNCTION color vibrance_kernel(color c, place at, vibrance_params p) {
        LG_FLOAT average = ((c.r + c.g) + c.b) * 0.333333333f;
        LG_FLOAT largest = fmaxf(fmaxf(c.r, c.g), c.b);
        LG_FLOAT t = (largest - average) * (-3.0f * p.vibrance);
        return lg_mix_rgb(c, rgba(largest, largest, largest, c.a), t);
    })

LG_POINT(vibrance)

// (0.75, 0.5, 0.25): average 0.5, t = 0.25 (-3 v), c' = c (1 - t) + 0.75 t
LG_EXAMPLES(vibrance,
            {"vibrance=0.5", .in = {0.75f, 0.5f, 0.25f, 0.5f},
             .out = {0.75f, 0.40625f, 0.0625f, 0.5f}},
            {"vibrance=-1", .in = {0.75f, 0.5f, 0.25f, 1}, .out = {0.75f, 0.6875f, 0.625f, 1}})

LG_FILTER(
    vibrance, POINT, 1, .summary = "more colour where there is little, or less",
    .formula = "m = max(r, g, b), t = -3 vibrance (m - (r + g + b) / 3), c' = c (1 - t) + m t",
    .source = "GPUImageVibranceFilter", .neutral = "vibrance=0");

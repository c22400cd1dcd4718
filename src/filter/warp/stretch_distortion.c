// Stretch: the middle made wide.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(POINT, center, 0.5f, 0.5f, "what stays where it is")                                         \
    LG_BORDER_PARAMETER(X)

LG_PARAMETERS(stretch_distortion)

LG_KERNEL(
    stretch_distortion,
    LG_FUNCTION point stretch_distortion_kernel(place at, stretch_distortion_params p) {
        LG_FLOAT x = 2.0f * (at.x - p.center.x);
        LG_FLOAT y = 2.0f * (at.y - p.center.y);
        LG_FLOAT kx = 0.5f + 0.5f * lg_smoothstep(0.25f, 0.5f, fabsf(x));
        LG_FLOAT ky = 0.5f + 0.5f * lg_smoothstep(0.25f, 0.5f, fabsf(y));
        LG_FLOAT to_x = p.center.x + (x * kx) * 0.5f;
        LG_FLOAT to_y = p.center.y + (y * ky) * 0.5f;
        return xy(fabsf(x) < 0.5f ? to_x : at.x, fabsf(y) < 0.5f ? to_y : at.y);
    })

LG_WARP(stretch_distortion)

LG_EXAMPLES(stretch_distortion,
            {"", .in = {0.25f, 0.5f, 0.75f, 0.5f}, .out = {0.25f, 0.5f, 0.75f, 0.5f}},
            {"border=mirror", .in = {1, 0.5f, 0, 1}, .out = {1, 0.5f, 0, 1}})

LG_FILTER(stretch_distortion, WARP, 1, .summary = "makes the middle wide",
          .formula = "n = 2 (p - center), n = n (1/2 + smoothstep(1/4, 1/2, |n|) / 2) per axis, "
                     "read at center + n / 2",
          .source = "GPUImageStretchDistortionFilter");

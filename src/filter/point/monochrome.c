// Luminance in shades of one colour.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, intensity, "", 1, 0, 1, "0 leaves the image as it is")                               \
    X(COLOR, color, 0.6f, 0.45f, 0.3f, 1, "what mid grey becomes")

LG_PARAMETERS(monochrome)

LG_KERNEL(
    monochrome,
    LG_FUNCTION float monochrome_of(float l, float w) {
        LG_FLOAT dark = (2.0f * l) * w;
        LG_FLOAT light = 1.0f - (2.0f * (1.0f - l)) * (1.0f - w);
        return l < 0.5f ? dark : light;
    } LG_FUNCTION color monochrome_kernel(color c, place at, monochrome_params p) {
        LG_FLOAT l = lg_luminance(c);
        return lg_mix_rgb(c,
                          rgba(monochrome_of(l, p.color.r), monochrome_of(l, p.color.g),
                               monochrome_of(l, p.color.b), c.a),
                          p.intensity);
    })

LG_POINT(monochrome)

// l = 0.25: 2 l w = w / 2; l = 0.75: 1 - 0.5 (1 - w) = 0.5 + w / 2
LG_EXAMPLES(monochrome, {"", .in = {0.25f, 0.25f, 0.25f, 0.5f}, .out = {0.3f, 0.225f, 0.15f, 0.5f}},
            {"", .in = {0.75f, 0.75f, 0.75f, 1}, .out = {0.8f, 0.725f, 0.65f, 1}},
            {"color=1,0,0.5:intensity=0.5", .in = {0.25f, 0.25f, 0.25f, 1},
             .out = {0.375f, 0.125f, 0.25f, 1}})

LG_FILTER(monochrome, POINT, 1, .flags = LG_FILTER_MAKES_COLOR,
          .summary = "luminance in shades of one colour",
          .formula = "l < 1/2: m = 2 l color, else 1 - 2 (1 - l)(1 - color); c' = c (1 - "
                     "intensity) + m intensity; l = 0.2125 r + 0.7154 g + 0.0721 b",
          .source = "GPUImageMonochromeFilter", .neutral = "intensity=0");

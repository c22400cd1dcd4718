// Emboss: light from the top left.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, intensity, "", 1, 0, 4, "depth; 0 leaves the image as it is")                        \
    LG_BORDER_PARAMETER(X)                                                                         \
    LG_TEXEL_PARAMETERS(X)

LG_PARAMETERS(emboss)

LG_KERNEL(
    emboss,
    LG_FUNCTION float emboss_weight(int i, emboss_params p) {
        LG_FLOAT side = i < 4 ? -p.intensity : p.intensity;
        LG_FLOAT weight = i == 0 || i == 8 ? 2.0f * side : i == 2 || i == 6 ? 0.0f : side;
        return i == 4 ? 1.0f : weight;
    } LG_FUNCTION float emboss_channel(float tl, float t, float tr, float l, float c, float r,
                                       float bl, float b, float br, emboss_params p) {
        LG_FLOAT slope = (2.0f * (br - tl) + (b - t)) + (r - l);
        LG_FLOAT y = c + slope * p.intensity;
        return y;
    })

LG_WINDOW_OF_CHANNELS(emboss)

// 0.5 + 2 (0.25 - 0.125) + (0.25 - 0.25) + (0.5 - 0.75) = 0.5
LG_EXAMPLES(emboss,
            {"", .window = {0.125f, 0.25f, 1, 0.75f, 0.5f, 0.5f, 0, 0.25f, 0.25f},
             .out = {0.5f, 0.5f, 0.5f, 1}},
            {"intensity=0.5", .window = {1, 0, 0, 0, 0.5f, 0, 0, 0, 0},
             .out = {-0.5f, -0.5f, -0.5f, 1}})

LG_FILTER(emboss, WINDOW, 1, .flags = LG_FILTER_PER_CHANNEL,
          .summary = "a relief, lit from the top left",
          .formula = "kernel (-2i -i 0; -i 1 i; 0 i 2i), i = intensity; alpha is the centre's",
          .source = "GPUImageEmbossFilter");

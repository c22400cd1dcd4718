// Sharpen: the centre against its four neighbours.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, sharpness, "", 0, -4, 4, "0 leaves the image as it is, below 0 blurs")               \
    LG_BORDER_PARAMETER(X)                                                                         \
    X(INTEGER, offset, "px", 1, 1, LG_MOST_STEP, "from the centre to each of its neighbours")

LG_PARAMETERS(sharpen)

LG_KERNEL(
    sharpen,
    LG_FUNCTION float sharpen_weight(int i, sharpen_params p) {
        return i == 4 ? 1.0f + 4.0f * p.sharpness : i % 2 == 1 ? -p.sharpness : 0.0f;
    } LG_FUNCTION float sharpen_channel(float tl, float t, float tr, float l, float c, float r,
                                        float bl, float b, float br, sharpen_params p) {
        LG_FLOAT y = c * (1.0f + 4.0f * p.sharpness) - ((t + b) + (l + r)) * p.sharpness;
        return y;
    })

LG_WINDOW_OF_CHANNELS(sharpen)

// 0.5 5 - (0.25 + 0.5 + 0.25 + 0.5) = 1; 0.5 (-1) + (1.5) / 2 = 0.25
LG_EXAMPLES(sharpen,
            {"sharpness=1", .window = {0, 0.25f, 1, 0.5f, 0.5f, 0.25f, 1, 0.5f, 0},
             .out = {1, 1, 1, 1}},
            {"sharpness=-0.5", .window = {1, 0.25f, 1, 0.5f, 0.5f, 0.25f, 1, 0.5f, 1},
             .out = {0.25f, 0.25f, 0.25f, 1}})

LG_FILTER(sharpen, WINDOW, 1, .flags = LG_FILTER_PER_CHANNEL,
          .summary = "the centre against its four neighbours",
          .formula = "c' = c (1 + 4 sharpness) - sharpness (left + right + top + bottom), those "
                     "offset pixels away",
          .source = "GPUImageSharpenFilter; the offset: aoce",
          .notes = "alpha is the centre's; GPUImage takes the one of the pixel below",
          .neutral = "sharpness=0");

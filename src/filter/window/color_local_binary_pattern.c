// local_binary_pattern of every channel.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    LG_BORDER_PARAMETER(X)                                                                         \
    LG_TEXEL_PARAMETERS(X)

LG_PARAMETERS(color_local_binary_pattern)

LG_KERNEL(
    color_local_binary_pattern,
    LG_FUNCTION float color_local_binary_pattern_channel(float tl, float t, float tr, float l,
                                                         float c, float r, float bl, float b,
                                                         float br,
                                                         color_local_binary_pattern_params p) {
        float upper = ((tr >= c ? 1.0f : 0.0f) + (t >= c ? 2.0f : 0.0f)) +
                      ((tl >= c ? 4.0f : 0.0f) + (l >= c ? 8.0f : 0.0f));
        float lower = ((bl >= c ? 16.0f : 0.0f) + (b >= c ? 32.0f : 0.0f)) +
                      ((br >= c ? 64.0f : 0.0f) + (r >= c ? 128.0f : 0.0f));
        // 1/255, so that 255 is 1 exactly.
        LG_FLOAT code = (upper + lower) * 0.00392156886f;
        return code;
    })

LG_WINDOW_OF_CHANNELS(color_local_binary_pattern)

// Codes: flat 255; a centre above all 0; right 128 and bottom 32 not below it 160.
LG_EXAMPLES(color_local_binary_pattern,
            {"", .window = {0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f},
             .out = {1, 1, 1, 1}},
            {"", .window = {0, 0.25f, 0, 0, 0.5f, 0, 0, 0.25f, 0}, .out = {0, 0, 0, 1}},
            {"", .window = {0, 0, 0, 0, 0.5f, 0.5f, 0, 0.75f, 0},
             .out = {0.62745098f, 0.62745098f, 0.62745098f, 1}},
            {"", .window = {0.75f, 0, 1, 0, 0.5f, 0, 0, 0, 0},
             .out = {0.019607843f, 0.019607843f, 0.019607843f, 1}})

LG_FILTER(
    color_local_binary_pattern, WINDOW, 1, .flags = LG_FILTER_PER_CHANNEL,
    .summary = "local_binary_pattern of every channel",
    .formula = "per channel as local_binary_pattern",
    .source = "GPUImageColorLocalBinaryPatternFilter",
    .notes = "in the order red, green, blue; GPUImage swaps green and blue. Alpha is the centre's");

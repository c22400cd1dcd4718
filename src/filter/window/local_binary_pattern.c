// Which of the eight neighbours are at least as bright as the centre.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    LG_BORDER_PARAMETER(X)                                                                         \
    LG_TEXEL_PARAMETERS(X)

LG_PARAMETERS(local_binary_pattern)

LG_KERNEL(
    local_binary_pattern,
    LG_FUNCTION float local_binary_pattern_value(color c) {
        return c.r;
    } LG_FUNCTION color local_binary_pattern_kernel(neighborhood n, color c, place at,
                                                    local_binary_pattern_params p) {
        float upper = ((n.tr >= n.c ? 1.0f : 0.0f) + (n.t >= n.c ? 2.0f : 0.0f)) +
                      ((n.tl >= n.c ? 4.0f : 0.0f) + (n.l >= n.c ? 8.0f : 0.0f));
        float lower = ((n.bl >= n.c ? 16.0f : 0.0f) + (n.b >= n.c ? 32.0f : 0.0f)) +
                      ((n.br >= n.c ? 64.0f : 0.0f) + (n.r >= n.c ? 128.0f : 0.0f));
        // 1/255, so that 255 is 1 exactly.
        LG_FLOAT code = (upper + lower) * 0.00392156886f;
        return rgba(code, code, code, c.a);
    })

LG_WINDOW_OF_VALUES(local_binary_pattern)

// Codes: flat 255; a centre above all 0; right 128 and bottom 32 not below it 160.
LG_EXAMPLES(local_binary_pattern,
            {"", .window = {0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f},
             .out = {1, 1, 1, 1}},
            {"", .window = {0, 0.25f, 0, 0, 0.5f, 0, 0, 0.25f, 0}, .out = {0, 0, 0, 1}},
            {"", .window = {0, 0, 0, 0, 0.5f, 0.5f, 0, 0.75f, 0},
             .out = {0.62745098f, 0.62745098f, 0.62745098f, 1}},
            {"", .window = {0.75f, 0, 1, 0, 0.5f, 0, 0, 0, 0},
             .out = {0.019607843f, 0.019607843f, 0.019607843f, 1}})

LG_FILTER(local_binary_pattern, WINDOW, 1,
          .summary = "a byte that says which neighbours are at least as bright",
          .formula = "of red: top right 1, top 2, top left 4, left 8, bottom left 16, bottom 32, "
                     "bottom right 64, right 128, summed where the neighbour >= the centre, / 255",
          .source = "GPUImageLocalBinaryPatternFilter", .notes = "alpha is the centre's");

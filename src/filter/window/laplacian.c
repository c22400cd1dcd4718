// Laplacian on mid grey.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    LG_BORDER_PARAMETER(X)                                                                         \
    LG_TEXEL_PARAMETERS(X)

LG_PARAMETERS(laplacian)

LG_KERNEL(
    laplacian,
    LG_FUNCTION float laplacian_channel(float tl, float t, float tr, float l, float c, float r,
                                        float bl, float b, float br, laplacian_params p) {
        LG_FLOAT corners = (tl + tr) + (bl + br);
        LG_FLOAT sides = (t + b) + (l + r);
        LG_FLOAT y = ((0.5f * corners + sides) - 6.0f * c) + 0.5f;
        return y;
    })

LG_WINDOW_OF_CHANNELS(laplacian)

// Corners 0.5, sides 1.25: 0.25 + 1.25 - 1.5 + 0.5. Flat: 2 c + 4 c - 6 c.
LG_EXAMPLES(laplacian,
            {"", .window = {0.25f, 0.5f, 0, 0.25f, 0.25f, 0.25f, 0, 0.25f, 0.25f},
             .out = {0.5f, 0.5f, 0.5f, 1}},
            {"", .window = {0, 0, 0, 0, 0.25f, 0, 0, 0, 0}, .out = {-1, -1, -1, 1}},
            {"", .window = {0, 0, 0.5f, 1, 0, 0, 0, 0, 0}, .out = {1.75f, 1.75f, 1.75f, 1}})

LG_FILTER(laplacian, WINDOW, 1, .flags = LG_FILTER_PER_CHANNEL,
          .summary = "the Laplacian on mid grey",
          .formula = "kernel (1/2 1 1/2; 1 -6 1; 1/2 1 1/2), plus 1/2",
          .source = "GPUImageLaplacianFilter");

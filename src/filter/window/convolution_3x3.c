// Any 3 x 3 kernel.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(MATRIX3, kernel, "weights: top left, top, top right, left, centre ...")                      \
    LG_BORDER_PARAMETER(X)                                                                         \
    LG_TEXEL_PARAMETERS(X)

LG_PARAMETERS(convolution_3x3)

LG_KERNEL(
    convolution_3x3,
    LG_FUNCTION float convolution_3x3_weight(int i, convolution_3x3_params p) {
        return p.kernel[i];
    } LG_FUNCTION float convolution_3x3_channel(float tl, float t, float tr, float l, float c,
                                                float r, float bl, float b, float br,
                                                convolution_3x3_params p) {
        LG_FLOAT top = (p.kernel[0] * tl + p.kernel[1] * t) + p.kernel[2] * tr;
        LG_FLOAT middle = (p.kernel[3] * l + p.kernel[4] * c) + p.kernel[5] * r;
        LG_FLOAT bottom = (p.kernel[6] * bl + p.kernel[7] * b) + p.kernel[8] * br;
        LG_FLOAT sum = (top + middle) + bottom;
        return sum;
    })

LG_WINDOW_OF_CHANNELS(convolution_3x3)
LG_SUMS_ROWS(convolution_3x3)

// Sobel across a slope of 0.1 per pixel: 4 times -0.2. 0.25 0.5 + 0.125 + 0.25 0.25 + 0.5 0.75 = 0.6875
LG_EXAMPLES(convolution_3x3,
            {"kernel=1,0,-1,2,0,-2,1,0,-1",
             .window = {0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f, 0.7f, 0.8f, 0.9f},
             .out = {-0.8f, -0.8f, -0.8f, 1}},
            {"kernel=0,0.25,0,0.125,0,0.25,0,0.5,0",
             .window = {1, 0.5f, 1, 1, 0, 0.25f, 0, 0.75f, 0},
             .out = {0.6875f, 0.6875f, 0.6875f, 1}})

LG_FILTER(convolution_3x3, WINDOW, 1, .flags = LG_FILTER_PER_CHANNEL, .summary = "any 3 x 3 kernel",
          .formula = "c' = sum of kernel times the nine pixels, neither flipped nor divided; alpha "
                     "is the centre's",
          .source = "GPUImage3x3ConvolutionFilter", .neutral = "kernel=0,0,0,0,1,0,0,0,0");

#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(INTEGER, width, "px", 0, 0, 16777216, "of the result; 0: what keeps the shape")              \
    X(INTEGER, height, "px", 0, 0, 16777216, "of the result; 0: what keeps the shape")             \
    X(NUMBER, scale, "", 1, 0.0001f, 1000, "of both sides, where no width and no height is given")

LG_ROWS(lanczos_resampling)

LG_PIPELINE(lanczos_resampling, 1,
            "resize:width={width}:height={height}:scale={scale}:method=lanczos3",
            .summary = "the image at another size, by Lanczos' kernel",
            .formula = "resize with method=lanczos3", .source = "GPUImageLanczosResamplingFilter",
            .notes = "GPUImage weighs nine pixels of the input whatever the sizes are: it blurs "
                     "what it enlarges and lets through what it should remove",
            .neutral = "width=0:height=0:scale=1");

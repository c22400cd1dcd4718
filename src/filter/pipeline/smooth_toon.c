// Few levels and black edges of a blurred image.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, sigma, "px", 2, 0, 256, "of the Gaussian blur")                                      \
    X(NUMBER, threshold, "", 0.2f, 0, 1, "least gradient that becomes black")                      \
    X(NUMBER, quantization_levels, "", 10, 1, 256, "steps between 0 and 1")                        \
    LG_BORDER_PARAMETER(X)                                                                         \
    LG_TEXEL_PARAMETERS(X)                                                                         \
    X(ALIAS, blur_radius, sigma)

LG_ROWS(smooth_toon)

LG_PIPELINE(smooth_toon, 1,
            "gaussian_blur:sigma={sigma}:border={border} | toon:threshold={threshold}:"
            "quantization_levels={quantization_levels}:border={border}:"
            "texel_width={texel_width}:texel_height={texel_height}",
            .summary = "few levels and black edges, without small ones",
            .formula = "toon(gaussian_blur(c))", .source = "GPUImageSmoothToonFilter");

// Frosted glass.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, sigma, "px", 48, 0, 256, "of the Gaussian blur")                                     \
    X(NUMBER, saturation, "", 0.8f, 0, 2, "0 is grey, 1 leaves colours as they are")               \
    X(NUMBER, range_reduction_factor, "", 0.6f, 0, 1, "how far luminance is drawn to mid grey")    \
    LG_BORDER_PARAMETER(X)                                                                         \
    X(ALIAS, blur_radius, sigma)

LG_ROWS(ios_blur)

LG_PIPELINE(ios_blur, 1,
            "saturation:saturation={saturation} | gaussian_blur:sigma={sigma}:border={border} | "
            "luminance_range:range_reduction_factor={range_reduction_factor}",
            .summary = "frosted glass, as behind panels of a telephone",
            .formula = "luminance_range(gaussian_blur(saturation(c)))",
            .source = "GPUImageiOSBlurFilter",
            .notes = "GPUImage blurs a quarter of the size with sigma 12, which is 48 here, and "
                     "enlarges it");

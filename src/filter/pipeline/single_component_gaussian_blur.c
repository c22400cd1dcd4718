// Gaussian blur of one channel.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, sigma, "px", 2, 0, 256, "standard deviation; 0: no blur")                            \
    X(CHOICE, of, 0, "red|green|blue|alpha|luminance", "what is blurred")                          \
    LG_BORDER_PARAMETER(X)                                                                         \
    X(INTEGER, texel_spacing_multiplier, "px", 1, 1, 64, "from weight to weight")                  \
    X(ALIAS, blur_radius, sigma)

LG_ROWS(single_component_gaussian_blur)

LG_PIPELINE(single_component_gaussian_blur, 1,
            "channel:of={of} | gaussian_blur:sigma={sigma}:border={border}:"
            "texel_spacing_multiplier={texel_spacing_multiplier}",
            .summary = "Gaussian blur of one channel, as a grey image",
            .formula = "gaussian_blur(channel(c, of))",
            .source = "GPUImageSingleComponentGaussianBlurFilter",
            .notes = "a quarter of the work of gaussian_blur on colours");

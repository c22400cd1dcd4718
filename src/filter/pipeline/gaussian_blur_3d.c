// A Gaussian along all three axes of a stack.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, sigma, "px", 2, 0, 256, "standard deviation within a layer")                         \
    X(NUMBER, sigma_z, "layers", 1, 0, 64, "standard deviation along the layers")                  \
    LG_BORDER_PARAMETER(X)

LG_ROWS(gaussian_blur_3d)

LG_PIPELINE(
    gaussian_blur_3d, 1,
    "gaussian_blur:sigma={sigma}:border={border} | "
    "layer_gaussian:sigma={sigma_z}:border={border}",
    .summary = "convolution with a Gaussian of three axes: the layers are those of a volume",
    .formula = "layer_gaussian(gaussian_blur(image))",
    .source = "the separable Gaussian of volumes",
    .notes = "for slices that lie d pixels apart, sigma_z is sigma / d");

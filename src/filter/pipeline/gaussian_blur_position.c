// Blurred within a circle.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, sigma, "px", 5, 0, 256, "of the Gaussian blur")                                      \
    X(POINT, center, 0.5f, 0.5f, "of the circle")                                                  \
    X(NUMBER, radius, "widths", 0.25f, 0, 2, "of the circle")                                      \
    X(NUMBER, fade, "widths", 0, 0, 2, "how far inside the image begins; 0: hard edge")            \
    LG_BORDER_PARAMETER(X)                                                                         \
    X(ALIAS, blur_center, center)                                                                  \
    X(ALIAS, blur_radius, radius)

LG_ROWS(gaussian_blur_position)

LG_PIPELINE(gaussian_blur_position, 1,
            "gaussian_blur:sigma={sigma}:border={border} | "
            "circle_mix:over=#in:center={center}:radius={radius}:fade={fade}",
            .summary = "Gaussian blur within a circle",
            .formula = "circle_mix of gaussian_blur(image) and the image",
            .source = "GPUImageGaussianBlurPositionFilter",
            .notes =
                "GPUImage's blur has 9 weights blur_size pixels apart: sigma is 2.1 blur_size. "
                "It moves the circle where the image is not square");

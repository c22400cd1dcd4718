// Blurred but for a circle.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, sigma, "px", 5, 0, 256, "of the Gaussian blur")                                      \
    X(POINT, exclude_circle_point, 0.5f, 0.5f, "the middle of the circle that stays sharp")        \
    X(NUMBER, exclude_circle_radius, "widths", 0.1875f, 0, 2, "from where on all is blurred")      \
    X(NUMBER, exclude_blur_size, "widths", 0.09375f, 0, 2, "how far inside the blur begins")       \
    LG_BORDER_PARAMETER(X)                                                                         \
    X(ALIAS, blur_radius, sigma)                                                                   \
    X(ALIAS, center, exclude_circle_point)                                                         \
    X(ALIAS, radius, exclude_circle_radius)

LG_ROWS(gaussian_selective_blur)

LG_PIPELINE(gaussian_selective_blur, 1,
            "gaussian_blur:sigma={sigma}:border={border} #soft | #in | "
            "circle_mix:over=#soft:center={exclude_circle_point}:radius={exclude_circle_radius}:"
            "fade={exclude_blur_size}",
            .summary = "Gaussian blur outside of a circle",
            .formula = "circle_mix of the image and gaussian_blur(image)",
            .source = "GPUImageGaussianSelectiveBlurFilter",
            .notes = "a circle on every image; GPUImage's is an ellipse where the image is not "
                     "square");

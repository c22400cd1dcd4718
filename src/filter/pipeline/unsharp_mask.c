// Sharper, by what a blur takes away.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, sigma, "px", 4, 0, 256, "of the Gaussian blur")                                      \
    X(NUMBER, intensity, "", 1.5f, 0, 10, "1 leaves the image as it is, above 1 sharpens")         \
    LG_BORDER_PARAMETER(X)                                                                         \
    X(ALIAS, blur_radius, sigma)

LG_ROWS(unsharp_mask)

LG_PIPELINE(unsharp_mask, 1,
            "gaussian_blur:sigma={sigma}:border={border} #soft | #in | "
            "extrapolate:over=#soft:amount={intensity}",
            .summary = "sharper, by what a blur takes away",
            .formula = "c' = c intensity + gaussian_blur(c, sigma) (1 - intensity); alpha stays",
            .source = "GPUImageUnsharpMaskFilter",
            .notes = "GPUImage's intensity of 1 does nothing");

// A band of scales: what is left between two Gaussian blurs.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, low_sigma, "px", 1, 0, 256, "of the blur that is subtracted from; 0: none")          \
    X(NUMBER, high_sigma, "px", 1.6f, 0, 256, "of the blur that is subtracted")                    \
    LG_BORDER_PARAMETER(X)

LG_ROWS(difference_of_gaussians)

LG_PIPELINE(difference_of_gaussians, 1,
            "gaussian_blur:sigma={low_sigma}:border={border} #low | #in | "
            "gaussian_blur:sigma={high_sigma}:border={border} #high | #low | "
            "signed_difference:over=#high",
            .summary = "a band of scales: one Gaussian blur less another",
            .formula = "c' = gaussian_blur(c, low_sigma) - gaussian_blur(c, high_sigma) for "
                       "r, g, b; alpha of the first",
            .source = "D. Marr and E. Hildreth, Theory of edge detection, 1980",
            .notes =
                "high_sigma = 1.6 low_sigma is near the Laplacian of a Gaussian. The result has "
                "a sign: formats of floats keep it, integers make 0 of what is below it");

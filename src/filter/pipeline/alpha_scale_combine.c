// The second image, of any size, as alpha of the first.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(CHOICE, from, 0, "red|luminance|alpha", "what of the second image becomes alpha")

LG_ROWS(alpha_scale_combine)

LG_PIPELINE(alpha_scale_combine, 2, "alpha_combine:over=#over:from={from}:fit=stretch",
            .summary = "the second image, scaled to the first, becomes alpha of it",
            .formula = "alpha_combine of the image and the second one, which resize gives the "
                       "size of the first by the method bilinear",
            .source = "VkAlphaScaleCombinLayer of aoce",
            .notes = "alpha_combine does the same by default, and has other ways to fit an image");

// The mean luminance of the image, everywhere.
#include "filter/kernel.h"

#define PARAMETERS(X)

LG_ROWS(luminosity)

LG_PIPELINE(luminosity, 1, "fill:color=@mean | grayscale",
            .summary = "every pixel gets the mean luminance of the image",
            .formula = "c' = 0.2125 R + 0.7154 G + 0.0721 B of the means over all pixels",
            .source = "GPUImageLuminosity",
            .notes = "exact for 8 bits; GPUImage's mean of means is biased unless the sides are "
                     "powers of 4");

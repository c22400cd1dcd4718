// The mean of the image, everywhere.
#include "filter/kernel.h"

#define PARAMETERS(X)

LG_ROWS(average_color)

LG_PIPELINE(average_color, 1, "fill:color=@mean",
            .summary = "every pixel gets the mean colour of the image",
            .formula = "C' = mean of every channel, alpha included, over all pixels",
            .source = "GPUImageAverageColor",
            .notes = "exact for 8 bits; GPUImage's mean of means is biased unless the sides are "
                     "powers of 4. `stats` prints the figure");

// One figure of the image, everywhere.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(CHOICE, operation, 0, "mean|min|max|range|stddev|median", "the figure of each channel")

LG_ROWS(reduce)

LG_PIPELINE(reduce, 1, "fill:color=@{operation}",
            .summary = "every pixel gets a figure of the image's channels",
            .formula = "C' = the mean, least, largest ... of every channel, alpha included, over "
                       "all pixels",
            .source = "VkReduceLayer of aoce",
            .notes = "aoce has the sum, which images of integers cannot hold: the mean is it by "
                     "the number of pixels. `stats` prints the figures");

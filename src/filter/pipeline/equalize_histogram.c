// Levels of luminance as frequent as each other.
#include "filter/kernel.h"

#define PARAMETERS(X)

LG_ROWS(equalize_histogram)

LG_PIPELINE(equalize_histogram, 1, "measured_curve:type=luminance:curve=@luminance.cdf",
            .summary = "spreads the levels of luminance evenly",
            .formula = "histogram_equalization with type = luminance",
            .source = "VkEqualizeHistLayer of aoce",
            .notes = "aoce divides by all samples and mixes the weights of two standards, so that "
                     "colours change even where luminance does not");

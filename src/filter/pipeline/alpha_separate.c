// Alpha as an image.
#include "filter/kernel.h"

#define PARAMETERS(X)

LG_ROWS(alpha_separate)

LG_PIPELINE(alpha_separate, 1, "map_channel:red=alpha:green=alpha:blue=alpha:alpha=one",
            .summary = "alpha as a grey image", .formula = "c' = a, opaque",
            .source = "VkAlphaSeparateLayer of aoce",
            .notes = "one channel; white where the image has no alpha. alpha_combine puts it back");

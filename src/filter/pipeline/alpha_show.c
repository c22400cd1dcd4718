// Alpha to look at.
#include "filter/kernel.h"

#define PARAMETERS(X)

LG_ROWS(alpha_show)

LG_PIPELINE(alpha_show, 1, "map_channel:red=alpha:green=alpha:blue=alpha:alpha=one",
            .summary = "alpha as a grey image: the same as alpha_separate",
            .formula = "c' = a, opaque", .source = "VkAlphaShowLayer of aoce",
            .notes = "aoce scales histograms of integers, too; see histogram_generator");

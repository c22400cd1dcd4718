// Levels from the image itself.
#include "filter/kernel.h"

#define PARAMETERS(X)

LG_ROWS(auto_levels)

LG_PIPELINE(
    auto_levels, 1, "levels:min=@p0.5:max=@p99.5", .summary = "stretches every channel over 0..1",
    .formula = "levels with min = percentile 0.5 and max = percentile 99.5 of every channel",
    .source = "the usual automatic levels, with half a percent clipped on either side",
    .notes = "a channel without spread between the two percentiles stays as it is");

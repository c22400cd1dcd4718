// White balance by the mean.
#include "filter/kernel.h"

#define PARAMETERS(X)

LG_ROWS(gray_world)

LG_PIPELINE(gray_world, 1, "neutral_balance:neutral=@mean",
            .summary = "white balance: the mean of the image becomes grey",
            .formula = "neutral_balance with neutral = mean of every channel",
            .source = "G. Buchsbaum, A spatial processor model for object colour perception, 1980");

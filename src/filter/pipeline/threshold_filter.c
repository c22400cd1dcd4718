// White from a level of luminance on, else black: the short name.
#include "filter/kernel.h"

#define PARAMETERS(X) X(LEVEL, level, 0.5f, "luminance from which pixels are white")

LG_ROWS(threshold)

LG_PIPELINE(threshold, 1, "luminance_threshold:threshold={level}",
            .summary = "white from a level of luminance on, else black",
            .formula = "luminance_threshold with threshold = level",
            .source = "the usual threshold; with level=@otsu that of `lumagraph threshold`",
            .notes = "a figure such as @otsu lies between two levels of 8-bit images, so that "
                     "\"from on\" and \"above\" are the same");

// White from a share of the mean luminance on.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, threshold_multiplier, "", 1, 0, 2, "the threshold is the mean luminance times this")

LG_ROWS(average_luminance_threshold)

LG_PIPELINE(average_luminance_threshold, 1,
            "luminance_threshold:threshold=@luma.mean*{threshold_multiplier}",
            .summary = "white from a share of the mean luminance on, else black",
            .formula = "luminance_threshold with threshold = mean of 0.2125 r + 0.7154 g + 0.0721 "
                       "b times threshold_multiplier; 8 and 16 bits have a whole number for luma",
            .source = "GPUImageAverageLuminanceThresholdFilter");

// Corners by Noble.
#include "filter/pipeline/corners.h"

#define PARAMETERS(X)                                                                              \
    LG_CORNER_PARAMETERS(X, 5)                                                                     \
    LG_CORNER_OUTPUT(X)

LG_ROWS(noble_corner_detection)

LG_PIPELINE(noble_corner_detection, 1, LG_CORNER_STEPS("noble"),
            .summary = "corners by Noble: white pixels on black", .formula = LG_CORNER_FORMULA,
            .source = "GPUImageNobleCornerDetectionFilter; A. Noble, 1989",
            .notes = LG_CORNER_NOTES);

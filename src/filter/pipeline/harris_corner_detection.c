// Corners by Harris and Stephens.
#include "filter/pipeline/corners.h"

#define PARAMETERS(X)                                                                              \
    LG_CORNER_PARAMETERS(X, 5)                                                                     \
    X(NUMBER, k, "", 0.04f, 0, 0.25f, "how much an edge lowers the measure")                       \
    LG_CORNER_OUTPUT(X)

LG_ROWS(harris_corner_detection)

LG_PIPELINE(harris_corner_detection, 1, LG_CORNER_STEPS("harris:k={k}"),
            .summary = "corners by Harris: white pixels on black", .formula = LG_CORNER_FORMULA,
            .source = "GPUImageHarrisCornerDetectionFilter; C. Harris and M. Stephens, 1988",
            .notes = LG_CORNER_NOTES);

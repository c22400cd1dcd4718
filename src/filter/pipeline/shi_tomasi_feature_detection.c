// Corners by Shi and Tomasi.
#include "filter/pipeline/corners.h"

#define PARAMETERS(X)                                                                              \
    LG_CORNER_PARAMETERS(X, 1.5f)                                                                  \
    LG_CORNER_OUTPUT(X)

LG_ROWS(shi_tomasi_feature_detection)

LG_PIPELINE(shi_tomasi_feature_detection, 1, LG_CORNER_STEPS("shi_tomasi"),
            .summary = "corners by Shi and Tomasi: white pixels on black",
            .formula = LG_CORNER_FORMULA,
            .source = "GPUImageShiTomasiFeatureDetectionFilter; J. Shi and C. Tomasi, 1994",
            .notes = LG_CORNER_NOTES);

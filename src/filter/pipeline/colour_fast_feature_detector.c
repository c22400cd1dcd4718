// A descriptor per pixel of the blurred image.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(INTEGER, radius, "px", 3, 0, 4096, "the blur has 2 radius + 1 pixels on a side")             \
    LG_BORDER_PARAMETER(X)                                                                         \
    X(ALIAS, blur_radius, radius)

LG_ROWS(colour_fast_feature_detector)

LG_PIPELINE(
    colour_fast_feature_detector, 1,
    "box_blur:radius={radius}:border={border} | colour_fast_sampling:border={border}",
    .summary = "contrast and direction of eight samples around a pixel of the blurred image",
    .formula = "colour_fast_sampling(box_blur(image))",
    .source = "GPUImageColourFASTFeatureDetector",
    .notes = "GPUImage 1 samples the image that is not blurred; a descriptor, which does not "
             "decide what is a corner. Formats with alpha, such as PNG, show the angle as "
             "transparency; .npy keeps all four numbers");

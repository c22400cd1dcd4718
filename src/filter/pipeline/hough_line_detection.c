// The straight lines of a photograph, by GPUImage's name.
#include "filter/pipeline/hough_line_parameters.h"

#define PARAMETERS(X) LG_HOUGH_LINE_PARAMETERS(X)

LG_ROWS(hough_line_detection)

LG_PIPELINE_LIMITED(
    hough_line_detection, 1,
    "hough_transform_line_detection:sigma={sigma}:upper_threshold={upper_threshold}:"
    "lower_threshold={lower_threshold}:line_detection_threshold={line_detection_threshold}:"
    "lines={lines}:angles={angles}:step={step}",
    "lower_threshold <= upper_threshold", .summary = "the straight lines of an image, as a list",
    .formula = "hough_transform_line_detection", .source = "GPUImageHoughTransformLineDetector",
    .notes = "another name of hough_transform_line_detection");

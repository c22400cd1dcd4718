// The straight lines of a photograph: edges, votes, peaks.
#include "filter/pipeline/hough_line_parameters.h"

#define PARAMETERS(X) LG_HOUGH_LINE_PARAMETERS(X)

LG_ROWS(hough_transform_line_detection)

LG_PIPELINE_LIMITED(
    hough_transform_line_detection, 1,
    "canny_edge_detection:sigma={sigma}:upper_threshold={upper_threshold}:lower_threshold="
    "{lower_threshold} | hough_transform:angles={angles}:step={step} | hough_lines:lines={lines}:"
    "threshold={line_detection_threshold}:step={step}",
    "lower_threshold <= upper_threshold", .summary = "the straight lines of an image, as a list",
    .formula = "hough_lines(hough_transform(canny_edge_detection(image)))",
    .source = "GPUImageHoughTransformLineDetector",
    .notes =
        "a row of floats, one pixel a line, most edge pixels first: cos t, sin t, distance d in "
        "pixels, votes as a share of the longer side. Write it as .npy, read it with "
        "lg_lines_read, or draw it: ... #lines | #in | draw_lines:over=#lines. GPUImage gives "
        "slope "
        "and intercept, which lg_lines_read also has");

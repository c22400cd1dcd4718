// Votes of edges for lines in parallel coordinates.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(INTEGER, columns, "", 256, 2, 3600, "of the result, from -1 to 1")                           \
    X(NUMBER, step, "px", 1, 0.25f, 64, "between its rows")

LG_ROWS(parallel_coordinate_line_transform)

LG_PIPELINE(
    parallel_coordinate_line_transform, 1,
    "hough_transform:angles={columns}:step={step}:coordinates=parallel",
    .summary = "how many edge pixels lie on each straight line, in parallel coordinates",
    .formula = "c'(k, j) = pixels with red > 0 for which round((x (1 - |u|) + y u) / step) = j - "
               "reach, divided by the longer side; u = (2 k + 1) / columns - 1",
    .source = "GPUImageParallelCoordinateLineTransformFilter",
    .notes = "a pixel is two segments, (-1, -y) to (0, x) and (0, x) to (1, y), and a line the "
             "point where those of its pixels meet; reach as in hough_transform. x and y from the "
             "middle of the top left pixel, where GPUImage's go from -1 to 1");

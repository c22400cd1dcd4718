// What both names of the lines of a photograph take.
#ifndef LG_HOUGH_LINE_PARAMETERS_H
#define LG_HOUGH_LINE_PARAMETERS_H

#include "filter/kernel.h"

#define LG_HOUGH_LINE_PARAMETERS(X)                                                                \
    X(NUMBER, sigma, "px", 2, 0, 100, "of the Gaussian in front of the edges; 0: none")            \
    X(NUMBER, upper_threshold, "", 0.4f, 0, 10, "magnitude from which a pixel is an edge")         \
    X(NUMBER, lower_threshold, "", 0.1f, 0, 10,                                                    \
      "magnitude above which a pixel that touches an edge is one")                                 \
    X(NUMBER, line_detection_threshold, "", 0.2f, 0, 1,                                            \
      "least edge pixels of a line, as a share of the image's longer side")                        \
    X(INTEGER, lines, "", 64, 1, 1024, "at most so many lines: columns of the result")             \
    X(INTEGER, angles, "", 180, 1, 3600, "of half a turn")                                         \
    X(NUMBER, step, "px", 1, 0.25f, 64, "between distances")                                       \
    X(ALIAS, threshold, line_detection_threshold)

#endif

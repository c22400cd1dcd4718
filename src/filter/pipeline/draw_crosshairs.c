// Crosses where another image is not black: over corners that were found in the same run.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(INTEGER, crosshair_width, "px", 9, 1, 128, "length of the bars")                             \
    X(INTEGER, thickness, "px", 1, 1, 128, "of the bars")                                          \
    X(COLOR, crosshair_color, 0, 1, 0, 1, "of the crosses; its alpha says how much covers")        \
    X(ALIAS, width, crosshair_width)                                                               \
    X(ALIAS, color, crosshair_color)

LG_ROWS(draw_crosshairs)

LG_PIPELINE(draw_crosshairs, 2,
            "#over | dilation:width={crosshair_width}:height={thickness}:border=constant #across | "
            "#over | dilation:width={thickness}:height={crosshair_width}:border=constant | "
            "lighten_blend:over=#across #crosses | #in | "
            "alpha_show2:over=#crosses:color={crosshair_color}",
            .summary = "crosses over an image where the second one is not black",
            .formula = "c' = mix(c, crosshair_color, its alpha) where red of the second image is "
                       "above 0 within crosshair_width x thickness or thickness x crosshair_width "
                       "pixels; else c",
            .source = "GPUImageCrosshairGenerator over the points of a detector",
            .notes =
                "any number of points, which stay on the device: harris_corner_detection "
                "#corners | #in | draw_crosshairs:over=#corners. draw_lines does it for lines, "
                "crosshair_generator for points that are written down");

// Length of the gradient by Sobel, and its direction as one of eight.
#include "filter/kernel.h"
#include "kernel/edge_math.h"

#define PARAMETERS(X)                                                                              \
    LG_BORDER_PARAMETER(X)                                                                         \
    LG_TEXEL_PARAMETERS(X)

LG_PARAMETERS(directional_sobel_edge_detection)

// A component of the unit vector counts from sin(pi / 8) on: its square from 0.146446609 of the whole.
LG_KERNEL(
    directional_sobel_edge_detection,
    LG_FUNCTION float directional_sobel_edge_detection_value(color c) {
        return lg_luminance(c);
    } LG_FUNCTION float directional_sobel_edge_detection_sign(float g, float least) {
        LG_FLOAT square = g * g;
        LG_FLOAT sign = g < 0.0f ? 0.0f : 1.0f;
        return square > least ? sign : 0.5f;
    } LG_FUNCTION color
        directional_sobel_edge_detection_kernel(neighborhood n, color c, place at,
                                                directional_sobel_edge_detection_params p) {
            LG_FLOAT gx = lg_across(n, 2.0f);
            LG_FLOAT gy = lg_down(n, 2.0f);
            LG_FLOAT square = gy * gy + gx * gx;
            LG_FLOAT least = square * 0.146446609f;
            return rgba(lg_sqrt(square), directional_sobel_edge_detection_sign(gx, least),
                        directional_sobel_edge_detection_sign(gy, least), c.a);
        })

LG_WINDOW_OF_VALUES(directional_sobel_edge_detection)

// A step to the left of 4 0.125; a corner, 1 across and 1 down; 3/8 across and 1/8 up: below 22.5
// degrees; nothing.
LG_EXAMPLES(directional_sobel_edge_detection,
            {"", .window = {0.125f, 0.5f, 0, 0.125f, 0.5f, 0, 0.125f, 0.5f, 0},
             .out = {0.5f, 0, 0.5f, 1}},
            {"", .window = {0, 0, 0, 0, 0, 0.25f, 0, 0.25f, 0.5f}, .out = {1.41421356f, 1, 1, 1}},
            {"", .window = {0, 0, 0.125f, 0, 0, 0.125f, 0, 0, 0}, .out = {0.39528471f, 1, 0.5f, 1}},
            {"", .window = {0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f},
             .out = {0, 0.5f, 0.5f, 1}})

LG_FILTER(directional_sobel_edge_detection, WINDOW, 1, .flags = LG_FILTER_MAKES_COLOR,
          .summary = "length of the gradient by Sobel, and its direction as one of eight",
          .formula = "r = |(gx, gy)| of sobel_edge_detection; g, b = 0, 1/2 or 1 for a direction "
                     "of -1, 0 or 1 to the right and down: 0 where |gx| (|gy|) <= sin(pi / 8) r",
          .source = "GPUImageDirectionalSobelEdgeDetectionFilter",
          .notes = "on luminance; alpha is the centre's. No gradient has no direction, where "
                   "GPUImage divides by 0. In 8 bits 1/2 is 128/255, which "
                   "directional_non_maximum_suppression takes for 1/2");

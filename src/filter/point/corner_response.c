// How much of a corner the surroundings of a pixel are.
#include "filter/kernel.h"
#include "kernel/corner_math.h"

#define PARAMETERS(X)                                                                              \
    X(CHOICE, method, 0, "harris|noble|shi_tomasi", "which measure")                               \
    X(NUMBER, sensitivity, "", 5, 0, 1000, "factor of the measure")                                \
    X(NUMBER, k, "", 0.04f, 0, 0.25f, "of Harris: how much an edge lowers the measure")

LG_PARAMETERS(corner_response)

LG_KERNEL(
    corner_response,
    LG_FUNCTION color corner_response_kernel(color c, place at, corner_response_params p) {
        LG_FLOAT v = lg_corner_measure(c, p.method, p.k, p.sensitivity);
        return rgba(v, v, v, 1.0f);
    })

LG_POINT(corner_response)

// Determinant 1 0.5 - 0.25 = 0.25, trace 1.5: (0.25 - 0.09) 5; 0.25 / 1.5 5; 1.5 - sqrt(0.25 + 1).
LG_EXAMPLES(corner_response, {"", .in = {1, 0.5f, 0.5f, 1}, .out = {0.8f, 0.8f, 0.8f, 1}},
            {"method=noble", .in = {1, 0.5f, 0.5f, 0.5f},
             .out = {0.83333333f, 0.83333333f, 0.83333333f, 1}},
            {"method=noble", .in = {0, 0, 0, 1}, .out = {0, 0, 0, 1}},
            {"method=shi_tomasi:sensitivity=1.5", .in = {1, 0.5f, 0.5f, 1},
             .out = {0.57294902f, 0.57294902f, 0.57294902f, 1}})

LG_FILTER(
    corner_response, POINT, 1,
    .summary = "a measure of corners, of smoothed products of derivatives",
    .formula = "A = r, B = g, C = b, means of gx^2, gy^2, gx gy. harris: (A B - C^2 - k (A + B)^2) "
               "s; noble: (A B - C^2) / (A + B) s, 0 where A + B = 0; shi_tomasi: (A + B - sqrt((A "
               "- B)^2 + 4 C^2)) s, twice the smaller eigenvalue; s = sensitivity",
    .source = "GPUImageHarrisCornerDetectionFilter, GPUImageNobleCornerDetectionFilter, "
              "GPUImageShiTomasiFeatureDetectionFilter",
    .notes = "on the blurred result of xy_derivative with offset=0. Edges are below 0 by Harris, "
             "which formats of floats keep");

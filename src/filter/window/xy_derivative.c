// Products of the two derivatives of luminance: what corner detectors begin with.
#include "filter/kernel.h"
#include "kernel/corner_math.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, edge_strength, "", 1, 0, 16, "factor of the derivatives")                            \
    X(FLAG, offset, 1, "blue is (gx gy + 1) / 2, which needs no sign; 0: gx gy itself")            \
    LG_BORDER_PARAMETER(X)                                                                         \
    LG_TEXEL_PARAMETERS(X)

LG_PARAMETERS(xy_derivative)

LG_KERNEL(
    xy_derivative,
    LG_FUNCTION float xy_derivative_value(color c) { return lg_luminance(c); } LG_FUNCTION color
        xy_derivative_kernel(neighborhood n, color c, place at, xy_derivative_params p) {
            LG_FLOAT gx = lg_across(n, 1.0f) * p.edge_strength;
            LG_FLOAT gy = lg_down(n, 1.0f) * p.edge_strength;
            LG_COLOR y = lg_corner_products(gx, gy, c.a);
            LG_FLOAT raised = (y.b + 1.0f) * 0.5f;
            y.b = lg_choose(p.offset > 0.0f, raised, y.b);
            return y;
        })

LG_WINDOW_OF_VALUES(xy_derivative)

// A step of 0.125 across: 3 0.125 = 0.375. A corner: 0.75 across and 0.75 down.
LG_EXAMPLES(xy_derivative,
            {"", .window = {0, 0.5f, 0.125f, 0, 0.5f, 0.125f, 0, 0.5f, 0.125f},
             .out = {0.140625f, 0, 0.5f, 1}},
            {"", .window = {0, 0, 0, 0, 0, 0.25f, 0, 0.25f, 0.5f},
             .out = {0.5625f, 0.5625f, 0.78125f, 1}},
            {"edge_strength=2:offset=0", .window = {0, 0, 0, 0.25f, 0, 0, 0.5f, 0.25f, 0},
             .out = {2.25f, 2.25f, -2.25f, 1}})

LG_FILTER(xy_derivative, WINDOW, 1, .flags = LG_FILTER_MAKES_COLOR,
          .summary = "squares and product of the two derivatives of luminance",
          .formula = "r = gx^2, g = gy^2, b = (gx gy + 1) / 2, or gx gy with offset=0; gx = (right "
                     "column - left column) edge_strength, gy = (bottom row - top row) "
                     "edge_strength with weights 1 1 1",
          .source = "GPUImageXYDerivativeFilter",
          .notes = "on luminance 0.2125 r + 0.7154 g + 0.0721 b; alpha is the centre's. GPUImage "
                   "stores the products in 8 bits; between filters they are floats here, and "
                   "formats of floats keep them");

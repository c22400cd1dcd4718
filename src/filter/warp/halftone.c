// Black discs on white, the larger the darker.
#include "filter/kernel.h"
#include "kernel/cell_math.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, fractional_width_of_pixel, "widths", 0.01f, 0, 1, "from disc to disc")               \
    X(ALIAS, pixel_width, fractional_width_of_pixel)

LG_PARAMETERS(halftone)

LG_KERNEL(
    halftone,
    LG_FUNCTION point halftone_kernel(place at, halftone_params p) {
        return lg_cell_middle(at, lg_cell_side(at, p.fractional_width_of_pixel));
    } LG_FUNCTION color halftone_finish(color c, place at, halftone_params p) {
        LG_FLOAT side = lg_cell_side(at, p.fractional_width_of_pixel);
        LG_FLOAT radius = (side * 0.5f) * lg_clamp01(1.0f - lg_luminance(c));
        LG_FLOAT square = lg_square_from(at, lg_cell_middle(at, side));
        LG_FLOAT v = square <= radius * radius ? 0.0f : 1.0f;
        return rgba(v, v, v, c.a);
    })

LG_WARP(halftone)
LG_FINISH(halftone)

// The pixel at (0.5, 0.5) is 0.1 and 0.1 from the middle (0.6, 0.6) of its square: 0.141 from it, the
// radius being 0.2 (1 - l).
LG_EXAMPLES(halftone,
            {"fractional_width_of_pixel=0.4", .in = {0.25f, 0.25f, 0.25f, 0.5f},
             .out = {0, 0, 0, 0.5f}, .x = 0.5f, .y = 0.5f},
            {"fractional_width_of_pixel=0.4", .in = {0.5f, 0.5f, 0.5f, 1}, .out = {1, 1, 1, 1},
             .x = 0.5f, .y = 0.5f})

LG_FILTER(halftone, WARP, 1, .summary = "black discs on white, the larger the darker",
          .formula =
              "black where the distance from the middle of the square of pixellate is at "
              "most w / 2 (1 - l), else white; w: the square's side, l = 0.2125 r + 0.7154 g "
              "+ 0.0721 b at its middle; alpha is that of the middle",
          .source = "GPUImageHalftoneFilter");

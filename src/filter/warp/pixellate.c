// Large square pixels.
#include "filter/kernel.h"
#include "kernel/cell_math.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, fractional_width_of_pixel, "widths", 0.05f, 0, 1,                                    \
      "side of a square; no square is smaller than a pixel")                                       \
    X(ALIAS, pixel_width, fractional_width_of_pixel)

LG_PARAMETERS(pixellate)

LG_KERNEL(
    pixellate, LG_FUNCTION point pixellate_kernel(place at, pixellate_params p) {
        return lg_cell_middle(at, lg_cell_side(at, p.fractional_width_of_pixel));
    })

LG_WARP(pixellate)

LG_EXAMPLES(pixellate, {"", .in = {0.25f, 0.5f, 0.75f, 0.5f}, .out = {0.25f, 0.5f, 0.75f, 0.5f}},
            {"fractional_width_of_pixel=0.3", .in = {1, 0.5f, 0, 1}, .out = {1, 0.5f, 0, 1}})

LG_FILTER(pixellate, WARP, 1, .summary = "large square pixels",
          .formula =
              "squares of w = max(fractional_width_of_pixel, 1 / W) widths from the top left "
              "on; each has the colour at its middle: x = (floor(x / w) + 1/2) w, y likewise "
              "with w W / H",
          .source = "GPUImagePixellateFilter",
          .notes = "the colour is a sample, not a mean: box_blur first makes it smoother");

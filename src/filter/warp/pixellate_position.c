// Large square pixels within a circle.
#include "filter/kernel.h"
#include "kernel/cell_math.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, fractional_width_of_pixel, "widths", 0.05f, 0, 1,                                    \
      "side of a square; no square is smaller than a pixel")                                       \
    X(POINT, center, 0.5f, 0.5f, "of the circle")                                                  \
    X(NUMBER, radius, "widths", 0.25f, 0, 2, "of the circle")                                      \
    X(ALIAS, pixel_width, fractional_width_of_pixel)

LG_PARAMETERS(pixellate_position)

LG_KERNEL(
    pixellate_position,
    LG_FUNCTION point pixellate_position_kernel(place at, pixellate_position_params p) {
        point to = lg_cell_middle(at, lg_cell_side(at, p.fractional_width_of_pixel));
        bool inside = lg_square_from(at, p.center) < p.radius * p.radius;
        return xy(inside ? to.x : at.x, inside ? to.y : at.y);
    })

LG_WARP(pixellate_position)

LG_EXAMPLES(pixellate_position,
            {"", .in = {0.25f, 0.5f, 0.75f, 0.5f}, .out = {0.25f, 0.5f, 0.75f, 0.5f}},
            {"radius=1", .in = {1, 0.5f, 0, 1}, .out = {1, 0.5f, 0, 1}})

LG_FILTER(pixellate_position, WARP, 1, .summary = "large square pixels within a circle",
          .formula = "pixellate where |(x - cx, (y - cy) height / width)| < radius, elsewhere the "
                     "image",
          .source = "GPUImagePixellatePositionFilter",
          .notes = "GPUImage moves the circle where the image is not square",
          .neutral = "radius=0");

// Discs of one colour on black.
#include "filter/kernel.h"
#include "kernel/cell_math.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, fractional_width_of_pixel, "widths", 0.05f, 0, 1, "from disc to disc")               \
    X(NUMBER, dot_scaling, "", 0.9f, 0, 1.5f, "diameter of a disc; 1: discs touch")                \
    X(ALIAS, pixel_width, fractional_width_of_pixel)

LG_PARAMETERS(polka_dot)

LG_KERNEL(
    polka_dot,
    LG_FUNCTION point polka_dot_kernel(place at, polka_dot_params p) {
        return lg_cell_middle(at, lg_cell_side(at, p.fractional_width_of_pixel));
    } LG_FUNCTION color polka_dot_finish(color c, place at, polka_dot_params p) {
        LG_FLOAT side = lg_cell_side(at, p.fractional_width_of_pixel);
        LG_FLOAT radius = (side * 0.5f) * p.dot_scaling;
        bool inside = lg_square_from(at, lg_cell_middle(at, side)) <= radius * radius;
        return rgba(inside ? c.r : 0.0f, inside ? c.g : 0.0f, inside ? c.b : 0.0f, c.a);
    })

LG_WARP(polka_dot)
LG_FINISH(polka_dot)

// A corner of a square is 0.71 sides from its middle: a disc of 0.75 covers it.
LG_EXAMPLES(polka_dot,
            {"dot_scaling=1.5", .in = {0.25f, 0.5f, 0.75f, 0.5f},
             .out = {0.25f, 0.5f, 0.75f, 0.5f}},
            {"dot_scaling=0:fractional_width_of_pixel=0.4", .in = {1, 0.5f, 0.25f, 0.5f},
             .out = {0, 0, 0, 0.5f}, .x = 0.5f, .y = 0.5f})

LG_FILTER(polka_dot, WARP, 1, .summary = "discs of one colour on black",
          .formula = "pixellate; black where the distance from the middle of the square is above "
                     "w / 2 dot_scaling, w being the square's side; alpha is that of the middle",
          .source = "GPUImagePolkaDotFilter");

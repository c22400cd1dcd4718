// A disc.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, radius, "widths", 0.25f, 0, 2, "of the circle")                                      \
    X(POINT, center, 0.5f, 0.5f, "of the circle")                                                  \
    X(COLOR, circle_color, 1, 1, 1, 1, "inside")                                                   \
    X(COLOR, background_color, 0, 0, 0, 1, "outside")                                              \
    X(ALIAS, color, circle_color)                                                                  \
    X(ALIAS, background, background_color)

LG_PARAMETERS(circle_generator)

LG_KERNEL(
    circle_generator,
    LG_FUNCTION color circle_generator_kernel(place at, circle_generator_params p) {
        LG_FLOAT x = at.x - p.center.x;
        LG_FLOAT y = (at.y - p.center.y) * at.aspect;
        LG_FLOAT square = x * x + y * y;
        LG_FLOAT most = p.radius * p.radius;
        LG_COLOR c = p.background_color;
        c.r = square <= most ? p.circle_color.r : c.r;
        c.g = square <= most ? p.circle_color.g : c.g;
        c.b = square <= most ? p.circle_color.b : c.b;
        c.a = square <= most ? p.circle_color.a : c.a;
        return c;
    })

LG_GENERATE(circle_generator)

LG_EXAMPLES(circle_generator, {"", .out = {1, 1, 1, 1}, .x = 0.5f, .y = 0.5f},
            {"center=0.25,0.5:radius=0.2:background=0,0.5,1,0.5", .out = {0, 0.5f, 1, 0.5f},
             .x = 0.5f, .y = 0.5f},
            {"center=0.25,0.5:radius=0.26:color=0,0.5,1,0.5", .out = {0, 0.5f, 1, 0.5f}, .x = 0.5f,
             .y = 0.5f})

LG_FILTER(circle_generator, GENERATE, 1, .flags = LG_FILTER_MAKES_COLOR | LG_FILTER_MAKES_ALPHA,
          .summary = "a disc of one colour on another",
          .formula = "circle_color where |(x - cx, (y - cy) height / width)| <= radius, else "
                     "background_color",
          .source = "CircleGenerator of GPUImage2",
          .notes = "GPUImage2 moves the circle where the image is not square");

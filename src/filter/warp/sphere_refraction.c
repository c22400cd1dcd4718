// The image through a ball of glass.
#include "filter/kernel.h"
#include "kernel/cell_math.h"

#define PARAMETERS(X)                                                                              \
    X(POINT, center, 0.5f, 0.5f, "of the ball")                                                    \
    X(NUMBER, radius, "widths", 0.25f, 0, 2, "of the ball")                                        \
    X(NUMBER, refractive_index, "", 0.71f, 0, 2, "of air over that of the ball")

LG_PARAMETERS(sphere_refraction)

// A ray along (0, 0, -1) goes on along (0, 0, -n) + (n z - sqrt(k)) N, N being the normal of length 1 with
// its part z towards the eye.
LG_KERNEL(
    sphere_refraction,
    LG_FUNCTION float sphere_refraction_square(place at, sphere_refraction_params p) {
        LG_FLOAT inverse = lg_div(1.0f, lg_choose(p.radius > 0.0f, p.radius, 1.0f));
        LG_FLOAT square = lg_square_from(at, p.center) * (inverse * inverse);
        return lg_choose(p.radius > 0.0f, square, 2.0f);
    } LG_FUNCTION point sphere_refraction_kernel(place at, sphere_refraction_params p) {
        LG_FLOAT n = p.refractive_index;
        LG_FLOAT square = sphere_refraction_square(at, p);
        LG_FLOAT k = 1.0f - (n * n) * square;
        LG_FLOAT bent = n * lg_sqrt(1.0f - square) - lg_sqrt(k);
        bent = k < 0.0f ? 0.0f : bent;
        LG_FLOAT inverse = lg_div(0.5f, lg_choose(p.radius > 0.0f, p.radius, 1.0f));
        LG_FLOAT x = 0.5f + bent * ((at.x - p.center.x) * inverse);
        LG_FLOAT y = 0.5f + bent * (((at.y - p.center.y) * at.aspect) * inverse);
        return xy(x, y);
    } LG_FUNCTION color sphere_refraction_finish(color c, place at, sphere_refraction_params p) {
        bool inside = sphere_refraction_square(at, p) <= 1.0f;
        return rgba(inside ? c.r : 0.0f, inside ? c.g : 0.0f, inside ? c.b : 0.0f,
                    inside ? c.a : 0.0f);
    })

LG_WARP(sphere_refraction)
LG_FINISH(sphere_refraction)

LG_EXAMPLES(sphere_refraction,
            {"", .in = {0.25f, 0.5f, 0.75f, 0.5f}, .out = {0.25f, 0.5f, 0.75f, 0.5f}, .x = 0.5f,
             .y = 0.5f},
            {"center=0.5,0:radius=0.25", .in = {0.25f, 0.5f, 0.75f, 0.5f}, .out = {0, 0, 0, 0},
             .x = 0.5f, .y = 0.5f})

LG_FILTER(sphere_refraction, WARP, 1, .flags = LG_FILTER_MAKES_ALPHA,
          .summary = "the image through a ball of glass, upside down",
          .formula =
              "(u, v) = (x - cx, (y - cy) height / width) / radius, d^2 = u^2 + v^2; d <= 1: "
              "read at 1/2 + (n sqrt(1 - d^2) - sqrt(1 - n^2 d^2)) / 2 (u, v), n being "
              "refractive_index, at 1/2 where 1 - n^2 d^2 < 0; outside transparent black",
          .source = "GPUImageSphereRefractionFilter",
          .notes = "GPUImage moves the ball where the image is not square");

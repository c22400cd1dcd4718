// A ball of glass with a light on it.
#include "filter/kernel.h"
#include "kernel/cell_math.h"

#define PARAMETERS(X)                                                                              \
    X(POINT, center, 0.5f, 0.5f, "of the ball")                                                    \
    X(NUMBER, radius, "widths", 0.25f, 0, 2, "of the ball")                                        \
    X(NUMBER, refractive_index, "", 0.71f, 0, 2, "of air over that of the ball")

LG_PARAMETERS(glass_sphere)

// As sphere_refraction, with the ray turned around and twice as long. The light comes from (-1/2, 1/2, 1).
LG_KERNEL(
    glass_sphere,
    LG_FUNCTION float glass_sphere_inverse(glass_sphere_params p) {
        return lg_div(1.0f, lg_choose(p.radius > 0.0f, p.radius, 1.0f));
    } LG_FUNCTION float glass_sphere_square(place at, glass_sphere_params p) {
        LG_FLOAT inverse = glass_sphere_inverse(p);
        LG_FLOAT square = lg_square_from(at, p.center) * (inverse * inverse);
        return lg_choose(p.radius > 0.0f, square, 2.0f);
    } LG_FUNCTION point glass_sphere_kernel(place at, glass_sphere_params p) {
        LG_FLOAT n = p.refractive_index;
        LG_FLOAT square = glass_sphere_square(at, p);
        LG_FLOAT k = 1.0f - (n * n) * square;
        LG_FLOAT bent = lg_sqrt(k) - n * lg_sqrt(1.0f - square);
        bent = k < 0.0f ? 0.0f : bent;
        LG_FLOAT inverse = glass_sphere_inverse(p);
        LG_FLOAT x = 0.5f + bent * ((at.x - p.center.x) * inverse);
        LG_FLOAT y = 0.5f + bent * (((at.y - p.center.y) * at.aspect) * inverse);
        return xy(x, y);
    } LG_FUNCTION color glass_sphere_finish(color c, place at, glass_sphere_params p) {
        LG_FLOAT square = glass_sphere_square(at, p);
        LG_FLOAT inverse = glass_sphere_inverse(p);
        LG_FLOAT x = (at.x - p.center.x) * inverse;
        LG_FLOAT y = ((at.y - p.center.y) * at.aspect) * inverse;
        LG_FLOAT z = lg_sqrt(1.0f - square);
        LG_FLOAT rim = 2.5f * (1.0f - lg_sqrt(lg_sqrt(z)));
        // 0.5 / sqrt(1.5) and 1 / sqrt(1.5)
        LG_FLOAT light = lg_clamp01((y - x) * 0.40824829f + z * 0.81649658f);
        LG_FLOAT light2 = light * light;
        LG_FLOAT light4 = light2 * light2;
        LG_FLOAT light15 = ((light4 * light4) * light4) * (light2 * light);
        LG_FLOAT more = rim + 0.8f * light15;
        bool inside = square <= 1.0f;
        LG_FLOAT r = c.r + more;
        LG_FLOAT g = c.g + more;
        LG_FLOAT b = c.b + more;
        return rgba(inside ? r : 0.0f, inside ? g : 0.0f, inside ? b : 0.0f, inside ? 1.0f : 0.0f);
    })

LG_WARP(glass_sphere)
LG_FINISH(glass_sphere)

// In the middle z = 1, so there is no rim; the light is (2/3)^(15/2) 0.8.
LG_EXAMPLES(glass_sphere,
            {"", .in = {0.25f, 0.5f, 0.75f, 0.5f}, .out = {0.2882301f, 0.5382301f, 0.7882301f, 1},
             .x = 0.5f, .y = 0.5f},
            {"center=0.5,0:radius=0.25", .in = {0.25f, 0.5f, 0.75f, 0.5f}, .out = {0, 0, 0, 0},
             .x = 0.5f, .y = 0.5f})

LG_FILTER(glass_sphere, WARP, 1, .flags = LG_FILTER_MAKES_ALPHA,
          .summary = "a ball of glass with a light on it",
          .formula = "(u, v) = (x - cx, (y - cy) height / width) / radius, d^2 = u^2 + v^2, z = "
                     "sqrt(1 - d^2); d <= 1: c' = c + 2.5 (1 - z^(1/4)) + 0.8 max(0, (v - u + 2 z) "
                     "/ sqrt(6))^15, c read at 1/2 + (sqrt(1 - n^2 d^2) - n z) (u, v), n being "
                     "refractive_index, and opaque; outside transparent black",
          .source = "GPUImageGlassSphereFilter",
          .notes = "GPUImage moves the ball where the image is not square");

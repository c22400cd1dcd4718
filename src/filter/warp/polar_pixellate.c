// Large pixels between rings and rays.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(POINT, center, 0.5f, 0.5f, "of the rings")                                                   \
    X(NUMBER, ring, "widths", 0.025f, 0, 1, "of a ring; 0: no rings")                              \
    X(NUMBER, ray, "radians", 0.05f, 0, 6.2831853f, "of a ray; 0: no rays")

LG_PARAMETERS(polar_pixellate)

LG_KERNEL(
    polar_pixellate,
    LG_FUNCTION float polar_pixellate_middle(float v, float size) {
        LG_FLOAT one = lg_choose(size > 0.0f, size, 1.0f);
        LG_FLOAT middle = (floorf(lg_div(v, one)) + 0.5f) * one;
        return lg_choose(size > 0.0f, middle, v);
    } LG_FUNCTION point polar_pixellate_kernel(place at, polar_pixellate_params p) {
        LG_FLOAT x = at.x - p.center.x;
        LG_FLOAT y = (at.y - p.center.y) * at.aspect;
        LG_FLOAT square = x * x + y * y;
        LG_FLOAT d = polar_pixellate_middle(lg_sqrt(square), p.ring);
        LG_FLOAT turn = polar_pixellate_middle(lg_atan2(y, x), p.ray);
        LG_FLOAT across = d * lg_cos(turn);
        LG_FLOAT down = d * lg_sin(turn);
        LG_FLOAT to_x = p.center.x + across;
        LG_FLOAT to_y = p.center.y + down * lg_div(1.0f, at.aspect);
        return xy(to_x, to_y);
    })

LG_WARP(polar_pixellate)

LG_EXAMPLES(polar_pixellate,
            {"", .in = {0.25f, 0.5f, 0.75f, 0.5f}, .out = {0.25f, 0.5f, 0.75f, 0.5f}},
            {"ring=0.2:ray=0", .in = {1, 0.5f, 0, 1}, .out = {1, 0.5f, 0, 1}})

LG_FILTER(polar_pixellate, WARP, 1, .summary = "large pixels between rings and rays",
          .formula = "d and t: distance and angle of (x - cx, (y - cy) height / width); read at "
                     "distance (floor(d / ring) + 1/2) ring and angle (floor(t / ray) + 1/2) ray",
          .source = "GPUImagePolarPixellateFilter, whose pixel_size is 2 ring, ray",
          .notes = "rings are round on every image, and each pixel has the colour at its middle. "
                   "GPUImage reads at its inner edge plus 0.015 and makes ellipses");

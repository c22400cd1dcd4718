// The edges fade to a colour.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(POINT, vignette_center, 0.5f, 0.5f, "what stays clear")                                      \
    X(COLOR, vignette_color, 0, 0, 0, 1, "of the edges")                                           \
    X(NUMBER, vignette_start, "", 0.3f, 0, 2, "distance up to which nothing changes")              \
    X(NUMBER, vignette_end, "", 0.75f, 0, 2,                                                       \
      "distance from which only the colour is left; above the start")                              \
    X(ALIAS, center, vignette_center)                                                              \
    X(ALIAS, color, vignette_color)                                                                \
    X(ALIAS, start, vignette_start)                                                                \
    X(ALIAS, end, vignette_end)

LG_PARAMETERS(vignette)

LG_KERNEL(
    vignette, LG_FUNCTION color vignette_kernel(color c, place at, vignette_params p) {
        LG_FLOAT x = at.x - p.vignette_center.x;
        LG_FLOAT y = at.y - p.vignette_center.y;
        LG_FLOAT square = x * x + y * y;
        LG_FLOAT share = lg_smoothstep(p.vignette_start, p.vignette_end, lg_sqrt(square));
        return lg_mix_rgb(c, p.vignette_color, share);
    })

LG_POINT(vignette)

// At (0.5, 0.5) from (0, 0.5) the distance is 0.5; t = 1/2 gives 1/2, t = 1/4 gives 5/32.
LG_EXAMPLES(vignette,
            {"vignette_center=0,0.5:vignette_start=0.25:vignette_end=0.75",
             .in = {1, 0.5f, 0, 0.5f}, .out = {0.5f, 0.25f, 0, 0.5f}, .x = 0.5f, .y = 0.5f},
            {"center=1,0.5:start=0.25:end=1.25:color=1,0,0", .in = {0, 1, 0.5f, 1},
             .out = {0.15625f, 0.84375f, 0.421875f, 1}, .x = 0.5f, .y = 0.5f})

LG_FILTER_LIMITED(
    vignette, POINT, 1, "vignette_start < vignette_end", .flags = LG_FILTER_MAKES_COLOR,
    .summary = "the edges fade to a colour",
    .formula = "t = smoothstep(vignette_start, vignette_end, |(x, y) - vignette_center|), c' "
               "= c (1 - t) + vignette_color t",
    .source = "GPUImageVignetteFilter",
    .notes = "distances are fractions of width and of height, as in GPUImage: on an image "
             "that is not square the vignette is an ellipse");

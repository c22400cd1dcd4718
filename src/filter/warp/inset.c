// The image drawn into a rectangle.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, x, "widths", 0.55f, -1, 1, "left edge")                                              \
    X(NUMBER, y, "heights", 0.55f, -1, 1, "top edge")                                              \
    X(NUMBER, width, "widths", 0.4f, 0.001f, 2, "of the rectangle")                                \
    X(NUMBER, height, "heights", 0.4f, 0.001f, 2, "of the rectangle")

LG_PARAMETERS(inset)

LG_KERNEL(
    inset,
    LG_FUNCTION point inset_kernel(place at, inset_params p) {
        LG_FLOAT x = (at.x - p.x) * lg_div(1.0f, p.width);
        LG_FLOAT y = (at.y - p.y) * lg_div(1.0f, p.height);
        return xy(x, y);
    } LG_FUNCTION color inset_finish(color c, place at, inset_params p) {
        LG_FLOAT x = at.x - p.x;
        LG_FLOAT y = at.y - p.y;
        LG_FLOAT across = x >= 0.0f ? c.a : 0.0f;
        across = x < p.width ? across : 0.0f;
        LG_FLOAT down = y >= 0.0f ? across : 0.0f;
        LG_COLOR drawn = c;
        drawn.a = y < p.height ? down : 0.0f;
        return drawn;
    })

LG_WARP(inset)
LG_FINISH(inset)

LG_EXAMPLES(inset,
            {"x=0.25:y=0.25:width=0.5:height=0.5", .in = {0.25f, 0.5f, 1, 0.5f},
             .out = {0.25f, 0.5f, 1, 0.5f}, .x = 0.5f, .y = 0.5f},
            {"", .in = {0.25f, 0.5f, 1, 0.5f}, .out = {0.25f, 0.5f, 1, 0}, .x = 0.5f, .y = 0.5f})

LG_FILTER(inset, WARP, 1, .flags = LG_FILTER_MAKES_ALPHA,
          .summary = "the image drawn into a rectangle, transparent around it",
          .formula = "read at ((px - x) / width, (py - y) / height); transparent where a pixel's "
                     "centre is outside the rectangle",
          .source = "the overlay of aoce's VkBlendLayer",
          .notes = "one bilinear sample a pixel: blur first what becomes much smaller. "
                   "picture_in_picture lays it over another image");

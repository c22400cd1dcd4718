// Two images side by side, with a divider.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, divider, "", 0.5f, 0, 1, "share of width or height that shows the first image")      \
    X(CHOICE, direction, 0, "columns|rows", "whether the second is on the right or below")         \
    LG_FIT_PARAMETER(X)

LG_PARAMETERS(two_show)

LG_KERNEL(
    two_show, LG_FUNCTION color two_show_kernel(color b, color o, place at, two_show_params p) {
        LG_FLOAT where = lg_choose(p.direction > 0.0f, at.y, at.x);
        LG_COLOR y = b;
        y.r = where > p.divider ? o.r : b.r;
        y.g = where > p.divider ? o.g : b.g;
        y.b = where > p.divider ? o.b : b.b;
        y.a = where > p.divider ? o.a : b.a;
        return y;
    })

LG_BLEND(two_show)

LG_EXAMPLES(two_show,
            {"", .in = {0.25f, 0.5f, 1, 1}, .over = {1, 0, 0.5f, 0.5f}, .out = {0.25f, 0.5f, 1, 1},
             .x = 0.25f, .y = 0.75f},
            {"direction=rows", .in = {0.25f, 0.5f, 1, 1}, .over = {1, 0, 0.5f, 0.5f},
             .out = {1, 0, 0.5f, 0.5f}, .x = 0.25f, .y = 0.75f},
            {"divider=0.2", .in = {0.25f, 0.5f, 1, 1}, .over = {1, 0, 0.5f, 0.5f},
             .out = {1, 0, 0.5f, 0.5f}, .x = 0.25f, .y = 0.75f})

LG_FILTER(
    two_show, BLEND, 2, .flags = LG_FILTER_TAKES_COLOR | LG_FILTER_TAKES_ALPHA,
    .summary = "two images beside each other, with a divider",
    .formula = "the second image where the pixel's centre lies beyond divider, else the first",
    .source = "VkTwoShowLayer of aoce",
    .notes = "before and after: `run 'color_invert #new | #in | two_show:over=#new'`");

// A rectangle's outline.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    LG_RECTANGLE_PARAMETERS(X)                                                                     \
    X(INTEGER, line_width, "px", 1, 1, 1024, "of the outline, inside the rectangle")               \
    X(COLOR, color, 1, 0, 0, 1, "of the outline; its alpha says how much covers")                  \
    X(ALIAS, radius, line_width)

LG_PARAMETERS(draw_rect)

// The pixels that crop takes. A fraction is a float: 0.7 of 1000 is a little less than 700.
LG_KERNEL(
    draw_rect,
    LG_FUNCTION float draw_rect_whole(float part, float side, float pixels) {
        LG_FLOAT scaled = part * side;
        scaled = scaled + scaled * 2.38418579e-7f;
        return floorf(lg_choose(pixels > 0.0f, part, scaled));
    } LG_FUNCTION float draw_rect_depth(float pixel, float first, float length, float side,
                                        float pixels) {
        LG_FLOAT from = fminf(draw_rect_whole(first, side, pixels), side - 1.0f);
        LG_FLOAT count = fmaxf(draw_rect_whole(length, side, pixels), 1.0f);
        LG_FLOAT end = fminf(from + count, side);
        LG_FLOAT before = pixel - from;
        LG_FLOAT behind = (end - 1.0f) - pixel;
        return fminf(before, behind);
    } LG_FUNCTION color draw_rect_kernel(color c, place at, draw_rect_params p) {
        LG_FLOAT across = draw_rect_depth(floorf(at.x * at.width), p.x, p.width, at.width, p.unit);
        LG_FLOAT down = draw_rect_depth(floorf(at.y * at.height), p.y, p.height, at.height, p.unit);
        LG_FLOAT depth = fminf(across, down);
        LG_FLOAT covered = depth < p.line_width ? p.color.a : 0.0f;
        LG_FLOAT t = depth >= 0.0f ? covered : 0.0f;
        LG_COLOR mixed = lg_mix_rgb(c, p.color, t);
        LG_COLOR y = c;
        y.r = t > 0.0f ? mixed.r : c.r;
        y.g = t > 0.0f ? mixed.g : c.g;
        y.b = t > 0.0f ? mixed.b : c.b;
        y.a = t > 0.0f ? c.a + (1.0f - c.a) * t : c.a;
        return y;
    })

LG_POINT(draw_rect)

// The wanted pixel is the middle of an odd side, at 1/2: the first column from x = 0.5 on.
LG_EXAMPLES(draw_rect,
            {"x=0.5", .in = {0, 0.5f, 1, 0.5f}, .out = {1, 0, 0, 1}, .x = 0.5f, .y = 0.5f},
            {"x=0.5:color=0,1,0,0.5", .in = {0, 0.5f, 1, 0.5f}, .out = {0, 0.75f, 0.5f, 0.75f},
             .x = 0.5f, .y = 0.5f},
            {"", .in = {0, 0.5f, 1, 0.5f}, .out = {0, 0.5f, 1, 0.5f}, .x = 0.5f, .y = 0.5f},
            {"x=0.75", .in = {0, 0.5f, 1, 0.5f}, .out = {0, 0.5f, 1, 0.5f}, .x = 0.5f, .y = 0.5f})

LG_FILTER(draw_rect, POINT, 1, .flags = LG_FILTER_MAKES_COLOR, .summary = "a rectangle's outline",
          .formula =
              "in the outermost line_width pixels of what crop takes: c' = c (1 - t) + color "
              "t, a' = a (1 - t) + t, t = alpha of color; else the image",
          .source = "VkDrawRectLayer of aoce",
          .notes = "the line lies inside the rectangle, so that all of it is seen at the image's "
                   "edge; aoce's lies on either side");

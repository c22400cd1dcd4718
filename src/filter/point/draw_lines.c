// Straight lines over an image: those that hough_lines found.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, line_width, "px", 1, 1, 1024, "pixels of a line in each column, or row if steep")    \
    X(COLOR, line_color, 0, 1, 0, 1, "of the lines; its alpha is their opacity")                   \
    X(TABLE, table, "the lines: the second image, as hough_lines makes it")                        \
    X(ALIAS, width, line_width)                                                                    \
    X(ALIAS, color, line_color)

LG_PARAMETERS(draw_lines)

LG_KERNEL(
    draw_lines, LG_FUNCTION color draw_lines_kernel(color c, place at, draw_lines_params p) {
        LG_FLOAT column = floorf(at.x * at.width);
        LG_FLOAT row = floorf(at.y * at.height);
        LG_FLOAT half_width = p.line_width * 0.5f;
        lg_int ink = 0;
        for (lg_int i = 0; i < p.table.width; i++) {
            LG_COLOR l = lg_at_color(p.table, 4 * i);
            LG_FLOAT off = (column * l.r + row * l.g) - l.b;
            LG_FLOAT most = half_width * fmaxf(fabsf(l.r), fabsf(l.g));
            lg_int here = off > -most ? 1 : 0;
            here = off <= most ? here : 0;
            ink = ink + (l.a > 0.0f ? here : 0);
        }
        LG_FLOAT part = ink > 0 ? p.line_color.a : 0.0f;
        LG_COLOR y = c;
        y.r = lg_mix(c.r, p.line_color.r, part);
        y.g = lg_mix(c.g, p.line_color.g, part);
        y.b = lg_mix(c.b, p.line_color.b, part);
        y.a = c.a + (1.0f - c.a) * part; // opaque stays so, whatever the opacity
        return y;
    })

LG_POINT(draw_lines)

static lg_status draw_lines_check(const lg_image_params *table, lg_error *error)
{
    return LG_OK;
}

// Lines x = 0 that are wide enough for every pixel, the second half transparent; one too far away, and one
// without votes.
LG_EXAMPLES(draw_lines,
            {"width=1024", .in = {0.25f, 0.5f, 1, 1}, .over = {1, 0, 0, 1}, .out = {0, 1, 0, 1}},
            {"width=1024:color=1,0,0,0.5", .in = {0, 0.5f, 1, 1}, .over = {1, 0, 0, 0.25f},
             .out = {0.5f, 0.25f, 0.5f, 1}},
            {"", .in = {0.25f, 0.5f, 1, 1}, .over = {1, 0, 5000, 1}, .out = {0.25f, 0.5f, 1, 1}},
            {"width=1024", .in = {0.25f, 0.5f, 1, 1}, .over = {1, 0, 0, 0},
             .out = {0.25f, 0.5f, 1, 1}})

LG_FILTER_TABLE(
    draw_lines, draw_lines_check, .flags = LG_FILTER_MAKES_COLOR,
    .summary = "straight lines over an image: the second one lists them, as hough_lines does",
    .formula =
        "c' = mix(c, line_color, its alpha) where -w < x r + y g - b <= w for a pixel (r, g, "
        "b, a) of the list with a > 0; w = line_width / 2 max(|r|, |g|); x and y from the "
        "middle of the top left pixel",
    .source = "GPUImageLineGenerator",
    .notes = "the lines of the list's first row and layer, over every layer. Every line has "
             "line_width pixels in "
             "each column, or in each row where it is steep");

// Lines between given points, to lay over an image.
#include "filter/kernel.h"
#include "filter/point_list.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, line_width, "px", 1, 1, 1024, "pixels of a line in each column, or row if steep")    \
    X(COLOR, line_color, 0, 1, 0, 1, "of the lines")                                               \
    X(TEXT, lines, "0,0;1,1",                                                                      \
      "x,y;x,y in fractions of width and height: each two points make a line; at most 1024 lines") \
    X(TABLE, table, "the points")                                                                  \
    X(ALIAS, width, line_width)                                                                    \
    X(ALIAS, color, line_color)

LG_PARAMETERS(line_generator)

// A line goes along the axis on which it is longer, from the pixel of its first point to that of its last.
LG_KERNEL(
    line_generator,
    LG_FUNCTION float line_generator_pixel(float x, float side) {
        LG_FLOAT at = floorf(x);
        return fminf(at, side - 1.0f);
    } LG_FUNCTION lg_int line_generator_ink(float u, float v, float side, point from, point to,
                                            float line_width) {
        LG_FLOAT length = to.x - from.x;
        LG_FLOAT slope = lg_div(to.y - from.y, length == 0.0f ? 1.0f : length);
        LG_FLOAT first = line_generator_pixel(fminf(from.x, to.x), side);
        LG_FLOAT last = line_generator_pixel(fmaxf(from.x, to.x), side);
        LG_FLOAT middle = from.y + ((u + 0.5f) - from.x) * slope;
        LG_FLOAT off = (v + 0.5f) - middle;
        LG_FLOAT most = line_width * 0.5f;
        lg_int ink = u >= first ? 1 : 0;
        ink = u <= last ? ink : 0;
        ink = off > -most ? ink : 0;
        return off <= most ? ink : 0;
    } LG_FUNCTION color line_generator_kernel(place at, line_generator_params p) {
        LG_FLOAT column = floorf(at.x * at.width);
        LG_FLOAT row = floorf(at.y * at.height);
        lg_int ink = 0;
        for (lg_int i = 0; i < p.table.count; i += 4) {
            LG_FLOAT x0 = lg_at(p.table, i) * at.width;
            LG_FLOAT y0 = lg_at(p.table, i + 1) * at.height;
            LG_FLOAT x1 = lg_at(p.table, i + 2) * at.width;
            LG_FLOAT y1 = lg_at(p.table, i + 3) * at.height;
            lg_int steep = fabsf(y1 - y0) > fabsf(x1 - x0) ? 1 : 0;
            lg_int flat_ink =
                line_generator_ink(column, row, at.width, xy(x0, y0), xy(x1, y1), p.line_width);
            lg_int steep_ink =
                line_generator_ink(row, column, at.height, xy(y0, x0), xy(y1, x1), p.line_width);
            ink = ink + (steep > 0 ? steep_ink : flat_ink);
        }
        LG_COLOR y = p.line_color;
        y.r = ink > 0 ? y.r : 0.0f;
        y.g = ink > 0 ? y.g : 0.0f;
        y.b = ink > 0 ? y.b : 0.0f;
        y.a = ink > 0 ? y.a : 0.0f;
        return y;
    })

LG_GENERATE(line_generator)

static lg_status line_generator_table(const float *values, const char *const *texts, float **out,
                                      int *count, lg_error *error)
{
    (void)values;
    const lg_status status =
        lg_point_table("line_generator", "lines", texts[2], 2048, out, count, error);
    if (status || *count % 4 == 0)
        return status;
    lg_free(*out);
    *out = NULL;
    return lg_fail(error, LG_ERROR_ARGUMENT,
                   "line_generator: lines=%.60s: %d points; a line has two, as in 0,0;1,1",
                   texts[2], *count / 2);
}

LG_EXAMPLES(line_generator, {"", .out = {0, 1, 0, 1}, .x = 0.5f, .y = 0.5f},
            {"lines=0,0.75;1,0.75;0.25,0;0.25,1:color=1,0.5,0,0.5", .out = {0, 0, 0, 0}, .x = 0.5f,
             .y = 0.5f},
            {"lines=0,0.75;1,0.75;0.5,0;0.5,1:color=1,0.5,0,0.5", .out = {1, 0.5f, 0, 0.5f},
             .x = 0.5f, .y = 0.5f})

LG_FILTER_WITH(
    line_generator, GENERATE, 1, line_generator_table, NULL,
    .flags = LG_FILTER_MAKES_COLOR | LG_FILTER_MAKES_ALPHA,
    .summary = "lines between given points, to lay over an image",
    .formula = "color where a pixel's centre is at most line_width / 2 above or below the line "
               "(left or right of it where it is steep), from the first point's pixel to the "
               "last one's; else transparent",
    .source = "GPUImageLineGenerator, with the two points of GPUImage2",
    .notes = "every line has line_width pixels in each column, or in each row where it is steep. "
             "GPUImage's lines are y = m x + b across the whole image; crossings add up there");

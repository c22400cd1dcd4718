// Squares at given points.
#include "filter/kernel.h"
#include "filter/point_list.h"

#define PARAMETERS(X)                                                                              \
    X(INTEGER, size, "px", 5, 1, 1024, "side of the squares")                                      \
    X(COLOR, color, 1, 0, 0, 1, "of the squares; its alpha says how much covers")                  \
    X(TEXT, points, "0.5,0.5", "x,y;x,y in fractions of width and height; at most 1024")           \
    X(TABLE, table, "the points")                                                                  \
    X(ALIAS, radius, size)

LG_PARAMETERS(draw_points)

// Squares are moved to lie inside the image.
LG_KERNEL(
    draw_points,
    LG_FUNCTION float draw_points_first(float at, float side, float size) {
        LG_FLOAT pixel = floorf(at * side);
        LG_FLOAT first = pixel - floorf(size * 0.5f);
        return fmaxf(fminf(first, side - size), 0.0f);
    } LG_FUNCTION color draw_points_kernel(color c, place at, draw_points_params p) {
        LG_FLOAT column = floorf(at.x * at.width);
        LG_FLOAT row = floorf(at.y * at.height);
        lg_int ink = 0;
        for (lg_int i = 0; i < p.table.count; i += 2) {
            LG_FLOAT x = column - draw_points_first(lg_at(p.table, i), at.width, p.size);
            LG_FLOAT y = row - draw_points_first(lg_at(p.table, i + 1), at.height, p.size);
            lg_int across = x >= 0.0f ? 1 : 0;
            across = x < p.size ? across : 0;
            lg_int down = y >= 0.0f ? across : 0;
            ink = ink + (y < p.size ? down : 0);
        }
        LG_COLOR mixed = lg_mix_rgb(c, p.color, p.color.a);
        LG_COLOR y = c;
        y.r = ink > 0 ? mixed.r : c.r;
        y.g = ink > 0 ? mixed.g : c.g;
        y.b = ink > 0 ? mixed.b : c.b;
        y.a = ink > 0 ? c.a + (1.0f - c.a) * p.color.a : c.a;
        return y;
    })

LG_POINT(draw_points)

static lg_status draw_points_table(const float *values, const char *const *texts, float **out,
                                   int *count, lg_error *error)
{
    (void)values;
    return lg_point_table("draw_points", "points", texts[2], 1024, out, count, error);
}

LG_EXAMPLES(draw_points,
            {"", .in = {0.25f, 0.5f, 1, 0.5f}, .out = {1, 0, 0, 1}, .x = 0.5f, .y = 0.5f},
            {"size=2:color=0,1,0,0.5:points=0.25,0.5;0.5,0.75", .in = {0.25f, 0.5f, 1, 1},
             .out = {0.125f, 0.75f, 0.5f, 1}, .x = 0.5f, .y = 0.75f},
            {"size=2:points=0.25,0.5;0.5,0.75", .in = {0.25f, 0.5f, 1, 1},
             .out = {0.25f, 0.5f, 1, 1}, .x = 0.5f, .y = 0.5f})

LG_FILTER_WITH(
    draw_points, POINT, 1, draw_points_table, NULL, .flags = LG_FILTER_MAKES_COLOR,
    .summary = "squares at given points",
    .formula =
        "with i, j from the point's pixel, s = size: c' = c (1 - t) + color t, a' = a (1 - t) "
        "+ t where -floor(s / 2) <= i < s - floor(s / 2), and j likewise, t = alpha of color; "
        "else the image",
    .source = "VkDrawPointsLayer of aoce",
    .notes =
        "a square at the image's edge is moved inside. aoce calls the side radius, has 1 px, and "
        "stores the colour's alpha");

// Crosses at given points, to lay over an image.
#include "filter/kernel.h"
#include "filter/point_list.h"

#define PARAMETERS(X)                                                                              \
    X(INTEGER, crosshair_width, "px", 5, 1, 1024, "length of the bars")                            \
    X(COLOR, crosshair_color, 0, 1, 0, 1, "of the crosses")                                        \
    X(TEXT, points, "0.5,0.5", "x,y;x,y in fractions of width and height; at most 1024")           \
    X(TABLE, table, "the points")                                                                  \
    X(ALIAS, width, crosshair_width)                                                               \
    X(ALIAS, color, crosshair_color)

LG_PARAMETERS(crosshair_generator)

// Two bars of crosshair_width pixels, about 18 % of that thick and at least one pixel.
LG_KERNEL(
    crosshair_generator,
    LG_FUNCTION lg_int crosshair_generator_bar(float across, float along, float half_thick,
                                               float low, float high) {
        lg_int line = fabsf(across) <= half_thick ? 1 : 0;
        line = along >= low ? line : 0;
        return along <= high ? line : 0;
    } LG_FUNCTION float crosshair_generator_pixel(float x, float size) {
        LG_FLOAT at = floorf(x * size);
        return fminf(at, size - 1.0f);
    } LG_FUNCTION color crosshair_generator_kernel(place at, crosshair_generator_params p) {
        LG_FLOAT size = p.crosshair_width;
        LG_FLOAT middle = floorf((size + 1.0f) * 0.5f);
        LG_FLOAT low = 1.0f - middle;
        LG_FLOAT high = size - middle;
        LG_FLOAT half_thick = floorf(0.09f * (size + 1.0f));
        LG_FLOAT column = floorf(at.x * at.width);
        LG_FLOAT row = floorf(at.y * at.height);
        lg_int ink = 0;
        for (lg_int i = 0; i < p.table.count; i += 2) {
            LG_FLOAT x = column - crosshair_generator_pixel(lg_at(p.table, i), at.width);
            LG_FLOAT y = row - crosshair_generator_pixel(lg_at(p.table, i + 1), at.height);
            ink = ink + crosshair_generator_bar(x, y, half_thick, low, high);
            ink = ink + crosshair_generator_bar(y, x, half_thick, low, high);
        }
        LG_COLOR y = p.crosshair_color;
        y.r = ink > 0 ? y.r : 0.0f;
        y.g = ink > 0 ? y.g : 0.0f;
        y.b = ink > 0 ? y.b : 0.0f;
        y.a = ink > 0 ? y.a : 0.0f;
        return y;
    })

LG_GENERATE(crosshair_generator)

static lg_status crosshair_generator_table(const float *values, const char *const *texts,
                                           float **out, int *count, lg_error *error)
{
    return lg_point_table("crosshair_generator", "points", texts[2], 1024, out, count, error);
}

LG_EXAMPLES(crosshair_generator, {"", .out = {0, 1, 0, 1}, .x = 0.5f, .y = 0.5f},
            {"points=0.75,0.5;0.5,0.25:color=1,0.5,0,0.5", .out = {0, 0, 0, 0}, .x = 0.5f,
             .y = 0.5f},
            {"points=0.75,0.5;0.5,0.25:color=1,0.5,0,0.5", .out = {1, 0.5f, 0, 0.5f}, .x = 0.5f,
             .y = 0.25f})

LG_FILTER_WITH(
    crosshair_generator, GENERATE, 1, crosshair_generator_table, NULL,
    .flags = LG_FILTER_MAKES_COLOR | LG_FILTER_MAKES_ALPHA,
    .summary = "crosses at given points, to lay over an image",
    .formula =
        "with i, j from the point's pixel, w = crosshair_width, m = ceil(w / 2), t = floor(0.09 "
        "(w + 1)): colour where |i| <= t and -m < j <= w - m, or with i and j changed over; "
        "else transparent",
    .source = "GPUImageCrosshairGenerator",
    .notes =
        "on the grid of pixels, so that every cross looks alike. GPUImage draws sprites, whose "
        "lines fall where the point's fraction of a pixel puts them, and adds crosses up");

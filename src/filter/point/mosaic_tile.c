// Each cell becomes a picture of a set, chosen by its luminance.
#include "filter/kernel.h"
#include "kernel/cell_math.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, display_tile_size, "widths", 0.025f, 0, 1, "side of the square that a tile covers")  \
    X(POINT, input_tile_size, 0.125f, 0.125f, "of a tile: fractions of the set's width, height")   \
    X(INTEGER, num_tiles, "", 64, 1, 65536, "in the set: row by row, from bright to dark")         \
    X(FLAG, color_on, 1, "tiles are multiplied by the image's colour")                             \
    X(TABLE, table, "the set of tiles")

LG_PARAMETERS(mosaic_tile)

LG_KERNEL(
    mosaic_tile,
    // Tiles in a row of the set, or the share of a tile that is 0.
    LG_FUNCTION float mosaic_tile_count(float size) {
        LG_FLOAT s = lg_clamp(size, 0.0001f, 1.0f);
        return fmaxf(floorf(lg_div(1.0f, s) + 0.001f), 1.0f);
    } LG_FUNCTION color mosaic_tile_kernel(color c, place at, mosaic_tile_params p) {
        LG_FLOAT side = lg_cell_side(at, p.display_tile_size);
        point middle = lg_cell_middle(at, side);
        LG_FLOAT inverse = lg_div(1.0f, side);
        LG_FLOAT across = (at.x - middle.x) * inverse + 0.5f;
        LG_FLOAT down = ((at.y - middle.y) * at.aspect) * inverse + 0.5f;
        LG_FLOAT dark = 1.0f - ((0.299f * c.r + 0.587f * c.g) + 0.114f * c.b);
        LG_FLOAT index = lg_clamp(floorf(dark * p.num_tiles), 0.0f, p.num_tiles - 1.0f);
        LG_FLOAT columns = mosaic_tile_count(p.input_tile_size.x);
        LG_FLOAT rows = mosaic_tile_count(p.input_tile_size.y);
        LG_FLOAT row = floorf((index + 0.5f) * lg_div(1.0f, columns));
        LG_FLOAT column = index - row * columns;
        row = fminf(row, rows - 1.0f);
        LG_FLOAT wide = lg_div(1.0f, columns);
        LG_FLOAT high = lg_div(1.0f, rows);
        LG_FLOAT width = lg_to_float(p.table.width);
        LG_FLOAT height = lg_to_float(p.table.height);
        // The pixels of the tile: its neighbours have no say.
        LG_FLOAT left = floorf((column * wide) * width + 0.5f);
        LG_FLOAT right = floorf(((column + 1.0f) * wide) * width + 0.5f) - 1.0f;
        LG_FLOAT top = floorf((row * high) * height + 0.5f);
        LG_FLOAT bottom = floorf(((row + 1.0f) * high) * height + 0.5f) - 1.0f;
        left = lg_clamp(left, 0.0f, width - 1.0f);
        right = lg_clamp(right, left, width - 1.0f);
        top = lg_clamp(top, 0.0f, height - 1.0f);
        bottom = lg_clamp(bottom, top, height - 1.0f);
        LG_FLOAT x = (column + across) * wide;
        LG_FLOAT y = (row + down) * high;
        LG_COLOR t = lg_table_sample(p.table, xy(x, y), xy(left, top), xy(right, bottom));
        t.r = lg_choose(p.color_on > 0.0f, t.r * c.r, t.r);
        t.g = lg_choose(p.color_on > 0.0f, t.g * c.g, t.g);
        t.b = lg_choose(p.color_on > 0.0f, t.b * c.b, t.b);
        t.a = t.a * c.a;
        return t;
    })

LG_POINT(mosaic_tile)

// All tiles have one colour.
LG_EXAMPLES(mosaic_tile,
            {"", .in = {0.5f, 0.25f, 1, 0.5f}, .over = {0.5f, 0.5f, 0.25f, 1},
             .out = {0.25f, 0.125f, 0.25f, 0.5f}},
            {"color_on=0", .in = {0.5f, 0.25f, 1, 1}, .over = {0.5f, 0.5f, 0.25f, 0.5f},
             .out = {0.5f, 0.5f, 0.25f, 0.5f}})

static lg_status mosaic_tile_check(const lg_image_params *table, lg_error *error)
{
    return LG_OK;
}

LG_FILTER_TABLE(
    mosaic_tile, mosaic_tile_check, .flags = LG_FILTER_MAKES_COLOR | LG_FILTER_TAKES_ALPHA,
    .summary = "pixels of a tile that luminance chooses from a set",
    .formula = "tile k = min(floor((1 - l) num_tiles), num_tiles - 1), l = 0.299 r + 0.587 g + "
               "0.114 b, is "
               "at column k mod n, row k div n, n = floor(1 / input_tile_size.x); each square of "
               "display_tile_size shows it whole; times c with color_on; alpha: the product",
    .source = "the last step of GPUImageMosaicFilter, where pixellate makes squares of one colour",
    .notes = "bilinear within a tile");

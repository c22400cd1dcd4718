// Colours from a table: a picture of tiles, or a volume.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, intensity, "", 1, 0, 1, "0 leaves the image as it is")                               \
    X(CHOICE, interpolation, 0, "trilinear|tetrahedral", "between the entries of the table")       \
    X(TABLE, table, "512 x 512 pixels in tiles, or layers of blue")

LG_PARAMETERS(lookup)

LG_KERNEL(
    lookup,
    LG_FUNCTION color lookup_entry(lg_table t, lg_int i) {
        return lg_at_color(t, i);
    } LG_FUNCTION lg_int lookup_below(float x, lg_int levels) {
        lg_int i = lg_to_int(x);
        i = i > levels - 2 ? levels - 2 : i;
        return i < 0 ? 0 : i;
    } LG_FUNCTION lg_int lookup_layer(lg_table t, float tiled, lg_int blue) {
        lg_int tile = (blue >> 3) * 64 * t.row + (blue & 7) * 256;
        return tiled > 0.0f ? tile : blue * t.height * t.row;
    } LG_FUNCTION color lookup_trilinear(lg_table t, lg_int i, lg_int r, lg_int g, lg_int b,
                                         point rg, float blue) {
        LG_COLOR near =
            lg_mix_rgb(lg_mix_rgb(lookup_entry(t, i), lookup_entry(t, i + r), rg.x),
                       lg_mix_rgb(lookup_entry(t, i + g), lookup_entry(t, i + g + r), rg.x), rg.y);
        LG_COLOR far = lg_mix_rgb(
            lg_mix_rgb(lookup_entry(t, i + b), lookup_entry(t, i + b + r), rg.x),
            lg_mix_rgb(lookup_entry(t, i + b + g), lookup_entry(t, i + b + g + r), rg.x), rg.y);
        return lg_mix_rgb(near, far, blue);
    } LG_FUNCTION color lookup_tetrahedral(lg_table t, lg_int i, lg_int r, lg_int g, lg_int b,
                                           point rg, float blue) {
        LG_FLOAT largest = fmaxf(fmaxf(rg.x, rg.y), blue);
        LG_FLOAT smallest = fminf(fminf(rg.x, rg.y), blue);
        LG_FLOAT middle = fmaxf(fminf(rg.x, rg.y), fminf(fmaxf(rg.x, rg.y), blue));
        lg_int first = rg.x >= rg.y ? (rg.x >= blue ? r : b) : (rg.y >= blue ? g : b);
        lg_int last = rg.x < rg.y ? (rg.x < blue ? r : b) : (rg.y < blue ? g : b);
        lg_int all = r + g + b;
        LG_COLOR c0 = lookup_entry(t, i);
        LG_COLOR c1 = lookup_entry(t, i + first);
        LG_COLOR c2 = lookup_entry(t, i + all - last);
        LG_COLOR c3 = lookup_entry(t, i + all);
        LG_FLOAT w0 = 1.0f - largest;
        LG_FLOAT w1 = largest - middle;
        LG_FLOAT w2 = middle - smallest;
        LG_COLOR y = c0;
        y.r = (c0.r * w0 + c1.r * w1) + (c2.r * w2 + c3.r * smallest);
        y.g = (c0.g * w0 + c1.g * w1) + (c2.g * w2 + c3.g * smallest);
        y.b = (c0.b * w0 + c1.b * w1) + (c2.b * w2 + c3.b * smallest);
        return y;
    } LG_FUNCTION color lookup_kernel(color c, place at, lookup_params p) {
        lg_table t = p.table;
        float tiled = t.layers == 1 ? 1.0f : 0.0f;
        lg_int width = tiled > 0.0f ? 64 : t.width;
        lg_int height = tiled > 0.0f ? 64 : t.height;
        lg_int layers = tiled > 0.0f ? 64 : t.layers;
        LG_FLOAT x = lg_clamp01(c.r) * lg_to_float(width - 1);
        LG_FLOAT y = lg_clamp01(c.g) * lg_to_float(height - 1);
        LG_FLOAT z = lg_clamp01(c.b) * lg_to_float(layers - 1);
        lg_int r = lookup_below(x, width);
        lg_int g = lookup_below(y, height);
        lg_int b = lookup_below(z, layers);
        lg_int layer = lookup_layer(t, tiled, b);
        lg_int i = layer + g * t.row + r * 4;
        // Steps to the next entry; an axis of one entry has none.
        lg_int step_r = width > 1 ? 4 : 0;
        lg_int step_g = height > 1 ? t.row : 0;
        lg_int step_b = layers > 1 ? lookup_layer(t, tiled, b + 1) - layer : 0;
        point rg = xy(x - lg_to_float(r), y - lg_to_float(g));
        LG_FLOAT blue = z - lg_to_float(b);
        LG_COLOR found = c;
        if (p.interpolation > 0.0f)
            found = lookup_tetrahedral(t, i, step_r, step_g, step_b, rg, blue);
        else
            found = lookup_trilinear(t, i, step_r, step_g, step_b, rg, blue);
        return lg_mix_rgb(c, found, p.intensity);
    })

LG_POINT(lookup)

static lg_status lookup_check(const lg_image_params *table, lg_error *error)
{
    if (table->layers > 1 || (table->width == 512 && table->height == 512))
        return LG_OK;
    return lg_fail(
        error, LG_ERROR_ARGUMENT,
        "lookup: a table of %d x %d pixels; 512 x 512 (8 x 8 tiles) or an image with one "
        "layer per level of blue is wanted",
        table->width, table->height);
}

// The table has one colour everywhere.
LG_EXAMPLES(lookup,
            {"", .in = {0.25f, 0.5f, 0.75f, 0.5f}, .over = {1, 0, 0.5f, 1},
             .out = {1, 0, 0.5f, 0.5f}},
            {"intensity=0.5:interpolation=tetrahedral", .in = {0.25f, 0.5f, 0.75f, 1},
             .over = {1, 0, 0.5f, 1}, .out = {0.625f, 0.25f, 0.625f, 1}})

LG_FILTER_TABLE(
    lookup, lookup_check, .flags = LG_FILTER_MAKES_COLOR, .summary = "colours from a table",
    .formula = "c' = c + (table(c) - c) intensity; entries lie at multiples of 1/(n - 1) per axis. "
               "512 x 512 pixels: n = 64, blue b is the tile at column b mod 8, row b div 8, in it "
               "red goes right, green down. Layers: red goes right, green down, blue is the layer",
    .source = "GPUImageLookupFilter; tetrahedral: the corners of the one of six tetrahedra in a "
              "cell that share its grey diagonal",
    .notes = "the table is read in its own depth; alpha is kept. It is a picture or a .cube file: "
             "--input look=FILE. `lookup_identity` begins one of your own");

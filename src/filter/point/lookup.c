// Colours from a table: a picture of tiles, or a volume.
#include "filter/kernel.h"
#include "kernel/byte_math.h"
#include "kernel/lookup_math.h"

#define PARAMETERS(X)                                                                              \
    X(NUMBER, intensity, "", 1, 0, 1, "0 leaves the image as it is")                               \
    X(CHOICE, interpolation, 0, "trilinear|tetrahedral", "between the entries of the table")       \
    X(CHOICE, picture_layout, 0, "auto|tiles|hald",                                                \
      "of a square picture: 8 x 8 tiles, or HALD; auto: tiles where it has 512 x 512 pixels")      \
    X(TABLE, table, "a picture of tiles, HALD, layers of blue, or one row")                        \
    X(ALIAS, layout, picture_layout)

LG_PARAMETERS(lookup)

LG_KERNEL(
    lookup,
    // One layer is a picture of tiles: 64 x 64 entries each, eight in a row. What follows from it is computed
    // without selects, so that it leaves the loops over pixels.
    LG_FUNCTION lg_int lookup_tiled(lg_table t) {
        return lg_to_int(t.layers == 1);
    } LG_FUNCTION lg_int lookup_levels(lg_table t, lg_int size) {
        return size + (64 - size) * lookup_tiled(t);
    } LG_FUNCTION lg_int lookup_layer(lg_table t, lg_int unit, lg_int blue) {
        lg_int rows = lookup_levels(t, t.height) * t.row;
        lg_int down = blue >> (3 * lookup_tiled(t));
        lg_int right = blue & (7 * lookup_tiled(t));
        return down * rows + right * (64 * unit);
    }
    // `unit`: numbers of an entry.
    LG_FUNCTION lg_lookup_cell lookup_cell_of(lg_table t, lg_int unit, lg_int r, lg_int g,
                                              lg_int b) {
        lg_lookup_cell cell;
        lg_int layer = lookup_layer(t, unit, b);
        cell.at = layer + g * t.row + r * unit;
        cell.r = unit * lg_to_int(lookup_levels(t, t.width) > 1);
        cell.g = t.row * lg_to_int(lookup_levels(t, t.height) > 1);
        cell.b = (lookup_layer(t, unit, b + 1) - layer) * lg_to_int(lookup_levels(t, t.layers) > 1);
        return cell;
    }

    // ---- colours ----
    LG_FUNCTION color lookup_kernel(color c, place at, lookup_params p) {
        lg_table t = p.table;
        lg_int width = lookup_levels(t, t.width);
        lg_int height = lookup_levels(t, t.height);
        lg_int layers = lookup_levels(t, t.layers);
        LG_COLOR where = lg_lookup_place(t, c);
        LG_FLOAT x = where.r * lg_to_float(width - 1);
        LG_FLOAT y = where.g * lg_to_float(height - 1);
        LG_FLOAT z = where.b * lg_to_float(layers - 1);
        lg_int r = lg_lookup_below(x, width);
        lg_int g = lg_lookup_below(y, height);
        lg_int b = lg_lookup_below(z, layers);
        lg_lookup_cell cell = lookup_cell_of(t, 4, r, g, b);
        point rg = xy(x - lg_to_float(r), y - lg_to_float(g));
        LG_FLOAT blue = z - lg_to_float(b);
        return lg_lookup_mixed(t, cell, rg, blue, c, p.interpolation, p.intensity);
    }

    // ---- bytes ----
    // A byte's place among the entries of an axis: the entry below, and how many 255ths of the way to the
    // next it lies.
    LG_STRUCT(lookup_step) {
        lg_int below;
        lg_uint beyond;
    };
    LG_FUNCTION lookup_step lookup_step_of(lg_uint v, lg_int levels) {
        lookup_step s;
        lg_int x = lg_to_int(v) * (levels - 1);
        lg_int last = levels - 1 - lg_to_int(levels > 1);
        lg_int i = lg_to_int(lg_div_255(lg_to_uint(x)));
        s.below = i < last ? i : last;
        s.beyond = lg_to_uint(x - 255 * s.below);
        return s;
    }
    // The entries around a colour, and how far it lies between them along each axis, in 255ths.
    LG_STRUCT(lookup_place) {
        lg_lookup_cell cell;
        lg_uint x, y, z;
    };
    LG_FUNCTION lookup_place lookup_place_of(lg_uint w, lg_table t) {
        lookup_step r = lookup_step_of(w & 255u, lookup_levels(t, t.width));
        lookup_step g = lookup_step_of(w >> 8 & 255u, lookup_levels(t, t.height));
        lookup_step b = lookup_step_of(w >> 16 & 255u, lookup_levels(t, t.layers));
        lookup_place at;
        at.cell = lookup_cell_of(t, 1, r.below, g.below, b.below);
        at.x = r.beyond;
        at.y = g.beyond;
        at.z = b.beyond;
        return at;
    }
    // The corners of a tetrahedron, and their weights.
    LG_STRUCT(lookup_corners) {
        lg_int at0, at1, at2, at3;
        lg_four weights;
    };
    LG_FUNCTION lookup_corners lookup_corners_of(lookup_place at) {
        lg_lookup_cell k = at.cell;
        lg_uint xy_most = at.x > at.y ? at.x : at.y;
        lg_uint xy_least = at.x < at.y ? at.x : at.y;
        lg_uint most = xy_most > at.z ? xy_most : at.z;
        lg_uint least = xy_least < at.z ? xy_least : at.z;
        lg_uint middle = at.x + at.y + at.z - most - least;
        lg_int first = at.x == most ? k.r : at.y == most ? k.g : k.b;
        lg_int last = at.z == least ? k.b : at.y == least ? k.g : k.r;
        lookup_corners c;
        c.at0 = k.at;
        c.at1 = k.at + first;
        c.at3 = k.at + k.r + k.g + k.b;
        c.at2 = c.at3 - last;
        c.weights.p0 = 255u - most;
        c.weights.p1 = most - middle;
        c.weights.p2 = middle - least;
        c.weights.p3 = least;
        return c;
    } LG_FUNCTION lg_four lookup_four(lg_table t, lg_int i0, lg_int i1, lg_int i2, lg_int i3) {
        lg_four c;
        c.p0 = lg_at_word(t, i0);
        c.p1 = lg_at_word(t, i1);
        c.p2 = lg_at_word(t, i2);
        c.p3 = lg_at_word(t, i3);
        return c;
    } LG_FUNCTION lg_uint lookup_stored(lg_uint sum, lg_uint v, lookup_params p) {
        bool four = p.interpolation > 0.0f;
        if (p.intensity == 1.0f)
            return four ? lg_div_255(sum + 127u) : lg_div_cube_255(sum + LG_CUBE_255 / 2u);
        // Only the distance from v is rounded before the result is.
        lg_uint whole = v * (four ? 255u : LG_CUBE_255);
        lg_int high = lg_to_int(sum >> 8) - lg_to_int(whole >> 8);
        lg_int low = lg_to_int(sum & 255u) - lg_to_int(whole & 255u);
        LG_FLOAT share = p.intensity * (four ? 0.00392156886f : 6.03086292e-8f);
        LG_FLOAT off = lg_to_float(high) * 256.0f + lg_to_float(low);
        LG_FLOAT y = (lg_to_float(lg_to_int(v)) + LG_WHOLE) + off * share;
        y = fminf(fmaxf(y, LG_WHOLE), LG_WHOLE + 255.0f);
        return lg_bits(y) & 255u;
    } LG_FUNCTION lg_uint lookup_result(lg_uint w, lg_byte_sums s, lookup_params p) {
        return lookup_stored(s.r, w & 255u, p) | lookup_stored(s.g, w >> 8 & 255u, p) << 8 |
               lookup_stored(s.b, w >> 16 & 255u, p) << 16 | (w & 0xff000000u);
    } LG_FUNCTION lg_uint lookup_word(lg_uint w, lookup_params p) {
        lg_table t = p.table;
        lookup_place at = lookup_place_of(w, t);
        lg_lookup_cell k = at.cell;
        lg_byte_sums s;
        if (p.interpolation > 0.0f) {
            lookup_corners c = lookup_corners_of(at);
            s = lg_weigh_four(lookup_four(t, c.at0, c.at1, c.at2, c.at3), c.weights);
        } else {
            lg_int i = k.at, j = k.at + k.g;
            lg_four near = lookup_four(t, i, i + k.r, j, j + k.r);
            i = i + k.b;
            j = j + k.b;
            lg_four far = lookup_four(t, i, i + k.r, j, j + k.r);
            s = lg_weigh_squares(lg_weigh_square(near, at.x, at.y),
                                 lg_weigh_square(far, at.x, at.y), at.z);
        }
        return lookup_result(w, s, p);
    })

LG_POINT(lookup)
#include "filter/point/lookup_words.h"
LG_WORDS(lookup, lookup_loop(p))

// HALD pictures and rows are tables of other filters, which plans put here.
static lg_status lookup_check(const lg_image_params *table, lg_error *error)
{
    if (table->layers > 1 || (table->width == 512 && table->height == 512))
        return LG_OK;
    return lg_fail(error, LG_ERROR_ARGUMENT,
                   "lookup: a table of %d x %d pixels; wanted are 512 x 512 (8 x 8 tiles), a HALD "
                   "picture (8 x 8, 27 x 27, 64 x 64 ...), one row (a curve), or an image with one "
                   "layer per level of blue",
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
    .formula =
        "c' = c + (table(c) - c) intensity; entries lie at multiples of 1/(n - 1) per axis. "
        "512 x 512 pixels: n = 64, blue b is the tile at column b mod 8, row b div 8, in it "
        "red goes right, green down. Layers: red goes right, green down, blue is the layer. HALD, "
        "L^3 x L^3 pixels: n = L^2, pixel r + n g + n^2 b along the rows. One row: a curve for "
        "each channel",
    .source = "GPUImageLookupFilter; tetrahedral: the corners of the one of six tetrahedra in a "
              "cell that share its grey diagonal",
    .notes =
        "the table is read in its own depth; alpha is kept. It is a picture or a .cube or .acv "
        "file: --input look=FILE. `lookup_identity` begins one of your own");

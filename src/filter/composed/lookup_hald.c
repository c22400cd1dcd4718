// Colours from a HALD picture. Plans put it in the place of lookup.
#include "filter/kernel.h"
#include "kernel/lookup_math.h"

// Those of lookup, in its order; a plan sets the layout to the level L.
#define PARAMETERS(X)                                                                              \
    X(NUMBER, intensity, "", 1, 0, 1, "0 leaves the image as it is")                               \
    X(CHOICE, interpolation, 0, "trilinear|tetrahedral", "between the entries of the table")       \
    X(CHOICE, picture_layout, 2, "auto|tiles|hald", "the level of the picture")                    \
    X(TABLE, table, "L^3 x L^3 pixels")                                                            \
    X(ALIAS, layout, picture_layout)

LG_PARAMETERS(lookup_hald)

LG_KERNEL(
    lookup_hald,
    // Where an entry of green lies: L of them, each with its L^2 reds, fill a row.
    LG_FUNCTION lg_int lookup_hald_green(lg_table t, float level, lg_int n, lg_int g) {
        lg_int down = lg_to_int((lg_to_float(g) + 0.5f) * lg_div(1.0f, level));
        lg_int right = g - down * lg_to_int(level);
        return down * t.row + right * n * 4;
    } LG_FUNCTION color lookup_hald_kernel(color c, place at, lookup_hald_params p) {
        lg_table t = p.table;
        lg_int n = lg_to_int(p.picture_layout * p.picture_layout);
        LG_COLOR where = lg_lookup_place(t, c);
        LG_FLOAT x = where.r * lg_to_float(n - 1);
        LG_FLOAT y = where.g * lg_to_float(n - 1);
        LG_FLOAT z = where.b * lg_to_float(n - 1);
        lg_int r = lg_lookup_below(x, n);
        lg_int g = lg_lookup_below(y, n);
        lg_int b = lg_lookup_below(z, n);
        lg_int green = lookup_hald_green(t, p.picture_layout, n, g);
        lg_lookup_cell cell;
        cell.b = lg_to_int(p.picture_layout) * t.row;
        cell.g = lookup_hald_green(t, p.picture_layout, n, g + 1) - green;
        cell.r = 4;
        cell.at = b * cell.b + green + r * 4;
        point rg = xy(x - lg_to_float(r), y - lg_to_float(g));
        LG_FLOAT blue = z - lg_to_float(b);
        return lg_lookup_mixed(t, cell, rg, blue, c, p.interpolation, p.intensity);
    })

LG_POINT(lookup_hald)

static lg_status lookup_hald_check(const lg_image_params *table, lg_error *error)
{
    return LG_OK; // the plan has looked at it
}

LG_EXAMPLES(lookup_hald)

LG_FILTER_TABLE(lookup_hald, lookup_hald_check, .flags = LG_FILTER_MAKES_COLOR,
                .summary = "colours from a HALD picture",
                .formula = "as lookup; entry (r, g, b) of n = L^2 along each axis is pixel r + n g "
                           "+ n^2 b of the picture, counted along its rows",
                .source = "composed by plans");

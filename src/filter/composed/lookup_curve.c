// Colours from a table of one row: a curve for each channel. Plans put it in the place of lookup.
#include "filter/kernel.h"
#include "kernel/lookup_math.h"

// Those of lookup, in its order.
#define PARAMETERS(X)                                                                              \
    X(NUMBER, intensity, "", 1, 0, 1, "0 leaves the image as it is")                               \
    X(CHOICE, interpolation, 0, "trilinear|tetrahedral", "the same along one axis")                \
    X(CHOICE, picture_layout, 0, "auto|tiles|hald", "of a row there is one")                       \
    X(TABLE, table, "one row")                                                                     \
    X(ALIAS, layout, picture_layout)

LG_PARAMETERS(lookup_curve)

LG_KERNEL(
    lookup_curve,
    LG_FUNCTION float lookup_curve_of(lg_table t, lg_int channel, float where) {
        LG_FLOAT x = where * lg_to_float(t.width - 1);
        lg_int i = lg_lookup_below(x, t.width);
        LG_FLOAT low = lg_at(t, 4 * i + channel);
        LG_FLOAT high = lg_at(t, 4 * i + 4 + channel);
        LG_FLOAT y = low + (high - low) * (x - lg_to_float(i));
        return y;
    } LG_FUNCTION color lookup_curve_kernel(color c, place at, lookup_curve_params p) {
        LG_COLOR where = lg_lookup_place(p.table, c);
        LG_COLOR found =
            rgba(lookup_curve_of(p.table, 0, where.r), lookup_curve_of(p.table, 1, where.g),
                 lookup_curve_of(p.table, 2, where.b), c.a);
        return lg_mix_rgb(c, found, p.intensity);
    })

LG_POINT(lookup_curve)

static lg_status lookup_curve_check(const lg_image_params *table, lg_error *error)
{
    if (table->width > 1 && table->height == 1 && table->layers == 1)
        return LG_OK;
    return lg_fail(error, LG_ERROR_ARGUMENT, "lookup: a curve has one row of 2 entries or more");
}

LG_EXAMPLES(lookup_curve)

LG_FILTER_TABLE(lookup_curve, lookup_curve_check,
                .flags = LG_FILTER_MAKES_COLOR | LG_FILTER_PER_CHANNEL,
                .summary = "colours from a curve for each channel",
                .formula = "c' = c + (row(c) - c) intensity, between the entries of the row linear",
                .source = "composed by plans");

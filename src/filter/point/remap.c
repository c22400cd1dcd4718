// The second image, read where the first one says.
#include "filter/kernel.h"
#include "kernel/cell_math.h"

#define PARAMETERS(X) X(TABLE, table, "the image that is read")

LG_PARAMETERS(remap)

LG_KERNEL(
    remap, LG_FUNCTION color remap_kernel(color c, place at, remap_params p) {
        point last = xy(lg_to_float(p.table.width - 1), lg_to_float(p.table.height - 1));
        LG_COLOR y = lg_table_sample(p.table, xy(c.r, c.g), xy(0.0f, 0.0f), last);
        y.a = y.a * c.a;
        return y;
    })

LG_POINT(remap)

// The second image has one colour everywhere.
LG_EXAMPLES(remap,
            {"", .in = {0.25f, 0.75f, 0, 1}, .over = {0.25f, 0.5f, 1, 0.5f},
             .out = {0.25f, 0.5f, 1, 0.5f}},
            {"", .in = {0.25f, 0.75f, 0, 0.5f}, .over = {0.25f, 0.5f, 1, 0.5f},
             .out = {0.25f, 0.5f, 1, 0.25f}})

static lg_status remap_check(const lg_image_params *table, lg_error *error)
{
    return LG_OK;
}

LG_FILTER_TABLE(remap, remap_check, .flags = LG_FILTER_TAKES_COLOR | LG_FILTER_TAKES_ALPHA,
                .summary = "the second image, read where red and green of the first say",
                .formula =
                    "c' = second(r, g), a' = second's alpha times a; r and g are fractions of "
                    "the second image's width and height, (0, 0) is its top left corner; "
                    "bilinear, its edges go on outside",
                .source = "the usual remapping; OpenCV's remap",
                .notes = "bytes tell 256 places apart: for more, the first image has 16 bits or "
                         "floats. The result has the size of the first image; the second may have "
                         "any");

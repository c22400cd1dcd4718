// The table that changes nothing: a picture to begin a look with.
#include "filter/kernel.h"

#define PARAMETERS(X)

LG_PARAMETERS(lookup_identity)

LG_KERNEL(
    lookup_identity, LG_FUNCTION color lookup_identity_kernel(place at, lookup_identity_params p) {
        LG_FLOAT x = floorf(at.x * 512.0f);
        LG_FLOAT y = floorf(at.y * 512.0f);
        LG_FLOAT column = floorf(x * 0.015625f);
        LG_FLOAT row = floorf(y * 0.015625f);
        LG_FLOAT b = column + 8.0f * row;
        return rgba(lg_div(x - 64.0f * column, 63.0f), lg_div(y - 64.0f * row, 63.0f),
                    lg_div(b, 63.0f), 1.0f);
    })

LG_GENERATE(lookup_identity)

static lg_status lookup_identity_shape(float *values, lg_image_params *shape, lg_error *error)
{
    shape->width = shape->height = 512;
    shape->layers = 1;
    return LG_OK;
}

// Column 511 of row 0: red 63, green 0, blue 7. Column 64 of row 511: red 0, green 63, blue 57.
LG_EXAMPLES(lookup_identity,
            {"", .x = 511.5f / 512, .y = 0.5f / 512, .out = {1, 0, 0.11111111f, 1}},
            {"", .x = 64.5f / 512, .y = 511.5f / 512, .out = {0, 1, 0.90476190f, 1}})

LG_FILTER_WITH(
    lookup_identity, GENERATE, 1, NULL, lookup_identity_shape, .flags = LG_FILTER_MAKES_COLOR,
    .summary = "the 512 x 512 table of a look that changes nothing",
    .formula = "8 x 8 tiles of 64 x 64: red / 63 goes right, green / 63 down, blue / 63 is "
               "the tile, row by row",
    .source = "the layout of GPUImageLookupFilter",
    .notes = "filters behind it make a look of it: `run 'lookup_identity | hue:hue=30' "
             "photo.png -o look.png`, then `run lookup photo.png --input look=look.png`");

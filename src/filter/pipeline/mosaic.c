// A picture made of pictures.
#include "filter/kernel.h"

#define PARAMETERS(X)                                                                              \
    X(POINT, input_tile_size, 0.125f, 0.125f, "of a tile: fractions of the set's width, height")   \
    X(NUMBER, display_tile_size, "widths", 0.025f, 0, 1, "side of the square that a tile covers")  \
    X(INTEGER, num_tiles, "", 64, 1, 65536, "in the set: row by row, from bright to dark")         \
    X(FLAG, color_on, 1, "tiles are multiplied by the image's colour")

LG_ROWS(mosaic)

LG_PIPELINE(
    mosaic, 2,
    "pixellate:fractional_width_of_pixel={display_tile_size} | mosaic_tile:over=#over:"
    "display_tile_size={display_tile_size}:input_tile_size={input_tile_size}:"
    "num_tiles={num_tiles}:color_on={color_on}",
    .summary = "a picture made of tiles that are pictures: the second image is the set of tiles",
    .formula =
        "each square of display_tile_size becomes tile floor((1 - l) num_tiles) of the set, "
        "l = 0.299 r + 0.587 g + 0.114 b in its middle; times the colour there with color_on",
    .source = "GPUImageMosaicFilter, whose first image is the set",
    .notes =
        "the set is an image of any size: --input set=FILE. Squares are square on every image; "
        "GPUImage has no tile for black, and reads the corner of a square");

// How a file is cut into tiles: the options behind a name, ".tif[tile=256x256,pyramid,compression=none]".
#ifndef LG_TILE_OPTIONS_H
#define LG_TILE_OPTIONS_H

#include "core/core.h"

#define LG_TILE_SIDE 256   // the usual one
#define LG_TILE_MOST 16384 // of a side

typedef struct lg_tile_options {
    int32_t width, height; // of a tile; 0: none was asked for
    bool pyramid;          // smaller versions, each half of the former
    bool below;            // of TIFF: they hang below their page (SubIFDs) whatever the image is
    char compression[16];  // "": the usual one
} lg_tile_options;

// NULL and "" are fine. A pyramid has tiles. `format` is for messages. Errors: LG_ERROR_ARGUMENT.
lg_status lg_tile_options_read(const char *options, const char *format, lg_tile_options *out,
                               lg_error *error);

// Size of a tile and pyramid as one number above 0xffff, and back; false: it is none.
int lg_tile_options_pack(const lg_tile_options *options);
bool lg_tile_options_unpack(int packed, lg_tile_options *out);

#endif

// Tiles of images: what the driver of tiles needs to know of a filter, and what its tiles are then.
#ifndef LG_TILES_H
#define LG_TILES_H

#include "engine/tile.h"
#include "filter/native.h"
#include "filter/stage.h"

// Columns x .. x_end - 1 of rows y .. y_end - 1 of one layer.
typedef struct lg_pixel_tile {
    lg_pixels in, out;
    int32_t x, x_end, y, y_end;
} lg_pixel_tile;

typedef struct lg_pixel_tiles {
    int32_t strip;  // pixels, a multiple of 64 or the width; filters that read a neighbourhood cut
                    // rows that wrap around only between layers and bands
    int32_t band;   // rows
    size_t scratch; // bytes of a worker, uninitialised and aligned to 64
    void (*run)(const void *job, const lg_pixel_tile *tile, char *scratch);
    const void *job;
} lg_pixel_tiles;

// Strips of which `rows` rows of input have about `bytes` bytes, but not narrower than `least`
// pixels, and bands of at least `band` rows that keep all workers busy.
void lg_pixel_tiles_cut(lg_pixel_tiles *tiles, const lg_native_call *call, int64_t rows,
                        int64_t bytes, int64_t min, int64_t band, lg_border border);

// Runs all tiles of call->out, or of the rows that are wanted of it, with call->in[0] as their input.
lg_status lg_pixel_tiles_run(const lg_native_call *call, const lg_pixel_tiles *tiles);

// A pass over rows `first` .. first + rows - 1 of what a job describes; a worker takes `band` of them at
// a time.
typedef void lg_rows_fn(const void *job, int64_t y, int64_t y_end, char *scratch);

typedef struct lg_row_pass {
    lg_rows_fn *run;
    const void *job;
    int64_t first, rows, band;
    size_t scratch;   // bytes of a worker
    char *memory;     // of all workers, or NULL: as in lg_tiling
    const char *what; // the name of that memory in an error
} lg_row_pass;

lg_status lg_rows_run(lg_context *context, const lg_row_pass *pass, lg_error *error);

// All tiles of an image, as wide and as high as it: to be cut further.
lg_tiling lg_image_tiling(const lg_image_params *shape);

// One layer of an image.
lg_pixels lg_layer_pixels(const lg_image *image, int32_t layer);

#endif

// The one driver of work that threads share: a grid of layers, rows and columns is cut into tiles, and
// the workers of a pool take them in turn.
#ifndef LG_TILE_H
#define LG_TILE_H

#include "core/core.h"

// Columns x .. x_end - 1 of rows y .. y_end - 1 of one layer.
typedef struct lg_tile {
    size_t index; // layer by layer, band by band, strip by strip
    int32_t layer;
    int64_t x, x_end, y, y_end;
    int64_t from, to; // rows from .. to - 1: those of the tile and their halo inside the grid
    int worker;       // 0 .. lg_pool_threads() - 1
    char *scratch;    // the worker's own, aligned to 64 bytes; contents undefined
} lg_tile;

// A status other than LG_OK stops all workers before their next tile. The driver stops them itself
// when the call is to end (lg_progress_fn).
typedef lg_status lg_tile_fn(void *job, const lg_tile *tile);

typedef struct lg_tiling {
    int64_t width, height, layers; // of the grid; a width or a number of layers of 0 is 1
    int64_t strip;                 // columns of a tile; 0: all
    int64_t band;                  // rows of a tile; 0: all
    int64_t bands;    // instead of `band`: so many, of nearly one height; 0: as `band` says
    int64_t halo;     // rows above and below a tile that it reads as well
    size_t scratch;   // bytes of a worker
    char *memory;     // of all workers, lg_tiling_memory bytes; NULL: allocated for the run
    const char *what; // that memory in the words of an error
    bool in_place; // half of the work would leave neither the old nor the new: it is not cancelled
    lg_tile_fn *run;
    void *job;
} lg_tiling;

// Tiles begin in their order, so all tiles before one that failed are done. The status is that of the
// first tile that failed, whatever the threads did.
lg_status lg_tiling_run(lg_pool *pool, const lg_tiling *tiling, lg_error *error) LG_MUST_CHECK;

size_t lg_tiling_memory(const lg_pool *pool, size_t scratch);

#endif

// The driver of all parallel work: it cuts a grid of layers, rows and columns into tiles, which the
// workers of a pool process in order.
#ifndef LG_TILE_H
#define LG_TILE_H

#include "core/core.h"

// Columns x .. x_end - 1 of rows y .. y_end - 1 of one layer.
typedef struct lg_tile {
    size_t index; // counts strips within bands within layers
    int32_t layer;
    int64_t x, x_end, y, y_end;
    int64_t from, to; // rows from .. to - 1: the tile's and its halo inside the grid
    int worker;       // 0 .. lg_pool_threads() - 1
    char *scratch;    // the worker's own, aligned to 64 bytes; contents undefined
} lg_tile;

// A status other than LG_OK stops all workers before their next tile. So does the driver itself
// when the progress function cancels the call (lg_progress_fn).
typedef lg_status lg_tile_fn(void *job, const lg_tile *tile);

typedef struct lg_tiling {
    int64_t width, height, layers; // of the grid; width and layers: 0 means 1
    int64_t strip;                 // columns of a tile; 0: all
    int64_t band;                  // rows of a tile; 0: all
    int64_t bands;                 // number of bands, of nearly equal heights; 0: `band` applies
    int64_t halo;                  // rows above and below a tile that it also reads
    size_t scratch;                // bytes per worker
    char *memory;     // lg_tiling_memory bytes for all workers; NULL: allocated for the run
    const char *what; // the name of that memory in an error
    bool in_place;    // results overwrite inputs: the run is not cancelled
    lg_tile_fn *run;
    void *job;
} lg_tiling;

// Tiles begin in order, so all tiles before a failed one are done. The status is that of the first
// failed tile, however the threads ran.
lg_status lg_tiling_run(lg_pool *pool, const lg_tiling *tiling, lg_error *error) LG_MUST_CHECK;

size_t lg_tiling_memory(const lg_pool *pool, size_t scratch);

#endif

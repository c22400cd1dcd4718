// The parts that all CPU methods of building ripmaps share.
#ifndef LG_AREASUM_RIPMAP_H
#define LG_AREASUM_RIPMAP_H

#include "measure/areasum/areasum_blocks.h"
#include "measure/areasum/areasum_lines.h"
#include "measure/areasum/areasum_pairs.h"
#include "measure/areasum/areasum_planes.h"

// A tile: the levels of the first and of the second axis that are made while its rows are in the
// caches.
#define LG_AREA_TILE_ACROSS 13
#define LG_AREA_TILE_DOWN   6
#define LG_AREA_TILE_ROWS   (1 << LG_AREA_TILE_DOWN)

typedef struct lg_area_met {
    uint32_t max;   // bits of the largest magnitude, finite or not
    char apart[60]; // keeps workers on different cache lines
} lg_area_met;

typedef struct lg_area_ripmap {
    lg_context *context;
    const lg_areasum *a;
    const lg_area_plane *plane;
    const lg_area_array *array;
    const lg_area_lines_table *lines;
    const lg_area_blocks_table *block;
    const lg_area_pairs_table *pairs;
    lg_area_join join;
    bool stream;         // bypass the caches
    char *scratch;       // of each worker
    size_t scratch_size; // likewise
    lg_area_met *met;    // likewise
} lg_area_ripmap;

// Whether a sample is not finite or larger than guessed; the plane is then invalid.
static inline bool lg_area_is_above_guess(const lg_area_ripmap *r, uint32_t max)
{
    return max >= LG_AREA_INFINITE ||
           (r->plane->word == LG_AREA_U64 && lg_area_magnitude_of(max) > r->a->magnitude);
}

// Writes all nodes of at most LG_AREA_TILE_ACROSS and LG_AREA_TILE_DOWN levels of the first two
// axes.
lg_status lg_area_write_tiles(lg_context *context, const lg_area_ripmap *r, lg_error *error);
size_t lg_area_tiles_scratch(const lg_areasum *a); // of a worker

#endif

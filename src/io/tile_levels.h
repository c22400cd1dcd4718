// An image that comes row by row, as rows of tiles, with smaller versions of it: level k + 1 has half the
// columns and rows of level k (docs/definitions.md, Levels). One row of tiles of each level is held.
#ifndef LG_TILE_LEVELS_H
#define LG_TILE_LEVELS_H

#include "io/tile_options.h"

#define LG_TILE_LEVELS 32

typedef enum lg_tile_sample {
    LG_TILE_U8,
    LG_TILE_U16,
    LG_TILE_F16,
    LG_TILE_F32,
    LG_TILE_LABEL16, // numbers of which there is no mean
    LG_TILE_LABEL32,
} lg_tile_sample;

// A level of one layer. What is known of it before any row comes.
typedef struct lg_tile_level {
    int32_t width, height;
    int64_t across, down; // tiles
} lg_tile_level;

// Rows of tiles: the samples of all channels are adjacent, rows follow each other without a gap.
typedef struct lg_tile_rows {
    int level;
    int64_t index;  // of the row of tiles in the layer
    uint8_t *first; // sample
    int32_t rows;   // as many as a tile has, or fewer in the last ones
} lg_tile_rows;

typedef struct lg_tile_levels {
    lg_tile_level level[LG_TILE_LEVELS];
    int count;
    int32_t tile_width, tile_height;
    lg_tile_sample sample;
    int channels;
    size_t pixel; // bytes
    uint8_t *room[LG_TILE_LEVELS];
    int32_t rows[LG_TILE_LEVELS]; // that came, of this layer
    // Takes a row of tiles when all of it is there.
    lg_status (*take)(void *priv, const lg_tile_rows *rows, lg_error *error);
    void *priv;
} lg_tile_levels;

// What there is to know of them before any row comes. Returns how many there are.
int lg_tile_levels_shapes(const lg_tile_options *options, int32_t width, int32_t height,
                          lg_tile_level out[LG_TILE_LEVELS]);
// How many tiles of all levels go to the file before those of row `index` of tiles of a level: tiles are
// complete as rows come, those of smaller levels behind those of larger ones.
int64_t lg_tile_levels_before(const lg_tile_level *levels, int count, int32_t tile_height,
                              int level, int64_t index);
// Levels of an image of `width` x `height`, of which with a pyramid the last one is a single tile.
lg_status lg_tile_levels_open(lg_tile_levels *levels, const lg_tile_options *options, int32_t width,
                              int32_t height, lg_tile_sample sample, int channels, lg_error *error);
void lg_tile_levels_close(lg_tile_levels *levels);
// Bytes that are held for such an image.
size_t lg_tile_levels_memory(const lg_tile_options *options, int32_t width, size_t pixel);
size_t lg_tile_sample_size(lg_tile_sample sample);
// Labels of 32 bits have any type but u16.
lg_tile_sample lg_tile_sample_of(lg_type type, bool labelled);

// Where the next row of the image goes, packed; then it is added. Behind the last row of a layer the next
// layer begins.
uint8_t *lg_tile_levels_next(const lg_tile_levels *levels);
lg_status lg_tile_levels_add(lg_tile_levels *levels, lg_error *error);
// The same for all rows of an image.
lg_status lg_tile_levels_add_rows(lg_tile_levels *levels, const lg_image *rows, lg_error *error);

// A tile of such rows, `column` of them; what lies behind the image is 0. `channel` -1: all of them,
// as they lie; else one.
void lg_tile_cut(const lg_tile_levels *levels, const lg_tile_rows *rows, int64_t column,
                 int channel, void *out);

#endif

// The parts that all CPU methods of building summed-area tables share.
#ifndef LG_AREASUM_TABLE_H
#define LG_AREASUM_TABLE_H

#include "measure/areasum/areasum_blocks.h"
#include "measure/areasum/areasum_lines.h"
#include "measure/areasum/areasum_planes.h"

#define LG_AREA_STEP_WORDS 512 // of a row, where it is not taken whole; a multiple of 128 elements
#define LG_AREA_PART_UNIT  128 // elements: whole blocks of plain floats, and whole cache lines

typedef struct lg_area_build {
    lg_context *context;
    const lg_areasum *a;
    const lg_area_array *array;
    lg_area_plane *plane;
    const lg_area_lines_table *lines;
    const lg_area_blocks_table *block;
    const lg_area_across_table *across;
    lg_area_source source;
    bool direct;                 // sums samples directly; else they become words first
    bool stream, whole;          // bypass the caches; rows begin at whole vectors
    size_t word;                 // bytes
    size_t row, step;            // words; elements
    size_t rows, slices;         // rows of a slice; number of slices
    size_t strip, strips;        // elements of a strip; number of strips, 0: no strips
    char *sums, *workers;        // scratch: sums of columns, and that of workers
    bool finite;                 // guess: all samples are finite and below 2^magnitude
    size_t inner, length, outer; // of a pass beyond the second axis
} lg_area_build;

// Part of at most LG_AREA_ROWS rows from `line` on: elements from `first` to `end`.
typedef struct lg_area_tile {
    size_t line, count, first, end;
    bool last;       // the rows end a block of plain floats
    char *sums;      // of the columns of whole rows
    uint64_t *carry; // of these rows
} lg_area_tile;

#define LG_AREA_CARRIES (LG_AREA_ROWS * LG_MAX_CHANNELS)

// Whether the LG_AREA_ROWS rows from y on end a block of plain floats.
static inline bool lg_area_ends_block(size_t y)
{
    return y % LG_AREA_BLOCK == LG_AREA_BLOCK - LG_AREA_ROWS;
}

void lg_area_write_tile(const lg_area_build *b, const lg_area_tile *tile, int worker);

// Finds the source rows of a tile for at most a step of elements from `first` on.
void lg_area_find_rows(const lg_area_build *b, const lg_area_tile *tile, size_t first, int worker,
                       lg_area_rows *rows);

// Bytes of the column sums of whole rows (two lines for plain floats). A single row has nothing
// above.
static inline size_t lg_area_sums_size(const lg_areasum *a)
{
    const size_t row = (size_t)a->shape.extent[0] * (size_t)a->shape.channels;
    return lg_area_rows_of(a) == 1 ? 0 : lg_align_up(row * sizeof(uint64_t), 64);
}

// Whether one worker, or any, met samples larger than guessed.
bool lg_area_worker_is_above(const lg_area_build *b, int worker);
bool lg_area_any_is_above(const lg_context *context, const lg_area_build *b);

// Computes all rows by strips of columns. Of the scratch it uses `sums`.
lg_status lg_area_write_strips(lg_context *context, const lg_area_build *b, lg_error *error);
size_t lg_area_strips_scratch(const lg_context *context, const lg_areasum *a);

// Chooses the elements of a strip and the number of strips; 0 when a wavefront is faster.
void lg_area_choose_strips(const lg_context *context, const lg_areasum *a, size_t *strip,
                           size_t *strips);

// Computes all rows in groups that follow each other as a wavefront. Of the scratch it uses `sums`.
bool lg_area_choose_wavefront(const lg_context *context, const lg_areasum *a);
lg_status lg_area_write_wavefront(lg_context *context, const lg_area_build *b, lg_error *error);
size_t lg_area_wavefront_scratch(const lg_context *context, const lg_areasum *a);

#endif

// What the ways to build summed-area tables on the CPU share.
#ifndef LG_AREASUM_TABLE_H
#define LG_AREASUM_TABLE_H

#include "measure/areasum/areasum_blocks.h"
#include "measure/areasum/areasum_lines.h"
#include "measure/areasum/areasum_planes.h"

#define LG_AREA_STEP_WORDS 512 // of a row, where it is not taken whole; a multiple of 128 elements
#define LG_AREA_PART_UNIT  128 // elements: whole blocks of plain floats, and whole cache lines

typedef struct lg_area_build {
    const lg_areasum *a;
    const lg_area_array *array;
    lg_area_plane *plane;
    const lg_area_lines_table *lines;
    const lg_area_blocks_table *block;
    const lg_area_across_table *across;
    lg_area_source source;
    bool direct;             // from the samples; else they become words first
    bool stream, whole;      // store past the caches; rows begin at whole vectors
    size_t word;             // bytes
    size_t row, step;        // words; elements
    size_t rows, slices;     // of a slice; of the first two axes
    size_t bands, band_rows; // of a slice
    size_t parts;            // of the columns of a band, while these are summed up
    size_t stripe, stripes;  // elements; how many, 0: bands
    char *sums, *workers;    // scratch: sums of columns of each band or worker, and workers' rooms
    bool finite;             // it is a guess that all samples are, and below 2^magnitude
    int axis;                // of the passes beyond the second axis
    size_t inner, length, outer;
} lg_area_build;

// Part of some rows: at most LG_AREA_ROWS from `line` on, elements from `first` to `end`.
typedef struct lg_area_piece {
    size_t line, count, first, end;
    bool last;       // they end a block of plain floats
    char *sums;      // of the columns of whole rows
    uint64_t *carry; // of these rows
} lg_area_piece;

void lg_area_write_piece(const lg_area_build *b, const lg_area_piece *piece, int worker);

// Where the elements from `first` on of a piece come from, at most a step of them.
void lg_area_find_rows(const lg_area_build *b, const lg_area_piece *piece, size_t first, int worker,
                       lg_area_rows *rows);

// Whether samples were met that are larger than guessed.
bool lg_area_above_guess(const lg_context *context, const lg_area_build *b);

// All rows by stripes of columns. Of scratch, `sums` is used.
void lg_area_write_stripes(lg_context *context, const lg_area_build *b);
size_t lg_area_stripes_scratch(const lg_context *context, const lg_areasum *a);

// Elements of a stripe and how many there are; 0: bands are faster. `plain`: floats whose order counts.
void lg_area_choose_stripes(const lg_context *context, const lg_areasum *a, bool plain,
                            size_t *stripe, size_t *stripes);

#endif

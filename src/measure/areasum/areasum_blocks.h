// Rows of a summed-area table on the CPU, a few at a time; one table per instruction set.
#ifndef LG_AREASUM_BLOCKS_H
#define LG_AREASUM_BLOCKS_H

#include "cpu/cpu.h"

#define LG_AREA_ROWS  8  // at a time at most: a group of plain floats
#define LG_AREA_BLOCK 64 // rows of plain floats whose groups are summed before the next carry
#define LG_AREA_PLAIN_BLOCK                                                                        \
    128 // samples of a row whose sums are made by halves; of three channels 96

// In elements.
static inline size_t lg_area_plain_block(size_t channels)
{
    return channels == 3 ? 32 : LG_AREA_PLAIN_BLOCK / channels;
}

typedef struct lg_area_rows {
    const void *from[LG_AREA_ROWS]; // samples or words
    void *to[LG_AREA_ROWS];         // words; multiples of 32 if `stream`
    void *sums;                     // of the columns above; afterwards with these rows
    float *blocks;   // plain floats: what is before a block, where `sums` has its groups so far
    bool last;       // of them: the last group of a block
    uint64_t *carry; // of rows: words at [row * LG_MAX_CHANNELS + channel], likewise
    size_t rows, elements;
    int channels;
    double scale; // exact floats: units in 1
    uint32_t
        max; // finite floats: bits of the largest magnitude so far; only sums of rows look at it
    bool stream; // store past the caches
} lg_area_rows;

typedef enum lg_area_source {
    LG_AREA_FROM_U8,    // samples of one channel to u32
    LG_AREA_FROM_U32,   // words to u32
    LG_AREA_FROM_U64,   // words to u64
    LG_AREA_FROM_F32,   // samples of one channel to u64, below 2^51 units
    LG_AREA_FROM_PLAIN, // floats to floats; blocks begin at a multiple of 128 elements
    // The same two of one channel where all samples are finite; if `most` says afterwards that one was not,
    // the entries are not to be used.
    LG_AREA_FROM_F32_FINITE,
    LG_AREA_FROM_PLAIN_FINITE,
    LG_AREA_SOURCES
} lg_area_source;

static inline bool lg_area_is_plain(lg_area_source source)
{
    return source == LG_AREA_FROM_PLAIN || source == LG_AREA_FROM_PLAIN_FINITE;
}

typedef struct lg_area_blocks_table {
    void (*sum[LG_AREA_SOURCES])(lg_area_rows *rows);
    // Copies, past the caches; after the last such store of a job, before others read.
    void (*stream)(const void *from, size_t bytes, void *to);
    void (*stream_end)(void);
} lg_area_blocks_table;

typedef struct lg_area_across_table {
    // Adds what the rows sum up to, to `carry` alone. Plain floats are a multiple of a block.
    void (*across[LG_AREA_SOURCES])(lg_area_rows *rows);
} lg_area_across_table;

#endif

// Rows of a summed-area table on the CPU, a few at a time; one table per instruction set.
#ifndef LG_AREASUM_BLOCKS_H
#define LG_AREASUM_BLOCKS_H

#include "cpu/cpu.h"

#define LG_AREA_ROWS  8  // at a time at most: a group of plain floats
#define LG_AREA_BLOCK 64 // rows of plain floats whose groups are summed before the next carry
#define LG_AREA_PLAIN_BLOCK                                                                        \
    128 // samples of a row that are summed by halves; with three channels 96

// The same in elements.
static inline size_t lg_area_plain_block(size_t channels)
{
    return channels == 3 ? 32 : LG_AREA_PLAIN_BLOCK / channels;
}

typedef struct lg_area_rows {
    const void *from[LG_AREA_ROWS]; // samples or words
    void *to[LG_AREA_ROWS];         // words; multiples of 32 if `stream`
    void *sums;                     // column sums of the rows above; updated to include these rows
    float *blocks;   // plain floats: sums before the block; `sums` then has those inside it
    bool last;       // plain floats: these rows end a block
    uint64_t *carry; // row sums so far, words at [row * LG_MAX_CHANNELS + channel]; updated
    size_t rows, elements;
    int channels;
    double scale; // exact floats: 1 / unit
    uint32_t max; // finite floats: bits of the largest magnitude; `across` does not update it
    bool stream;  // bypass the caches
} lg_area_rows;

typedef enum lg_area_source {
    LG_AREA_FROM_U8,    // samples of one channel to u32
    LG_AREA_FROM_U32,   // words to u32
    LG_AREA_FROM_U64,   // words to u64
    LG_AREA_FROM_F32,   // samples of one channel to u64, below 2^51 units
    LG_AREA_FROM_PLAIN, // floats to floats; blocks begin at a multiple of 128 elements
    // The same two for one channel of finite samples. When `max` shows afterwards that a sample was
    // not finite, the entries are invalid.
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
    // A copy that bypasses the caches. A job calls stream_end after its last such store, before
    // others read.
    void (*stream)(const void *from, size_t bytes, void *to);
    void (*stream_end)(void);
} lg_area_blocks_table;

typedef struct lg_area_across_table {
    // Adds the sums of the rows to `carry` only. For plain floats the elements are whole blocks.
    void (*across[LG_AREA_SOURCES])(lg_area_rows *rows);
} lg_area_across_table;

#endif

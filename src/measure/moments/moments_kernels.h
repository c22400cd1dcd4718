// What the CPU kernels of moments are called with; one table per instruction set.
#ifndef LG_MOMENTS_KERNELS_H
#define LG_MOMENTS_KERNELS_H

#include "cpu/cpu.h"
#include "measure/moments/moments.h"

// ---- integers -----------------------------------------------------------------------------------

#define LG_INTEGER_ROW (1 << 16) // pixels per row of a call, so that 32-bit partial sums hold

// Sums of the stored channels, taken in by addition. A call adds less than 2^31 pixels.
typedef struct lg_integer_sums {
    uint64_t sum[LG_MAX_CHANNELS], squares[LG_MAX_CHANNELS];
    uint32_t min[LG_MAX_CHANNELS], max[LG_MAX_CHANNELS];
} lg_integer_sums;

typedef struct lg_integer_rows {
    const void *data;
    size_t stride; // bytes
    size_t rows, pixels;
    int channels;
} lg_integer_rows;

typedef struct lg_moments_integer_table {
    void (*u8)(const lg_integer_rows *rows, lg_integer_sums *sums);
    void (*u16)(const lg_integer_rows *rows, lg_integer_sums *sums);
} lg_moments_integer_table;

// ---- floats -------------------------------------------------------------------------------------

#define LG_LEAF_ROW (LG_LEAF_WIDTH * LG_MAX_CHANNELS) // samples

#define LG_LEAF_PADDING 16 // samples: a cache line

// Whole leaves side by side that one call takes: 8 of one channel, 4 of two, 2 of four.
#define LG_LEAVES 8
#define LG_SPAN   (LG_LEAVES * LG_LEAF_WIDTH) // samples of a row

// One leaf; or, where all pixels count and there are 32 rows, whole leaves side by side. A row is readable
// up to a multiple of LG_LEAF_PADDING samples; those behind the last pixel repeat it.
typedef struct lg_leaf_source {
    const float *rows;
    size_t stride; // samples
    int width, height, channels, measured;
    const uint8_t *take; // NULL: all pixels count; else one byte per pixel
    size_t take_stride;
    const float *reciprocals;
} lg_leaf_source;

// Working memory of one worker, 64-byte aligned.
typedef struct lg_leaf_scratch {
    float hi[2 * LG_LEAF_ROW], lo[2 * LG_LEAF_ROW], m2[2 * LG_LEAF_ROW]; // nodes, and room behind
    float upper[3 * LG_SPAN], lower[3 * LG_SPAN]; // nodes of columns of 8 or 16 rows
    float n[2 * LG_LEAF_WIDTH];                   // their counts
    float x[LG_LEAF_HEIGHT][LG_LEAF_WIDTH];       // one channel; 0 where left out
    float counts[LG_LEAF_HEIGHT][LG_LEAF_WIDTH];  // 1 or 0
    float samples[LG_LEAF_HEIGHT * LG_LEAF_ROW];  // converted, gathered or padded rows
} lg_leaf_scratch;

typedef struct lg_moments_float_table {
    // out[leaf * measured + channel]
    void (*leaves)(const lg_leaf_source *leaf, lg_leaf_scratch *scratch, lg_leaf_record *out);
    void (*halves)(const void *from, size_t count, float *to); // f16 to f32, exact
} lg_moments_float_table;

#endif

// The CPU kernels of the histogram; one table per instruction set.
#ifndef LG_HISTOGRAM_KERNELS_H
#define LG_HISTOGRAM_KERNELS_H

#include "measure/histogram/histogram.h"

#define LG_HISTOGRAM_SPAN 1024 // pixels that pass through float or index buffers at a time

// Interleaved samples of `channels` channels are counted by position: sample j goes to table j %
// ways, and channel c is the sum of the tables k with k % channels == c. With eight tables,
// repeated samples hit different counters. The stride of tables is a constant.
#define LG_HISTOGRAM_WIDE_WAYS   8
#define LG_HISTOGRAM_WIDE_STRIDE 272 // at least 256 bins + LG_OUTSIDE_COUNT
#define LG_HISTOGRAM_PIXEL_WAYS                                                                    \
    16 // for u8 pixels of four channels, as a constant alpha has no table

typedef struct lg_histogram_layout {
    int channels;  // interleaved in the samples
    int counted;   // channels to count: all, or all but the last
    int ways;      // a multiple of channels: 1, 2, 4, 8, 16
    bool runs;     // look for repeated samples
    size_t stride; // counters from table to table
} lg_histogram_layout;

typedef struct lg_histogram_kernels {
    // samples: u8, u16 or u32 table indices, `count` of them (a multiple of channels).
    void (*count)(const void *samples, size_t size, size_t count, const lg_histogram_layout *layout,
                  uint32_t *tables);
    // Integer luma of interleaved pixels of four channels.
    void (*luma_u8)(const uint8_t *pixels, size_t count, const lg_histogram_task *task,
                    uint8_t *out);
    void (*luma_u16)(const uint16_t *pixels, size_t count, const lg_histogram_task *task,
                     uint16_t *out);
    // Samples to floats, times `scale`.
    void (*load)(const void *samples, lg_type type, size_t count, float scale, float *out);
    // Converts interleaved float pixels of four channels to planes of LG_HISTOGRAM_SPAN.
    void (*to_space)(const float *pixels, size_t count, const lg_histogram_task *task,
                     float *planes);
    // The float rule: bins, or bins + lg_histogram_outside. The u16 form saves half the bytes where
    // it fits.
    void (*bin_u16)(const float *values, size_t count, const lg_histogram_rule *rule, uint32_t bins,
                    uint16_t *out);
    void (*bin_u32)(const float *values, size_t count, const lg_histogram_rule *rule, uint32_t bins,
                    uint32_t *out);
} lg_histogram_kernels;

// Counts u8 samples in pairs, for images whose neighbouring samples are similar; NULL where a level
// has no such kernel. `pairs` has LG_HISTOGRAM_PAIR_COUNTERS counters, zero at first. At least four
// ways.
#define LG_HISTOGRAM_PAIR_STRIDE   65600 // not a power of two: tables would share sets of a cache
#define LG_HISTOGRAM_PAIR_COUNTERS (4 * LG_HISTOGRAM_PAIR_STRIDE)

typedef struct lg_histogram_pairs {
    // Counts the first samples of a span and returns their number: all but less than 64.
    size_t (*add)(const uint8_t *samples, size_t count, const lg_histogram_layout *layout,
                  uint32_t *pairs, uint32_t *tables);
    // Moves the counts to `tables` and clears `pairs`.
    void (*fold)(uint32_t *pairs, const lg_histogram_layout *layout, uint32_t *tables);
} lg_histogram_pairs;

// Counts u8 samples in bit vectors, only where lg_cpu_has_avx512_histogram(). There is one state
// per channel, zero at first. A table is complete after _finish, which empties the state.
#define LG_AVX512_BATCH 1024

typedef struct lg_histogram_avx512 {
    uint8_t queue[4][LG_AVX512_BATCH + 64];
    uint64_t carry[4][4][8];
    size_t length[4];
} lg_histogram_avx512;

void lg_histogram_avx512_add(lg_histogram_avx512 *state, const uint8_t *samples, size_t count,
                             uint32_t *table);
// The first `counted` channels of interleaved pixels of four; tables are `stride` counters apart.
void lg_histogram_avx512_add_4(lg_histogram_avx512 *states, int counted, const uint8_t *pixels,
                               size_t count, uint32_t *tables, size_t stride);
void lg_histogram_avx512_finish(lg_histogram_avx512 *state, uint32_t *table);

// The faster of LG_HISTOGRAM_CPU_MULTI and LG_HISTOGRAM_CPU_AVX512 for u8 samples of 1 or 4
// channels. Measured at the first call where both run, then kept in the context.
lg_histogram_variant lg_histogram_cpu_choice(lg_context *context,
                                             const lg_histogram_kernels *kernels, int channels);

#endif

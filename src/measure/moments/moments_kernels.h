// The interface of the CPU kernels of moments; one table per instruction set.
#ifndef LG_MOMENTS_KERNELS_H
#define LG_MOMENTS_KERNELS_H

#include "cpu/cpu.h"
#include "measure/moments/moments.h"

// ---- integers -----------------------------------------------------------------------------------

#define LG_INTEGER_ROW (1 << 16) // pixels per row of a call, so that 32-bit partial sums hold

// Sums of the stored channels. Kernels add to them, less than 2^31 pixels per call.
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
    // lg_planar_read
    void (*colors)(const struct lg_planar *planes, int32_t x, int32_t y, int count, void *out);
    // The colours of whole rows or, from an even column on, of parts of LG_INTEGER_ROW pixels at most.
    void (*planes)(const struct lg_planar *planes, int32_t x, int32_t y, int32_t width,
                   int32_t height, lg_integer_sums *sums);
} lg_moments_integer_table;

// ---- floats -------------------------------------------------------------------------------------

// Doubles add floats exactly while all samples are multiples of one unit and no sum exceeds 51 bits
// of it. So a lane adds up to LG_FOLD_STEPS samples of a window: samples with |x| < 2^e that are
// multiples of 2^(e - LG_WINDOW_BITS), as floats from 2^(e - LG_WINDOW_DEPTH) on always are. A
// square needs two sums: the upper one rounds it, the lower one adds the rounding error. Samples
// outside the window are added one by one (moments_fold.c).
#define LG_WINDOW_BITS  43
#define LG_WINDOW_DEPTH (LG_WINDOW_BITS - 23)
#define LG_FOLD_STEPS   256
#define LG_FOLD_LANES   16 // at most
#define LG_FOLD_BLOCK   (LG_FOLD_STEPS * LG_FOLD_LANES)

// Lane i has the samples i, i + lanes, ... of a block, all of channel i % channels, as the number
// of lanes is a multiple of 4.
typedef struct lg_fold_lanes {
    // Sums start at 1.5 * 2^52 units, so the last bit of a double is worth one unit.
    double sum_start[LG_FOLD_LANES], upper_start[LG_FOLD_LANES], lower_start[LG_FOLD_LANES];
    int64_t sum[LG_FOLD_LANES];   // in units of 2^(e - BITS)
    int64_t upper[LG_FOLD_LANES]; // in units of 2^(2 e - BITS)
    int64_t lower[LG_FOLD_LANES]; // in units of 2^(2 e - 2 BITS)
    float min[LG_FOLD_LANES], max[LG_FOLD_LANES];
    uint32_t below[LG_FOLD_LANES]; // bits of 2^e
    int32_t least
        [LG_FOLD_LANES]; // bits of the window's smallest magnitude; INT32_MIN: none is too small
    int32_t counts[LG_FOLD_LANES]; // -1; 0 for a channel that is not measured
} lg_fold_lanes;

typedef struct lg_moments_float_table {
    size_t lanes; // 4, 8 or 16
    // Adds `steps` * `lanes` samples, steps <= LG_FOLD_STEPS; false and no change if one is outside
    // its window. Without `signs`, all samples must be positive or `least` be INT32_MIN.
    bool (*fold)(const float *samples, size_t steps, bool signs, lg_fold_lanes *lanes);
    // The bits of the largest finite magnitude of each channel.
    void (*largest)(const float *samples, size_t count, size_t channels, uint32_t *bits);
    void (*halves)(const void *from, size_t count, float *to); // f16 to f32, exact
} lg_moments_float_table;

#endif

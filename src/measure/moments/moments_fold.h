// Adds float samples to exact sums, for one thread. Samples inside the window of their channel are
// added in vectors of doubles, others one by one according to their exponent.
#ifndef LG_MOMENTS_FOLD_H
#define LG_MOMENTS_FOLD_H

#include "measure/moments/moments_kernels.h"

#define LG_FOLD_EXPONENTS 255  // of finite floats
#define LG_FOLD_SPAN      2048 // samples that lg_float_fold_taken takes at once, at most

// Sums of samples with equal exponents, as whole significands.
typedef struct lg_fold_exponents {
    int64_t sum[LG_FOLD_EXPONENTS];
    uint64_t squares[LG_FOLD_EXPONENTS];
} lg_fold_exponents;

// 64-byte aligned.
typedef struct lg_float_fold {
    lg_fold_lanes lanes;
    float
        pending[LG_FOLD_BLOCK + 64]; // samples of an incomplete block, and space for one more pixel
    lg_fold_exponents exponents[LG_MAX_CHANNELS];
    int window[LG_MAX_CHANNELS]; // |x| < 2^window
    const lg_moments_float_table *kernels;
    lg_float_sums *sums; // [measured]
    size_t channels, measured;
    size_t waiting;   // samples in pending
    unsigned blocks;  // blocks in the lanes
    unsigned singles; // samples in the exponents
    bool signs;
    bool fixed; // f16: one window holds all samples
} lg_float_fold;

// Begins with empty sums; `half` promises f16 samples.
void lg_float_fold_begin(lg_float_fold *fold, const lg_moments_float_table *kernels,
                         lg_float_sums *sums, size_t channels, size_t measured, bool half);

// `count` samples of whole pixels.
void lg_float_fold_add(lg_float_fold *fold, const float *samples, size_t count);

// Adds pixels with take[i] = 1; up to LG_FOLD_SPAN samples.
void lg_float_fold_taken(lg_float_fold *fold, const float *samples, const uint8_t *take,
                         size_t pixels);

// Completes the sums.
void lg_float_fold_end(lg_float_fold *fold);

#endif

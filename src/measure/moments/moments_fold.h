// Float samples on their way into exact sums, for one thread: what fits the window of its channel
// goes through vectors of doubles, the rest is added by its exponent.
#ifndef LG_MOMENTS_FOLD_H
#define LG_MOMENTS_FOLD_H

#include "measure/moments/moments_kernels.h"

#define LG_FOLD_EXPONENTS 255  // of finite floats
#define LG_FOLD_PIECE     2048 // samples that lg_float_fold_taken takes at once, at most

// Sums of samples with the same exponent, as whole significands.
typedef struct lg_fold_exponents {
    int64_t sum[LG_FOLD_EXPONENTS];
    uint64_t squares[LG_FOLD_EXPONENTS];
} lg_fold_exponents;

// 64-byte aligned.
typedef struct lg_float_fold {
    lg_fold_lanes lanes;
    float pending[LG_FOLD_BLOCK +
                  64]; // samples that wait for a whole block; room for a pixel behind them
    lg_fold_exponents exponents[LG_MAX_CHANNELS];
    int window[LG_MAX_CHANNELS]; // |x| < 2^window
    const lg_moments_float_table *kernels;
    lg_float_sums *sums; // [measured]
    size_t channels, measured;
    size_t waiting;   // samples in pending
    unsigned blocks;  // that lanes have taken in
    unsigned singles; // samples that exponents have taken in
    bool signs;
    bool fixed; // halves: one window has all of them
} lg_float_fold;

// Begins with empty sums; `half` promises samples that are halves.
void lg_float_fold_begin(lg_float_fold *fold, const lg_moments_float_table *kernels,
                         lg_float_sums *sums, size_t channels, size_t measured, bool half);

// `count` samples of whole pixels.
void lg_float_fold_add(lg_float_fold *fold, const float *samples, size_t count);

// Pixels of which those with take[i] = 1 count; up to LG_FOLD_PIECE samples.
void lg_float_fold_taken(lg_float_fold *fold, const float *samples, const uint8_t *take,
                         size_t pixels);

// Ends in the sums.
void lg_float_fold_end(lg_float_fold *fold);

#endif

// Convolution with a Gaussian: weights, and what the entry hands to the kernels of a CPU level.
// docs/definitions.md says what is computed.
#ifndef LG_GAUSSIAN_BLUR_H
#define LG_GAUSSIAN_BLUR_H

#include "filter/native/separable/separable.h"

#define LG_GAUSSIAN_RADIUS 4096 // at most
// Bits behind the point between the two passes over bytes.
#define LG_GAUSSIAN_FRACTION 6

typedef struct lg_gaussian {
    int radius;
    int shift;      // integer weights sum to 2^shift
    float *floats;  // radius + 1: from the centre outwards
    int32_t *whole; // 2 radius + 1, each below 2^15
} lg_gaussian;

// Where rule is 1 (GPUImage's), sigma is rounded to a whole number and the window ends where the
// density falls under 1/256. radius 0: the rule says it.
lg_status lg_gaussian_create(float sigma, int radius, int rule, lg_gaussian *out, lg_error *error);
void lg_gaussian_destroy(lg_gaussian *g);

// Pairs of neighbouring weights, the first in the low half of a word, for windows that begin at the
// first sample of a pair (even) and at the second one (odd): [0 .. radius], zeros for 4 indices on
// either side.
typedef struct lg_gaussian_bytes {
    const lg_gaussian *weights;
    lg_border border;
    int32_t *even, *odd;
    bool rounded; // the output is of the input's kind
    float scale;  // of a sum, for floats
} lg_gaussian_bytes;

#define LG_GAUSSIAN_ZEROS 4

// Bytes of scratch for a strip of `width` pixels.
static inline size_t lg_gaussian_scratch(size_t width, int radius, int channels)
{
    const size_t reach = width + 2 * (size_t)radius, samples = reach * (size_t)channels;
    return (2 * samples + 128) * ((size_t)radius + 2) + 9 * samples + 16 * reach + 32768;
}

// The tiles of an lg_gaussian_bytes.
typedef void (*lg_gaussian_run_fn)(const void *job, const lg_tile *tile, char *scratch);

// The plain definition, for tests.
lg_status lg_gaussian_blur_ref(const lg_native_call *call);

#endif

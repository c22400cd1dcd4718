// The exact bilateral filter: taps and weights, and what the entry hands to the kernels of a CPU level.
// docs/definitions.md says what is computed.
#ifndef LG_BILATERAL_H
#define LG_BILATERAL_H

#include "filter/native/tiles.h"

#define LG_BILATERAL_RADIUS 32

// Half of the disc without its centre: the other half is -x, -y.
typedef struct lg_bilateral_tap {
    int16_t x, y;
    float weight;
    int32_t row; // where the rows of its weights begin, see lg_bilateral.rows
} lg_bilateral_tap;

typedef struct lg_bilateral {
    lg_border border;
    int radius;
    float factor; // of a squared difference: the exponent of 2
    float scale;  // what a difference's square is taken times: 3 for grey
    float first;  // what that of the first of two planes is taken times: 3 for grey beside alpha
    float unit;   // of a result: 1 / 255 where samples are bytes and the output is not, else 1
    bool bytes;   // samples as whole numbers 0 .. 255
    bool rounded; // stored as bytes
    int planes, distance; // of a pixel; those that make up the difference, from the first on
    lg_bilateral_tap *taps;
    int count;
    int32_t rows; // weights that are kept: y + 1 rows a tap; 0: every weight is computed twice
    size_t pitch; // floats of a row of a tile
} lg_bilateral;

// All but the radius and the taps; the border as given.
lg_bilateral lg_bilateral_describe(const lg_filter *filter, const float *values,
                                   const lg_pixels *in, const lg_pixels *out);

// What is true of every level. The taps are in rows from the centre downwards.
lg_status lg_bilateral_create(const lg_filter *filter, const float *values, const lg_pixels *in,
                              const lg_pixels *out, lg_bilateral *b, lg_error *error);
void lg_bilateral_destroy(lg_bilateral *b);

// Bytes of scratch for a strip of `width` pixels.
size_t lg_bilateral_scratch(const lg_bilateral *b, size_t width);

// The tiles of an lg_bilateral.
typedef void (*lg_bilateral_run_fn)(const void *job, const lg_pixel_tile *tile, char *scratch);

struct lg_device_call;
lg_status lg_bilateral_vulkan(struct lg_device_call *call);

// The plain definition, for tests.
lg_status lg_bilateral_ref(const lg_native_call *call);

#endif

// The exact bilateral filter: taps and weights, the interface of the kernels of a CPU level.
// docs/definitions.md defines the filter.
#ifndef LG_BILATERAL_H
#define LG_BILATERAL_H

#include "filter/native/tiles.h"

#define LG_BILATERAL_RADIUS 32

// Half of the disc without its centre; the other half is -x, -y.
typedef struct lg_bilateral_tap {
    int16_t x, y;
    float weight;
    int32_t row; // first row of its weights, see lg_bilateral.rows
} lg_bilateral_tap;

typedef struct lg_bilateral {
    lg_border border;
    int radius;
    float factor;         // a squared difference times this is the exponent of 2
    float scale;          // factor of a squared difference: 3 for grey
    float first;          // factor of that of the first of two planes: 3 for grey with alpha
    float unit;           // of a result: 1 / 255 if samples are bytes and the output is not, else 1
    bool bytes;           // samples as integers 0 .. 255
    bool rounded;         // stored as bytes
    int planes, distance; // planes of a pixel; the first `distance` ones make the difference
    lg_bilateral_tap *taps;
    int count;
    int32_t rows; // kept rows of weights, y + 1 per tap; 0: every weight is computed twice
    size_t pitch; // floats of a row of a tile
} lg_bilateral;

// Sets all but the radius and the taps; the border as given.
lg_bilateral lg_bilateral_describe(const lg_filter *filter, const float *values,
                                   const lg_pixels *in, const lg_pixels *out);

// Sets what is common to all levels. The taps are in rows from the centre downwards.
lg_status lg_bilateral_create(const lg_filter *filter, const float *values, const lg_pixels *in,
                              const lg_pixels *out, lg_bilateral *b, lg_error *error);
void lg_bilateral_destroy(lg_bilateral *b);

// Bytes of scratch for a strip of `width` pixels.
size_t lg_bilateral_scratch(const lg_bilateral *b, size_t width);

// The tiles of an lg_bilateral.
typedef void (*lg_bilateral_run_fn)(const void *job, const lg_pixel_tile *tile, char *scratch);

struct lg_device_call;
void lg_bilateral_vulkan(struct lg_device_call *call);

// The plain definition, for tests.
lg_status lg_bilateral_ref(const lg_native_call *call);

#endif

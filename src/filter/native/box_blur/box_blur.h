// The mean over a square window: the interface of the kernels of a CPU level. docs/definitions.md
// defines the filter.
#ifndef LG_BOX_BLUR_H
#define LG_BOX_BLUR_H

#include "filter/native/separable/separable.h"

#define LG_BOX_LEVELS 14 // 2 * 4096 + 1 < 2^14

// Up to this radius sums of columns fit 16 bits with a sign. The sum of a window is an exact float,
// and the error of its quotient is below 1/(2n), so it is rounded to the right integer.
#define LG_BOX_BYTES_RADIUS 63

// Sums of floats by doubling, along one axis.
typedef struct lg_box_sums {
    int size;   // of the window
    int levels; // the highest bit of size
} lg_box_sums;

typedef struct lg_box_floats {
    lg_box_sums down, along;
    float scale; // 1 / samples of the window
} lg_box_floats;

// Rows of floats that lg_box_floats needs: 2^k + 1 for each level.
static inline size_t lg_box_state_rows(int levels)
{
    return ((size_t)2 << levels) + (size_t)levels;
}

// Integer samples.
typedef struct lg_box_job {
    lg_border border;
    int radius; // box_bytes: of the square
    lg_window_side down, along;
    bool past_caches; // box_bytes: the output is larger than these
    bool rounded;     // the output has the input's kind: means are rounded to integers
    float
        scale; // factor of a sum: 1 / samples of the window, for floats 1 / (that * largest sample)
} lg_box_job;

// Bytes of scratch for a strip of `width` pixels.
static inline size_t lg_box_scratch(size_t width, lg_window_side along, int channels)
{
    const size_t sums = (width + (size_t)lg_window_size(along) - 1) * (size_t)channels;
    return 6 * sums + 1024;
}

// The tiles of an lg_box_job.
//   box_bytes     u8, 1 or 4 channels, a square of a radius up to LG_BOX_BYTES_RADIUS
//   box_integers  u8 and u16
typedef void (*lg_box_run_fn)(const void *job, const lg_pixel_tile *tile, char *scratch);

struct lg_device_call;
void lg_box_blur_vulkan(struct lg_device_call *call);

// The plain definition, for tests.
lg_status lg_box_blur_ref(const lg_native_call *call);

#endif

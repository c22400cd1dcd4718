// Bytes of grey that reach the mean of the square around them less an offset: adaptive_threshold, without
// images of floats.
//
// With n pixels in a window, S the sum of their bytes and g the byte in its middle, n g - S tells the result,
// unless it is so near to the threshold that the roundings of the definition decide. Those pixels alone are
// computed in floats, in the definition's order.
#ifndef LG_MEAN_THRESHOLD_H
#define LG_MEAN_THRESHOLD_H

#include "filter/native/tiles.h"

#include <stdatomic.h>

#define LG_MEAN_THRESHOLD_RADIUS 63 // n g fits 24 bits

typedef struct lg_mean_threshold {
    lg_pixels in, out;
    int32_t radius;
    float offset;
    float scale;       // 1 / n
    int32_t low, high; // n g - S is below `low`: black; `high` or more: white
    int64_t most;      // pixels in floats
    atomic_llong open; // how many there were
} lg_mean_threshold;

size_t lg_mean_threshold_scratch(int32_t width, int32_t radius);

// Rows y .. y_end - 1; it stops when too many pixels need floats.
typedef void (*lg_mean_threshold_fn)(lg_mean_threshold *job, int64_t y, int64_t y_end,
                                     char *scratch);

// *done: whether `out` is written. Where many pixels are at their threshold, the other way is faster.
lg_status lg_mean_threshold_cpu(lg_context *context, const lg_image *in, lg_image *out,
                                int32_t radius, float offset, bool *done, lg_error *error);

#endif

// A convolution with any kernel of numbers.
#ifndef LG_LINEAR_FILTER_H
#define LG_LINEAR_FILTER_H

#include "filter/native/tiles.h"

#define LG_LINEAR_SIDE 31 // most rows, and columns, of a kernel

typedef struct lg_linear {
    int columns, rows;
    int left, top; // of the pixel itself in the kernel
    lg_border border;
    float offset;
    float weights[LG_LINEAR_SIDE * LG_LINEAR_SIDE]; // row by row, times the factor
    size_t stride;                                  // floats of a plane of a tile
} lg_linear;

lg_status lg_linear_describe(const lg_filter *filter, const float *values, const char *const *texts,
                             lg_linear *out, lg_error *error);

struct lg_device_call;
void lg_linear_vulkan(struct lg_device_call *call);

#endif

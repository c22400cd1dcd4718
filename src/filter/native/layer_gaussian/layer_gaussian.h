// A Gaussian along the layers of a stack.
#ifndef LG_LAYER_GAUSSIAN_H
#define LG_LAYER_GAUSSIAN_H

#include "filter/native/gaussian_blur/gaussian_blur.h"
#include "filter/native/tiles.h"

typedef struct lg_layer_gaussian_job {
    const lg_stage_table *stage;
    const lg_image *in, *out;
    const lg_gaussian *g;
    lg_border border;
    int planes; // that are weighed: 1 of grey, 3 without alpha
} lg_layer_gaussian_job;

typedef struct lg_layer_gaussian_table {
    lg_rows_fn *run; // rows of all layers of the output, one layer after the other
} lg_layer_gaussian_table;

// The weights of a filter's parameters.
lg_status lg_layer_gaussian_weights(const lg_filter *filter, const float *values, lg_gaussian *out,
                                    lg_error *error);

struct lg_device_call;

void lg_layer_gaussian_vulkan(struct lg_device_call *call);

#endif

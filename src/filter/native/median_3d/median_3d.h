// The median of a box of pixels and layers.
#ifndef LG_MEDIAN_3D_H
#define LG_MEDIAN_3D_H

#include "filter/native/tiles.h"

#define LG_MEDIAN_3D_MOST 5 // radius along an axis

typedef struct lg_median_3d_job {
    const lg_stage_table *stage;
    const lg_image *in, *out;
    int radius, radius_z;
    lg_border border;
} lg_median_3d_job;

typedef struct lg_median_3d_table {
    lg_rows_fn *run; // rows of all layers of the output, one layer after the other
    size_t scratch;
} lg_median_3d_table;

struct lg_device_call;

void lg_median_3d_vulkan(struct lg_device_call *call);

#endif

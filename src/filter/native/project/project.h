// Projections: one layer that has a figure of all layers at each pixel.
#ifndef LG_PROJECT_H
#define LG_PROJECT_H

#include "filter/native/tiles.h"

typedef struct lg_project_job {
    const lg_stage_table *stage;
    const lg_image *in;
    lg_pixels out;
    int figure;
} lg_project_job;

typedef struct lg_project_table {
    lg_rows_fn *run; // rows of the output
} lg_project_table;

// Whether the fourth channel is one like the others.
static inline bool lg_project_has_data(const lg_image_params *in)
{
    return in->channels == 4 && in->alpha == LG_ALPHA_NONE;
}

struct lg_device_call;

void lg_project_vulkan(struct lg_device_call *call);

#endif

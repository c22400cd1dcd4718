// A Voronoi diagram by jump flooding.
#ifndef LG_JFA_VORONOI_H
#define LG_JFA_VORONOI_H

#include "filter/native/tiles.h"

typedef struct lg_voronoi_job {
    const lg_stage_table *stage;
    lg_pixels in, out;
    uint32_t *sites[2]; // of all pixels, before and after a step
    int from;           // which of them is read
    int32_t step;
} lg_voronoi_job;

// Rows of one layer.
typedef struct lg_voronoi_table {
    lg_rows_fn *begin, *flood, *finish;
} lg_voronoi_table;

// The steps of an image: half of the next power of two and so on down to 1, and once more 1.
static inline int32_t lg_voronoi_first_step(int32_t width, int32_t height)
{
    int32_t step = 1;
    while (step < LG_MAX(width, height) - step)
        step *= 2;
    return step;
}

static inline int32_t lg_voronoi_next_step(int32_t step, bool *last)
{
    const bool again = step == 1;
    if (again && *last)
        return 0;
    *last = again;
    return again ? 1 : step / 2;
}

struct lg_device_call;

void lg_voronoi_vulkan(struct lg_device_call *call);

#endif

// The exact Euclidean distance transform: down the columns the distance to the nearest site of the
// column, then along each row the least square over its columns. All of it is integers.
#ifndef LG_DISTANCE_TRANSFORM_H
#define LG_DISTANCE_TRANSFORM_H

#include "filter/native/tiles.h"

typedef struct lg_distance_job {
    const lg_stage_table *stage;
    lg_pixels in, out;
    uint32_t *rows;     // of each pixel: how many rows away the nearest site of its column is
    int32_t first, end; // rows of the passes along columns
    bool of_sites;      // distances are those of the background: pixels of the foreground are sites
    bool squared;       // what is written
    float unit;         // the colour of 1
} lg_distance_job;

// `down` and `up`: columns, counted in spans of LG_SPAN, in rows of the job from the first to the last and
// back; `columns`: both. `finish`: rows of the image.
typedef struct lg_distance_table {
    lg_rows_fn *columns, *down, *up, *finish;
} lg_distance_table;

// What the parameters say, without stage and images.
lg_distance_job lg_distance_describe(const lg_filter *filter, const float *values);

// Bytes of a worker for a row.
static inline size_t lg_distance_scratch(int32_t width)
{
    return 3 * (size_t)width * sizeof(int32_t);
}

struct lg_device_call;

void lg_distance_vulkan(struct lg_device_call *call);

#endif

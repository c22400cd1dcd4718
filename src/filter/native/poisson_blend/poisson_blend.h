// Poisson blending by damped Jacobi steps: the image takes over the second differences of another
// image where that one is opaque.
#ifndef LG_POISSON_BLEND_H
#define LG_POISSON_BLEND_H

#include "filter/native.h"
#include "filter/native/tiles.h"

#define LG_POISSON_LEAD 16 // floats before a plane's row; one of them is a pixel outside the image

// Images are rows of three planes r, g, b, each with a column outside the image on both sides.
typedef struct lg_poisson_job {
    lg_pixels base, over, out;
    lg_border border;
    float mix;
    size_t plane;    // floats of one plane of a row
    float *image[2]; // before and after a step
    float *detail;   // over - mean of its neighbours
    float *weight;   // alpha of over, times mix: one plane
    float *zeros;    // a row outside the image
    const lg_stage_table *stage;
} lg_poisson_job;

typedef struct lg_poisson_table {
    // Fills image[0], detail and weight of row y. scratch: 3 * 4 planes.
    void (*begin)(const lg_poisson_job *job, int32_t y, float *scratch);
    // Row y of image[1 - from] after one step.
    void (*step)(const lg_poisson_job *job, int from, int32_t y);
    // Writes row y of image[from] with the base's alpha.
    void (*finish)(const lg_poisson_job *job, int from, int32_t y, float *scratch);
} lg_poisson_table;

struct lg_device_call;

lg_status lg_poisson_vulkan(struct lg_device_call *call);

// The plain definition, for tests.
lg_status lg_poisson_ref(const lg_native_call *call);

#endif

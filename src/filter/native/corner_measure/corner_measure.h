// How much of a corner each pixel is: xy_derivative, gaussian_blur and corner_response in one, with their
// bits.
#ifndef LG_CORNER_MEASURE_H
#define LG_CORNER_MEASURE_H

#include "filter/native/gaussian_blur/gaussian_blur.h"

struct lg_device_call;
void lg_corner_measure_vulkan(struct lg_device_call *call);

// The image of the products of derivatives, and of their means.
static inline lg_image_params lg_corner_products_shape(const lg_image_params *in)
{
    return (lg_image_params){.width = in->width,
                             .height = in->height,
                             .layers = in->layers,
                             .channels = LG_MAX_CHANNELS,
                             .type = LG_F32,
                             .alpha = LG_ALPHA_OPAQUE};
}

// Tiles of the CPU, where the Gaussian has no levels.
typedef struct lg_corner_job {
    const lg_stage_table *stage;
    const lg_gaussian *g;
    void (*weigh)(const lg_gaussian *g, const float *const *rows, int64_t count, float *out);
    lg_border border;
    float method, k, sensitivity;
    int32_t strip; // columns of a tile, at most
} lg_corner_job;

#define LG_CORNER_LEAD 16 // floats beside a row of luminance

// Floats of a plane of a row, with what lies beside it.
static inline size_t lg_corner_pitch(const lg_gaussian *g, int32_t strip)
{
    return lg_align_up((size_t)strip + 2 * (size_t)g->taps, 16);
}

// Bytes of a worker's scratch memory: rows of luminance, of means and of results, and products of as many
// rows as the Gaussian has.
static inline size_t lg_corner_scratch(const lg_gaussian *g, int32_t strip)
{
    const size_t pitch = lg_corner_pitch(g, strip);
    return (3 * (pitch + 2 * LG_CORNER_LEAD) + (6 + 3 * lg_gaussian_state_rows(g)) * pitch + 64) *
           sizeof(float);
}

#endif

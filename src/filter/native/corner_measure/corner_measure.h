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

#endif

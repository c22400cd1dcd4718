// An image away from its Gaussian blur: gaussian_blur and extrapolate in one, with their bits.
#ifndef LG_UNSHARP_MASK_H
#define LG_UNSHARP_MASK_H

#include "filter/native/gaussian_blur/gaussian_blur.h"

struct lg_device_call;
void lg_unsharp_mask_vulkan(struct lg_device_call *call);

// That of gaussian_blur with this sigma.
static inline lg_status lg_unsharp_gaussian(const lg_filter *filter, const float *values,
                                            lg_gaussian *out, lg_error *error)
{
    return lg_gaussian_create(lg_native_value(filter, values, "sigma"), 0, LG_GAUSSIAN_AUTO, out,
                              error);
}

#endif

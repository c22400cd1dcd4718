// One of the two passes of GPUImage's bilateral filter.
#ifndef LG_BILATERAL_PASS_H
#define LG_BILATERAL_PASS_H

#include "filter/native/tiles.h"

#define LG_PASS_SPACING 64 // most pixels between two taps
#define LG_PASS_STRIP   512

typedef struct lg_bilateral_pass {
    bool down, alpha;
    int spacing;
    float factor;
    lg_border border;
} lg_bilateral_pass;

lg_bilateral_pass lg_bilateral_pass_of(const lg_filter *filter, const float *values,
                                       const lg_image_params *in);

struct lg_device_call;
void lg_bilateral_pass_vulkan(struct lg_device_call *call);

#endif

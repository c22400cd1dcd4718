// Images of bytes at half and at twice their size, on a Vulkan device. Their weights are few and small, so
// that two sums are made at once.
#ifndef LG_RESIZE_SCALED_H
#define LG_RESIZE_SCALED_H

#include "filter/device_call.h"
#include "filter/native/geometry/resize.h"

typedef enum lg_resize_scale {
    LG_RESIZE_ANY,
    LG_RESIZE_MEAN,   // of 2 x 2 pixels
    LG_RESIZE_HALF,   // 1, 3, 3, 1 eighths along both axes, but at the edges
    LG_RESIZE_DOUBLE, // 1 and 3 quarters along both axes
} lg_resize_scale;

// What the weights are; of images of that many channels.
lg_resize_scale lg_resize_scale_of(const lg_resize *r, int channels);

// `lists`: the weights of both axes on the device, which LG_RESIZE_HALF needs at the edges.
void lg_resize_scaled_vulkan(lg_device_call *call, const lg_resize *r, lg_resize_scale scale,
                             const uint64_t lists[2]);

#endif

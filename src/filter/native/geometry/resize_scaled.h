// Images of bytes at half and at twice their size, on a Vulkan device. Their weights are few and small, so
// that two sums are made at once.
#ifndef LG_RESIZE_SCALED_H
#define LG_RESIZE_SCALED_H

#include "filter/device_call.h"
#include "filter/native/geometry/resize.h"

// What the weights are; of images of that many channels.
lg_resize_scale lg_resize_scale_of(const lg_resize *r, int channels);

// `lists`: the weights of both axes on the device, which LG_RESIZE_HALF needs at the edges.
void lg_resize_scaled_vulkan(lg_device_call *call, const lg_resize *r, lg_resize_scale scale,
                             const uint64_t lists[2]);

// Bytes at half their size with more weights, on a device that has products of four bytes. `lists` as above.
bool lg_resize_has_dots(const lg_context *context, const lg_resize *r, int channels);
void lg_resize_dots_vulkan(lg_device_call *call, const lg_resize *r, const uint64_t lists[2]);

#endif

// What native filters share on a Vulkan device.
#ifndef LG_NATIVE_VULKAN_H
#define LG_NATIVE_VULKAN_H

#include "filter/device_call.h"

typedef struct lg_native_glsl {
    const char *name, *text; // an embedded text
    int group_x, group_y;    // size of a workgroup
    int extra;               // words of push constants of the kernel's own
    int span;                // pixels of a thread; 0: as many as fill vectors of 16 bytes
    const char *shared;      // text in front of it; NULL for none
    const char *parts[2];    // embedded texts behind it; NULL for none
} lg_native_glsl;

// The kernel for these views, the last of which is written; `before` and what follows: #extension and
// #define lines, formatted.
lg_status lg_native_kernel(lg_device_call *call, const lg_native_glsl *text,
                           const lg_device_image *const *views, int count,
                           const lg_vk_pipeline **out, const char *before, ...) LG_PRINTF(6, 7);

// Where a kernel finds a parameter: lg_param_float(that).
uint32_t lg_native_index(const lg_filter *filter, const char *name);

// Workgroups along an axis of `size` pixels, `each` of them per workgroup: kernels walk on by that many
// when there are more than the device takes.
uint32_t lg_native_groups(int64_t size, int64_t each);

// A shape with another type and other channels.
lg_image_params lg_native_shape(const lg_image_params *like, lg_type type, int32_t channels,
                                lg_alpha alpha);

#endif

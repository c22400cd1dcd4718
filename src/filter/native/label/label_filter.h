// The filter `label`, and the parts that figures of components share with it. The foreground of a
// graph's image is the pixels whose red, green or blue is not 0; NaN is 0.
#ifndef LG_LABEL_FILTER_H
#define LG_LABEL_FILTER_H

#include "filter/native.h"
#include "measure/components/component_sums.h"

// Of the parameter `connectivity`: 4, 8, 6, 18 or 26.
int lg_label_connectivity(const lg_filter *filter, const float *values);

// The connectivity of components in the image of a node: that of a node that labels, else 8.
int lg_label_connectivity_behind(const lg_filter *filter, const float *values);

// The largest label that samples of the parameter `type` hold, and 1 in units of colours.
uint32_t lg_label_most(const lg_filter *filter, const float *values);
float lg_label_sample_unit(const lg_filter *filter, const float *values);

// Fails for more components than the type holds.
lg_status lg_label_refuse(const lg_filter *filter, const float *values, uint32_t components,
                          lg_error *error);

// The foreground of an image in host memory as bytes other than 0. Without `select` *made is NULL for
// an image of one channel, which is its own; with it, pixels that are not selected are 0.
lg_status lg_foreground_make(lg_context *context, const lg_image *image, const lg_select *select,
                             lg_image **made, lg_error *error);

struct lg_device_call;
struct lg_device_image;
struct lg_label_source;

void lg_label_filter_vulkan(struct lg_device_call *call);
bool lg_label_filter_fits(const lg_context *context, const lg_filter *filter, const float *values,
                          const lg_image_params *in, const char **why);

// Whether the device labels an image of this shape.
bool lg_foreground_fits(const lg_context *context, const lg_image_params *shape, int connectivity,
                        const char **why);

// Bytes of device memory for the foreground of such an image; 0: the image is its own foreground.
size_t lg_foreground_bytes(const lg_image_params *shape);

// Records the kernel that makes the foreground at `memory`, with a barrier behind it, and gives its
// address. Of the call it needs the context, the commands and the error.
struct lg_label_source lg_foreground_record(struct lg_device_call *call,
                                            const struct lg_device_image *image, uint64_t memory);

#endif

// Pipelines on the CPU and on Vulkan, which give the same bits.
#ifndef LG_TEST_DEVICE_FILTER_H
#define LG_TEST_DEVICE_FILTER_H

#include "content.h"
#include "device.h"

typedef struct device_pair {
    lg_context *cpu, *vulkan;
} device_pair;

// Runs a pipeline twice, so that the second run finds what the first one left; `over` is its second input
// or NULL. NULL after a failed check.
lg_image *device_run(lg_context *context, const char *text, lg_image *in, lg_image *over,
                     lg_type type);

// Runs a pipeline on an image of this shape and content on both contexts and compares, in images at odd
// places of memory. Of choices in braces it takes one each, as kernel cases do.
void device_compare(const device_pair *pair, const char *text, lg_image_params shape,
                    lg_type out_type, content kind);

// The same with a second image.
void device_compare_two(const device_pair *pair, const char *text, lg_image_params shape,
                        lg_image_params over, lg_type out_type, content kind);

// With images on the device a run of the pipeline is one submission and no transfer.
void device_one_submission(const device_pair *pair, const char *text, lg_image_params shape);

// Any channels and alpha; types come in turn, so that a few images see them all. Content for it. Subnormal
// samples have no place there: devices may take them for zero.
lg_image_params device_any_shape(int width, int height);
content device_any_content(const lg_image_params *shape);

#endif

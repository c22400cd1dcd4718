// What the passes of a Gaussian blur share on a Vulkan device.
#ifndef LG_GAUSSIAN_BLUR_VULKAN_H
#define LG_GAUSSIAN_BLUR_VULKAN_H

#include "filter/native/gaussian_blur/gaussian_blur.h"
#include "filter/native/separable/separable_vulkan.h"

typedef struct lg_gaussian_task {
    lg_axis_passes passes;
    lg_gaussian g;
    const lg_vk_buffer *weights;
    int last;    // how the result is stored; 0: as a plane, whole numbers in 32nds
    float scale; // of a whole sum
} lg_gaussian_task;

#define LG_GAUSSIAN_WORDS 5 // of the pass that weighs: gaussian_blur_weigh.glsl

lg_axis_pass lg_gaussian_weighing(const lg_gaussian_task *t, int axis, bool first, int last);
void lg_gaussian_words(const lg_gaussian_task *t, int shift, uint32_t own[LG_GAUSSIAN_WORDS]);

// Blurs planes with levels. `from` has the size of the image.
lg_status lg_gaussian_run_levels(lg_gaussian_task *t, const lg_device_image *from,
                                 const lg_device_image *to);

#endif

// What the passes of a Gaussian blur share on a Vulkan device.
#ifndef LG_GAUSSIAN_BLUR_VULKAN_H
#define LG_GAUSSIAN_BLUR_VULKAN_H

#include "filter/native/gaussian_blur/gaussian_blur.h"
#include "filter/native/separable/separable_vulkan.h"

typedef struct lg_gaussian_task {
    lg_axis_passes passes;
    lg_gaussian g;
    uint64_t weights; // their address
    int last;         // how the result is stored; 0: as a plane, whole numbers in 32nds
    float scale;      // of a whole sum
} lg_gaussian_task;

lg_axis_pass lg_gaussian_weighing(const lg_gaussian_task *t, int axis, bool first, int last);

// Words of the pass that weighs: gaussian_blur_weigh.glsl.
#define LG_GAUSSIAN_WORDS(t, shift)                                                                \
    LG_WORDS(LG_ADDRESS((t)->weights), (t)->g.taps, shift, lg_bits((t)->scale))

// Blurs planes with levels. `from` has the size of the image.
void lg_gaussian_run_levels(lg_gaussian_task *t, const lg_device_image *from,
                            const lg_device_image *to);

#endif

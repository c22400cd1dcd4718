// Figures that stay on a Vulkan device; a plan's commands measure them.
#ifndef LG_FIGURE_VULKAN_H
#define LG_FIGURE_VULKAN_H

#include "device/workspace.h"
#include "graph/figure.h"
#include "graph/figure_push.h"
#include "measure/histogram/histogram_device.h"
#include "vulkan/vk.h"

// The state of recording figures.
typedef struct lg_figure_recording {
    lg_context *context;
    lg_vk_commands *commands;
    const lg_device_view *views; // of images, by slot, kept until the commands have run
    bool first_run;
    lg_error *error;
} lg_figure_recording;

// The inputs of the kernel that makes a figure, after its measurement was recorded.
typedef struct lg_figure_found {
    bool records; // components need records, for the largest one
    bool counts;  // `counters` has counts; else sums
    unsigned
        classes; // of counts other than of bytes: the kernels that are needed, as bits of LG_CLASS_*
    const lg_vk_pipeline *pipeline;
    const lg_vk_pipeline *of_class[3];
    lg_figure_push counters;
    lg_figure_components_push components;
} lg_figure_found;

// Whether the device alone can compute this figure of such an image.
bool lg_figure_on_device(const lg_context *context, const lg_image_params *shape,
                         const lg_figure *figure);

// Allocates what lg_figures_record needs, before anything is recorded: later growth would free
// memory that recorded commands use.
lg_status lg_figure_reserve(lg_context *context, const lg_image_params *shape, lg_error *error);

// Records the first `wanted` figures that are not done, and any others that share a measurement
// with them. Barriers stand before and behind.
lg_status lg_figures_record(const lg_figure_recording *r, lg_figure_task *tasks, int wanted,
                            int count);

// lg_figure_dispatch records the kernel that makes a figure, in so many workgroups, and a barrier.
// lg_figure_output_to gives the `to` of its push constants.
lg_figure_output lg_figure_output_to(const lg_figure_recording *r, const lg_figure_task *t);
void lg_figure_dispatch(const lg_figure_recording *r, const lg_figure_task *t,
                        const lg_vk_pipeline *pipeline, const void *push, uint32_t size,
                        uint32_t groups);

// The channel of each number of a figure, 8 bits each; 255: there is none, it is 1.
uint32_t lg_figure_places(const lg_image_params *shape, const lg_figure *figure);

// Records counting of an image as the figure needs it, and a barrier.
lg_status lg_figure_record_counts(const lg_figure_recording *r, const lg_figure_task *t,
                                  lg_histogram_task *task, lg_histogram_device *counts);

// What the measurement of a figure reads: the image, or its luma, which is computed first.
typedef struct lg_figure_input {
    const lg_image *image;
    const lg_device_view *view;
    lg_scan scan;
    lg_image_private luma;
    lg_device_view luma_view;
} lg_figure_input;

bool lg_figure_luma_fits(const lg_context *context, const lg_image_params *shape);
lg_status lg_figure_open_input(const lg_figure_recording *r, const lg_figure_task *t,
                               lg_figure_input *out);

// Counts of samples that are no bytes; graph/figure_ranks_vulkan.c.
unsigned lg_figure_class(const lg_figure *figure);
bool lg_figure_ranks_fit(const lg_context *context, const lg_image_params *shape,
                         const lg_figure *figure);
lg_status lg_figure_record_values(const lg_figure_recording *r, const lg_figure_task *t,
                                  lg_figure_found *out);
lg_status lg_figure_record_bins(const lg_figure_recording *r, const lg_figure_task *t,
                                lg_figure_found *out);
void lg_figure_make_of_ranks(const lg_figure_recording *r, const lg_figure_task *t,
                             const lg_figure_found *found, bool last);

// The same for components; graph/figure_components_vulkan.c.
bool lg_figure_components_fit(const lg_context *context, const lg_image_params *shape,
                              const lg_figure *figure);
lg_status lg_figure_record_components(const lg_figure_recording *r, const lg_figure_task *t,
                                      lg_figure_found *out);
void lg_figure_make_of_components(const lg_figure_recording *r, const lg_figure_task *t,
                                  const lg_figure_found *found, bool last);

#endif

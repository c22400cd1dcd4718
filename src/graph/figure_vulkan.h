#ifndef LG_FIGURE_VULKAN_H
#define LG_FIGURE_VULKAN_H

#include "device/workspace.h"
#include "graph/figure_push.h"
#include "graph/plan.h"
#include "vulkan/vk.h"

typedef struct lg_figure_target {
    uint64_t numbers;  // address of the parameter's numbers, or of its table
    uint64_t previous; // address of four numbers, or a table, that are kept from run to run
    bool first_run;
} lg_figure_target;

lg_figure_output lg_figure_output_to(const lg_figure *figure, const lg_figure_target *target);

// Whether the device computes this figure of such an image by itself.
bool lg_figure_on_device(const lg_context *context, const lg_image_params *shape,
                         const lg_figure *figure);

// Makes room for what lg_figure_record needs, before anything is recorded: growing later would take
// memory away that recorded commands use.
lg_status lg_figure_reserve(lg_context *context, const lg_image_params *shape, lg_error *error);

// Records the measurement of an image that lies at `view` until the commands are done. Barriers stand
// before and behind it.
lg_status lg_figure_record(lg_context *context, const lg_image *image, const lg_device_view *view,
                           const lg_figure *figure, const lg_figure_target *target,
                           lg_vk_commands *commands, lg_error *error);

// The two for figures of components; graph/figure_components_vulkan.c.
bool lg_figure_components_fit(const lg_context *context, const lg_image_params *shape,
                              const lg_figure *figure);
lg_status lg_figure_record_components(lg_context *context, const lg_image *image,
                                      const lg_device_view *view, const lg_figure *figure,
                                      const lg_figure_target *target, lg_vk_commands *commands,
                                      lg_error *error);

#endif

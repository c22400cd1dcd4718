// Descriptors on a Vulkan device.
#include "filter/native/colour_fast_sampling/colour_fast_sampling.h"
#include "filter/native/native_vulkan.h"

#include <stdlib.h>

extern const char lg_glsl_colour_fast_sampling[], lg_glsl_colour_fast_pixels[];

lg_status lg_color_fast_vulkan(lg_device_call *call)
{
    const lg_image_params *s = &call->out.shape;
    char *whole = NULL;
    if (asprintf(&whole, "%s%s", lg_glsl_colour_fast_sampling, lg_glsl_colour_fast_pixels) < 0)
        return lg_fail_memory(call->error, 4096, "the text of a kernel");
    const lg_native_glsl text = {.name = "colour_fast_sampling",
                                 .text = whole,
                                 .group_x = 64,
                                 .group_y = 4,
                                 .extra = 2,
                                 .span = 1};
    const lg_device_image *views[] = {&call->in[0], &call->out};
    const lg_vk_pipeline *pipeline;
    const lg_status status =
        lg_native_kernel(call, &text, views, 2, &pipeline, "#define BORDER %d\n",
                         (int)lg_native_value(call->filter, call->values, "border"));
    free(whole);
    const uint32_t extra[] = {(uint32_t)s->height, (uint32_t)s->layers};
    if (!status)
        lg_device_dispatch(call, pipeline, views, 2, extra, 2, lg_native_groups(s->width, 64),
                           lg_native_groups(s->height, 4), lg_native_groups(s->layers, 1));
    return status;
}

// Four reds of a 2 x 2 block in one pixel, on a Vulkan device.
#include "filter/native/color_packing/color_packing.h"
#include "filter/native/native_vulkan.h"

extern const char lg_glsl_color_packing[];

lg_status lg_color_packing_vulkan(lg_device_call *call)
{
    const lg_image_params *s = &call->out.shape;
    // Pixels of a thread: whole words of the input.
    const int span = LG_MAX(1, 4 / (int)lg_pixel_size(&call->in[0].shape));
    const lg_native_glsl text = {.name = "color_packing",
                                 .text = lg_glsl_color_packing,
                                 .group_x = 32,
                                 .group_y = 4,
                                 .extra = 2,
                                 .span = span};
    const lg_device_image *views[] = {&call->in[0], &call->out};
    const lg_vk_pipeline *pipeline;
    const lg_status status = lg_native_kernel(call, &text, views, 2, &pipeline, "%s", "");
    const uint32_t extra[] = {(uint32_t)s->height, (uint32_t)s->layers};
    if (!status)
        lg_device_dispatch(call, pipeline, views, 2, extra, 2,
                           lg_native_groups(s->width, 32 * span), lg_native_groups(s->height, 4),
                           lg_native_groups(s->layers, 1));
    return status;
}

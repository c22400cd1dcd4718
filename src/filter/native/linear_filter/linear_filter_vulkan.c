// A convolution with any kernel, on a Vulkan device.
#include "filter/native/linear_filter/linear_filter.h"
#include "filter/native/native_vulkan.h"

extern const char lg_glsl_linear_filter[];

lg_status lg_linear_vulkan(lg_device_call *call)
{
    const lg_image_params *s = &call->out.shape;
    const lg_device_image *views[] = {&call->in[0], &call->out};
    const lg_vk_pipeline *pipeline;
    lg_linear l;
    lg_vk_buffer *weights;
    lg_status status = lg_linear_describe(call->filter, call->values, call->texts, &l, call->error);
    if (status)
        return status;
    const lg_native_glsl text = {.name = "linear_filter",
                                 .text = lg_glsl_linear_filter,
                                 .group_x = 32,
                                 .group_y = 4,
                                 .extra = 9,
                                 .span = LG_MAX(1, 4 / (int)lg_pixel_size(s))};
    status =
        lg_native_kernel(call, &text, views, 2, &pipeline, "#define BORDER %d\n", (int)l.border);
    if (!status)
        status = lg_device_upload(call, l.weights, (size_t)(l.rows * l.columns) * sizeof *l.weights,
                                  &weights);
    if (status)
        return status;
    const uint32_t extra[] = {(uint32_t)weights->address, (uint32_t)(weights->address >> 32),
                              (uint32_t)l.columns,        (uint32_t)l.rows,
                              (uint32_t)l.left,           (uint32_t)l.top,
                              lg_bits(l.offset),          (uint32_t)s->height,
                              (uint32_t)s->layers};
    lg_vk_reads(call->commands, weights->address, 0);
    lg_device_dispatch(call, pipeline, views, 2, extra, 9,
                       lg_native_groups(s->width, (int64_t)32 * text.span),
                       lg_native_groups(s->height, 4), lg_native_groups(s->layers, 1));
    return LG_OK;
}

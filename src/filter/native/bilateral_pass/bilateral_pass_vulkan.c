// One of the two passes of GPUImage's bilateral filter, on a Vulkan device.
#include "filter/native/bilateral_pass/bilateral_pass.h"
#include "filter/native/native_vulkan.h"

extern const char lg_glsl_bilateral_pass[];

lg_status lg_bilateral_pass_vulkan(lg_device_call *call)
{
    const lg_image_params *s = &call->out.shape;
    const lg_bilateral_pass pass =
        lg_bilateral_pass_of(call->filter, call->values, &call->in[0].shape);
    const lg_native_glsl text = {.name = "bilateral_pass",
                                 .text = lg_glsl_bilateral_pass,
                                 .group_x = 32,
                                 .group_y = 4,
                                 .extra = 4,
                                 .span = LG_MAX(1, 4 / (int)lg_pixel_size(s))};
    const lg_device_image *views[] = {&call->in[0], &call->out};
    const lg_vk_pipeline *pipeline;
    const lg_status status = lg_native_kernel(
        call, &text, views, 2, &pipeline,
        "#define BORDER %d\n#define ALPHA %d\n#define OPAQUE %d\n#define DOWN %d\n",
        (int)pass.border, pass.alpha, pass.opaque, pass.down);
    const uint32_t extra[] = {(uint32_t)s->height, (uint32_t)s->layers, (uint32_t)pass.spacing,
                              lg_native_index(call->filter, "distance_normalization_factor")};
    if (!status)
        lg_device_dispatch(call, pipeline, views, 2, extra, 4,
                           lg_native_groups(s->width, (int64_t)32 * text.span),
                           lg_native_groups(s->height, 4), lg_native_groups(s->layers, 1));
    return status;
}

// FAST-9 on a Vulkan device: one dispatch.
#include "filter/native/fast_corner_detection/fast_corner_detection.h"
#include "filter/native/luminance.h"
#include "filter/native/native_vulkan.h"

extern const char lg_glsl_fast_corner_detection[];

lg_status lg_fast_vulkan(lg_device_call *call)
{
    const lg_image_params *in = &call->in[0].shape, *s = &call->out.shape;
    const lg_native_glsl text = {.name = "fast_corner_detection",
                                 .text = lg_glsl_fast_corner_detection,
                                 .group_x = 64,
                                 .group_y = 4,
                                 .extra = 2,
                                 .span = 4};
    const lg_device_image *views[] = {&call->in[0], &call->out};
    const lg_vk_pipeline *pipeline;
    const lg_status status = lg_native_kernel(
        call, &text, views, 2, &pipeline,
        "#define INTEGER %d\n#define IN %d\n#define GREY %s\n#define THRESHOLD %d\n"
        "#define SUPPRESS %d\n#define SCORE %d\n",
        lg_luminance_is_byte(in), in->channels, in->alpha == LG_ALPHA_NONE ? "false" : "true",
        (int)lg_native_index(call->filter, "threshold"),
        (int)lg_native_value(call->filter, call->values, "non_maximum_suppression"),
        (int)lg_native_value(call->filter, call->values, "output"));
    const uint32_t extra[] = {(uint32_t)s->height, (uint32_t)s->layers};
    if (!status)
        lg_device_dispatch(call, pipeline, views, 2, extra, 2, lg_native_groups(s->width, 64),
                           lg_native_groups(s->height, 16), lg_native_groups(s->layers, 1));
    return status;
}

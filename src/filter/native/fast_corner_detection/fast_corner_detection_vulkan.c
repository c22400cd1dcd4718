// FAST-9 on a Vulkan device: one dispatch.
#include "filter/native/fast_corner_detection/fast_corner_detection.h"
#include "filter/native/luminance.h"
#include "filter/native/native_vulkan.h"

extern const char lg_glsl_fast_corner_detection[];

void lg_fast_vulkan(lg_device_call *call)
{
    const lg_image_params *in = &call->in[0].shape, *s = &call->out.shape;
    const lg_pass pass = {
        LG_PASS_TEXT(fast_corner_detection),
        .group_x = 64,
        .span = 4,
        .views = {&call->in[0], &call->out},
        .words = LG_WORDS(s->height, s->layers),
        .groups = {lg_native_groups(s->width, 64), lg_native_groups(s->height, 16)}};
    lg_pass_run(call, &pass,
                "#define INTEGER %d\n#define IN %d\n#define GREY %s\n#define THRESHOLD %d\n"
                "#define SUPPRESS %d\n#define SCORE %d\n",
                lg_luminance_is_byte(in), in->channels,
                in->alpha == LG_ALPHA_NONE ? "false" : "true",
                (int)lg_native_index(call->filter, "threshold"),
                (int)lg_native_value(call->filter, call->values, "non_maximum_suppression"),
                (int)lg_native_value(call->filter, call->values, "output"));
}

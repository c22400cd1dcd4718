// The median of boxes on a Vulkan device.
#include "filter/native/median_3d/median_3d.h"
#include "filter/native/native_vulkan.h"

void lg_median_3d_vulkan(lg_device_call *call)
{
    extern const char lg_glsl_median_3d[];
    const lg_image_params *s = &call->out.shape;
    const lg_pass pass = {LG_PASS_TEXT(median_3d), .span = LG_SPAN_WORDS,
                          .views = {&call->in[0], &call->out},
                          .words = LG_WORDS(s->height, s->layers)};
    lg_pass_run(call, &pass, "#define RADIUS %d\n#define RADIUS_Z %d\n#define BORDER %d\n",
                (int)lg_native_value(call->filter, call->values, "radius"),
                (int)lg_native_value(call->filter, call->values, "radius_z"),
                (int)lg_native_value(call->filter, call->values, "border"));
}

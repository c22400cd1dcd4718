// Descriptors on a Vulkan device.
#include "filter/native/colour_fast_sampling/colour_fast_sampling.h"
#include "filter/native/native_vulkan.h"

extern const char lg_glsl_colour_fast_sampling[], lg_glsl_colour_fast_pixels[];

void lg_color_fast_vulkan(lg_device_call *call)
{
    const lg_image_params *s = &call->out.shape;
    const lg_pass pass = {LG_PASS_TEXT(colour_fast_sampling),
                          .parts = {lg_glsl_colour_fast_pixels},
                          .group_x = 64,
                          .span = 1,
                          .views = {&call->in[0], &call->out},
                          .words = LG_WORDS(s->height, s->layers)};
    lg_pass_run(call, &pass, "#define BORDER %d\n",
                (int)lg_native_value(call->filter, call->values, "border"));
}

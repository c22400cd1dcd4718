// One of the two passes of GPUImage's bilateral filter, on a Vulkan device.
#include "filter/native/bilateral_pass/bilateral_pass.h"
#include "filter/native/native_vulkan.h"

extern const char lg_glsl_bilateral_pass[];

void lg_bilateral_pass_vulkan(lg_device_call *call)
{
    const lg_image_params *s = &call->out.shape;
    const lg_bilateral_pass b =
        lg_bilateral_pass_of(call->filter, call->values, &call->in[0].shape);
    const lg_pass pass = {
        LG_PASS_TEXT(bilateral_pass), .span = LG_SPAN_WORDS, .views = {&call->in[0], &call->out},
        .words = LG_WORDS(s->height, s->layers, b.spacing,
                          lg_native_index(call->filter, "distance_normalization_factor"))};
    lg_pass_run(call, &pass, "#define BORDER %d\n#define ALPHA %d\n#define DOWN %d\n",
                (int)b.border, b.alpha, b.down);
}

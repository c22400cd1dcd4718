// Four reds of a 2 x 2 block in one pixel, on a Vulkan device.
#include "filter/native/color_packing/color_packing.h"
#include "filter/native/native_vulkan.h"

extern const char lg_glsl_color_packing[];

void lg_color_packing_vulkan(lg_device_call *call)
{
    const lg_image_params *s = &call->out.shape;
    const lg_pass pass = {LG_PASS_TEXT(color_packing),
                          // Pixels of a thread: whole words of the input.
                          .span = LG_MAX(1, 4 / (int)lg_pixel_size(&call->in[0].shape)),
                          .views = {&call->in[0], &call->out},
                          .words = LG_WORDS(s->height, s->layers)};
    lg_pass_run(call, &pass, "%s", "");
}

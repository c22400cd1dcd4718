// unsharp_mask on a Vulkan device. Where one dispatch blurs bytes it mixes as well, so that each byte is read
// and written once; elsewhere the blurred image is in memory between two dispatches.
#include "filter/native/native_vulkan.h"
#include "filter/native/unsharp_mask/unsharp_mask.h"

extern const char lg_glsl_unsharp_mask[];

static void mix(lg_device_call *call, const lg_device_image *soft)
{
    const lg_image_params *s = &call->out.shape;
    const lg_pass pass = {
        LG_PASS_TEXT(unsharp_mask), .views = {&call->in[0], soft, &call->out},
        .words = LG_WORDS(s->height, s->layers, lg_native_index(call->filter, "intensity"))};
    lg_pass_run(call, &pass, "%s", "");
}

void lg_unsharp_mask_vulkan(lg_device_call *call)
{
    const lg_border border = (lg_border)lg_native_value(call->filter, call->values, "border");
    lg_gaussian g;
    call->status = lg_unsharp_gaussian(call->filter, call->values, &g, call->error);
    if (call->status)
        return;
    if (lg_gaussian_is_whole(&call->in[0].shape) && lg_gaussian_takes_bytes(call, &g, 1)) {
        const uint32_t amount = lg_native_index(call->filter, "intensity");
        lg_gaussian_run_bytes(call, &g, border, lg_gaussian_scale(&g), (int)amount);
    } else {
        const lg_image_params shape = lg_inner_shape(&call->in[0].shape);
        const lg_device_image out = call->out, soft = lg_device_scratch_image(call, &shape);
        call->out = soft;
        lg_gaussian_run(call, &g, border);
        call->out = out;
        mix(call, &soft);
    }
    lg_gaussian_destroy(&g);
}

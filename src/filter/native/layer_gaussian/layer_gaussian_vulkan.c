// A Gaussian along layers on a Vulkan device.
#include "filter/native/layer_gaussian/layer_gaussian.h"
#include "filter/native/native_vulkan.h"

void lg_layer_gaussian_vulkan(lg_device_call *call)
{
    extern const char lg_glsl_layer_gaussian[];
    const lg_image_params *in = &call->in[0].shape;
    lg_gaussian g;
    const lg_status status =
        call->status ? call->status
                     : lg_layer_gaussian_weights(call->filter, call->values, &g, call->error);
    if (status) {
        call->status = status;
        return;
    }
    const uint64_t weights =
        lg_device_upload(call, g.floats, ((size_t)g.taps + 1) * sizeof *g.floats);
    const lg_pass pass = {LG_PASS_TEXT(layer_gaussian), .views = {&call->in[0], &call->out},
                          .words = LG_WORDS(call->out.shape.height, call->out.shape.layers, g.taps,
                                            LG_ADDRESS(weights)),
                          .reads = {weights}};
    lg_pass_run(call, &pass, "#define BORDER %d\n#define OPAQUE %s\n",
                (int)lg_native_value(call->filter, call->values, "border"),
                lg_reads_opaque(in->channels, in->alpha) ? "true" : "false");
    lg_gaussian_destroy(&g);
}

// A convolution with any kernel, on a Vulkan device.
#include "filter/native/linear_filter/linear_filter.h"
#include "filter/native/native_vulkan.h"

extern const char lg_glsl_linear_filter[];

void lg_linear_vulkan(lg_device_call *call)
{
    const lg_image_params *s = &call->out.shape;
    lg_linear l;
    call->status = lg_linear_describe(call->filter, call->values, call->texts, &l, call->error);
    if (call->status)
        return;
    const uint64_t weights =
        lg_device_upload(call, l.weights, (size_t)(l.rows * l.columns) * sizeof *l.weights);
    const lg_pass pass = {LG_PASS_TEXT(linear_filter), .span = LG_SPAN_WORDS,
                          .views = {&call->in[0], &call->out},
                          .words = LG_WORDS(LG_ADDRESS(weights), l.columns, l.rows, l.left, l.top,
                                            lg_bits(l.offset), s->height, s->layers),
                          .reads = {weights}};
    lg_pass_run(call, &pass, "#define BORDER %d\n", (int)l.border);
}

// Poisson blending on a Vulkan device: the detail once, then one dispatch per step.
#include "filter/native/native_vulkan.h"
#include "filter/native/poisson_blend/poisson_blend.h"

extern const char lg_glsl_poisson_detail[], lg_glsl_poisson_step[];

static lg_status record(lg_device_call *call, const lg_native_glsl *text,
                        const lg_device_image *const *views, int count)
{
    const lg_image_params *s = &call->out.shape;
    const lg_vk_pipeline *pipeline;
    const lg_status status =
        lg_native_kernel(call, text, views, count, &pipeline, "#define BORDER %d\n#define MIX %d\n",
                         (int)lg_native_value(call->filter, call->values, "border"),
                         (int)lg_native_index(call->filter, "mix"));
    const uint32_t extra[] = {(uint32_t)s->height, (uint32_t)s->layers};
    if (!status)
        lg_device_dispatch(call, pipeline, views, count, extra, 2,
                           lg_native_groups(s->width, (int64_t)text->group_x * text->span),
                           lg_native_groups(s->height, text->group_y),
                           lg_native_groups(s->layers, 1));
    return status;
}

lg_status lg_poisson_vulkan(lg_device_call *call)
{
    const lg_native_glsl detail_text = {.name = "poisson_detail",
                                        .text = lg_glsl_poisson_detail,
                                        .group_x = 64,
                                        .group_y = 4,
                                        .extra = 2,
                                        .span = 1};
    const int steps = (int)lg_native_value(call->filter, call->values, "num_iterations");
    // The first step reads the base and the last one writes the output.
    lg_device_image detail, between[2];
    const lg_image_params shape = lg_native_shape(&call->out.shape, LG_F32, 4, LG_ALPHA_STRAIGHT);
    lg_status status = lg_device_scratch_image(call, &shape, &detail);
    for (int i = 0; i < LG_MIN(steps - 1, 2) && !status; i++)
        status = lg_device_scratch_image(call, &shape, &between[i]);
    if (status)
        return status;
    const lg_device_image *first[] = {&call->in[1], &detail};
    status = record(call, &detail_text, first, 2);
    const lg_device_image *from = &call->in[0];
    for (int i = 0; i < steps && !status; i++) {
        const lg_device_image *to = i == steps - 1 ? &call->out : &between[i & 1];
        const lg_device_image *views[] = {from, &detail, to};
        // Pixels of a thread: whole words of what it writes.
        const lg_native_glsl step_text = {.name = "poisson_step",
                                          .text = lg_glsl_poisson_step,
                                          .group_x = 64,
                                          .group_y = 4,
                                          .extra = 2,
                                          .span = LG_MAX(1, 4 / (int)lg_pixel_size(&to->shape))};
        lg_vk_barrier(call->commands);
        status = record(call, &step_text, views, 3);
        from = to;
    }
    return status;
}

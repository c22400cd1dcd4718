// Jump flooding on a Vulkan device: one dispatch per step.
#include "filter/native/jfa_voronoi/jfa_voronoi.h"
#include "filter/native/native_vulkan.h"

extern const char lg_glsl_jfa_voronoi_steps[];

enum { SEEDS, STEP, COLORS };

static lg_status record(lg_device_call *call, int kind, int32_t step, const lg_device_image *from,
                        const lg_device_image *to)
{
    const lg_image_params *s = &call->out.shape;
    const lg_device_image *views[] = {from, to};
    const lg_native_glsl text = {.name = "jfa_voronoi",
                                 .text = lg_glsl_jfa_voronoi_steps,
                                 .group_x = 32,
                                 .group_y = 8,
                                 .extra = 3,
                                 .span = 1};
    const lg_vk_pipeline *pipeline;
    const lg_status status =
        lg_native_kernel(call, &text, views, 2, &pipeline, "#define STEP %d\n", kind);
    const uint32_t words[] = {(uint32_t)s->height, (uint32_t)s->layers, (uint32_t)step};
    if (!status)
        lg_device_dispatch(call, pipeline, views, 2, words, LG_COUNT(words),
                           lg_native_groups(s->width, text.group_x),
                           lg_native_groups(s->height, text.group_y),
                           lg_native_groups(s->layers, 1));
    lg_vk_barrier(call->commands);
    return status;
}

lg_status lg_voronoi_vulkan(lg_device_call *call)
{
    const lg_image_params *s = &call->in[0].shape;
    const lg_image_params words = lg_native_shape(s, LG_F32, 1, LG_ALPHA_NONE);
    lg_device_image sites[2];
    lg_status status = lg_device_scratch_image(call, &words, &sites[0]);
    if (!status)
        status = lg_device_scratch_image(call, &words, &sites[1]);
    if (!status)
        status = record(call, SEEDS, 0, &call->in[0], &sites[0]);
    int from = 0;
    bool last = false;
    for (int32_t step = lg_voronoi_first_step(s->width, s->height); step && !status;
         step = lg_voronoi_next_step(step, &last), from ^= 1)
        status = record(call, STEP, step, &sites[from], &sites[1 - from]);
    return status ? status : record(call, COLORS, 0, &sites[from], &call->out);
}

// Jump flooding on a Vulkan device: one dispatch per step.
#include "filter/native/jfa_voronoi/jfa_voronoi.h"
#include "filter/native/native_vulkan.h"

extern const char lg_glsl_jfa_voronoi_steps[];

enum { SEEDS, STEP, COLORS };

static void run(lg_device_call *call, int kind, int32_t step, const lg_device_image *from,
                const lg_device_image *to)
{
    const lg_image_params *s = &call->out.shape;
    const lg_pass pass = {.name = "jfa_voronoi",
                          .text = lg_glsl_jfa_voronoi_steps,
                          .group_y = 8,
                          .span = 1,
                          .views = {from, to},
                          .words = LG_WORDS(s->height, s->layers, step)};
    lg_pass_run(call, &pass, "#define STEP %d\n", kind);
}

void lg_voronoi_vulkan(lg_device_call *call)
{
    const lg_image_params *s = &call->in[0].shape;
    const lg_image_params words = lg_native_shape(s, LG_F32, 1, LG_ALPHA_NONE);
    const lg_device_image sites[] = {lg_device_scratch_image(call, &words),
                                     lg_device_scratch_image(call, &words)};
    run(call, SEEDS, 0, &call->in[0], &sites[0]);
    int from = 0;
    bool last = false;
    for (int32_t step = lg_voronoi_first_step(s->width, s->height); step;
         step = lg_voronoi_next_step(step, &last), from ^= 1)
        run(call, STEP, step, &sites[from], &sites[1 - from]);
    run(call, COLORS, 0, &sites[from], &call->out);
}

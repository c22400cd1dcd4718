// The distance transform on a Vulkan device: columns, then rows. Where sites are far away a pixel looks at
// all of its row; dispatches are short enough for that.
#include "filter/native/distance_transform/distance_transform.h"
#include "filter/native/native_vulkan.h"

#include "kernel/prelude.h"

extern const char lg_glsl_distance_transform_steps[];

#define COLUMNS 64        // of a workgroup of the first pass
#define LOOKS   (1 << 30) // of a dispatch of the second one, at most

void lg_distance_vulkan(lg_device_call *call)
{
    const lg_image_params *s = &call->in[0].shape;
    const lg_image_params words = lg_native_shape(s, LG_F32, 1, LG_ALPHA_NONE);
    const lg_device_image rows = lg_device_scratch_image(call, &words);
    const lg_distance_job job = lg_distance_describe(call->filter, call->values);
    static const char defines[] = "#define STEP %d\n#define OF_SITES %s\n#define SQUARED %s\n";
    const char *of_sites = job.of_sites ? "true" : "false";
    const char *squared = job.squared ? "true" : "false";
    lg_pass pass = {
        .name = "distance_transform",
        .text = lg_glsl_distance_transform_steps,
        .group_x = COLUMNS,
        .group_y = 1,
        .span = 1,
        .views = {&call->in[0], &rows},
        .words = LG_WORDS(s->layers, 0, s->height, s->height, lg_bits(job.unit)),
        .groups = {lg_native_groups(s->width, COLUMNS), 1, lg_native_groups(s->layers, 1)}};
    lg_pass_run(call, &pass, defines, 0, of_sites, squared);
    pass = (lg_pass){.name = "distance_transform",
                     .text = lg_glsl_distance_transform_steps,
                     .views = {&rows, &call->out},
                     .words = LG_WORDS(s->layers, 0, s->height, s->height, lg_bits(job.unit)),
                     .rows = (int32_t)LG_MAX(LOOKS / ((int64_t)s->width * s->width), 4)};
    lg_pass_run(call, &pass, defines, 1, of_sites, squared);
}

// Projections on a Vulkan device.
#include "filter/native/native_vulkan.h"
#include "filter/native/project/project.h"

void lg_project_vulkan(lg_device_call *call)
{
    extern const char lg_glsl_project_layers[];
    const lg_pass pass = {.name = "project",
                          .text = lg_glsl_project_layers,
                          .views = {&call->in[0], &call->out},
                          .words = LG_WORDS(call->out.shape.height, 1, call->in[0].shape.layers)};
    lg_pass_run(call, &pass, "#define FIGURE %d\n#define DATA %s\n",
                (int)lg_native_value(call->filter, call->values, "figure"),
                lg_project_has_data(&call->in[0].shape) ? "true" : "false");
}

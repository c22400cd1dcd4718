// The kernels of 3 x 3 filters that only choose among bytes: two samples in a register.
#ifndef LG_STAGE_CHOICE_VULKAN_H
#define LG_STAGE_CHOICE_VULKAN_H

#include "graph/stage_vulkan.h"

#define LG_CHOICE_EXTENSIONS                                                                       \
    "#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require\n"

// Whether a stage is such a filter alone, and the device computes with halves.
bool lg_stage_is_choice(const lg_plan *plan, const lg_plan_stage *s);

// The filter's functions with pairs for floats, and main, which computes `span` pixels of `rows` rows.
void lg_stage_write_choice(FILE *out, const lg_plan *plan, const lg_plan_stage *s);

#endif

// The kernel of the stage that makes planes of colours.
#ifndef LG_STAGE_PLANES_VULKAN_H
#define LG_STAGE_PLANES_VULKAN_H

#include "graph/stage_vulkan.h"

lg_status lg_stage_compile_planes(lg_plan *plan, const lg_plan_stage *s, lg_stage_kernel *kernel,
                                  lg_error *error);

// How the views of a stage (lg_stage_slots) are stored; returns their number.
int lg_stage_formats(const lg_plan *plan, const lg_plan_stage *s, lg_format formats[LG_MAX_VIEWS]);

#endif

// The kernels of 3 x 3 filters of grey bytes whose sums are integers: two samples in a register.
#ifndef LG_STAGE_WHOLE_VULKAN_H
#define LG_STAGE_WHOLE_VULKAN_H

#include "graph/stage_vulkan.h"

#define LG_WHOLE_PARTS 4 // a thread computes 16 pixels, or four times the 4 of any window

// Whether a stage is such a filter alone, and the device computes with halves. Whether its sums are integers
// depends on its parameters, so that the kernel has the code of any window as well.
bool lg_stage_is_whole(const lg_plan *plan, const lg_plan_stage *s);

// The functions of such a kernel, behind those of the filter.
void lg_stage_write_whole(FILE *out, const lg_plan *plan, const lg_plan_stage *s);

// The beginning of main behind the parameters, and the loop over the parts of any window.
void lg_stage_write_parts(FILE *out);

#endif

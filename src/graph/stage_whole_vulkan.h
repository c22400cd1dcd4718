// The kernels of 3 x 3 filters of grey bytes whose sums are integers: two samples in a register.
#ifndef LG_STAGE_WHOLE_VULKAN_H
#define LG_STAGE_WHOLE_VULKAN_H

#include "graph/stage_vulkan.h"

#define LG_WHOLE_SPAN 16 // pixels of a row that a thread computes

// Whether a stage is such a filter alone, with values that make its sums integers, and the device computes
// with halves. What is measured on the device is not known here.
bool lg_stage_is_whole(const lg_plan *plan, const lg_plan_stage *s);

// The functions of such a kernel, behind those of the filter. main calls lg_whole_rows.
void lg_stage_write_whole(FILE *out, const lg_plan *plan, const lg_plan_stage *s);

#endif

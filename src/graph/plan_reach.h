// The rows of its images that a plan reads for an output row, so that part of the outputs can be
// computed from part of the inputs.
#ifndef LG_PLAN_REACH_H
#define LG_PLAN_REACH_H

#include "filter/native.h"
#include "graph/plan.h"

// The reach of a stage in its source's first or second image.
lg_row_reach lg_plan_stage_reach(const lg_plan *plan, const lg_plan_stage *stage, int input);

// The reach of the outputs in every slot, through all stages: of[plan->slot_count].
void lg_plan_find_reach(const lg_plan *plan, lg_row_reach *of);

// The same in an input of the graph. Errors: LG_ERROR_ARGUMENT (no such input), LG_ERROR_MEMORY.
lg_status lg_plan_input_reach(const lg_plan *plan, int input, lg_row_reach *out, lg_error *error);

#endif

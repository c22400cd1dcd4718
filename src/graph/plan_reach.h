// Which rows of its images a plan reads for a row of its outputs, so that a part of the outputs can be made
// of a part of the inputs.
#ifndef LG_PLAN_REACH_H
#define LG_PLAN_REACH_H

#include "filter/native.h"
#include "graph/plan.h"

// What a stage reads of its source's first or second image for a row that it writes.
lg_row_reach lg_plan_stage_reach(const lg_plan *plan, const lg_plan_stage *stage, int input);

// What the outputs take of every slot, through all stages: of[plan->slot_count].
void lg_plan_find_reach(const lg_plan *plan, lg_row_reach *of);

// The same of an input of the graph. Errors: LG_ERROR_ARGUMENT (no such input), LG_ERROR_MEMORY.
lg_status lg_plan_input_reach(const lg_plan *plan, int input, lg_row_reach *out, lg_error *error);

#endif

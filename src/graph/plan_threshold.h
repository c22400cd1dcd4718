// adaptive_threshold of grey bytes on the CPU: three stages of a plan as one.
#ifndef LG_PLAN_THRESHOLD_H
#define LG_PLAN_THRESHOLD_H

#include "graph/plan.h"

#define LG_PLAN_THRESHOLD_STAGES 3

// Runs the stages from `stage` on, if they are these and nothing else reads what they make. *done: whether
// it did.
lg_status lg_plan_run_threshold(const lg_plan *plan, int stage, lg_image *const *inputs,
                                lg_image *const *outputs, bool *done, lg_error *error);

#endif

// Some rows of a plan's outputs, from the rows of its inputs that they need.
#ifndef LG_PLAN_ROWS_H
#define LG_PLAN_ROWS_H

#include "graph/plan_reach.h"

// Rows first .. first + rows - 1 of the outputs. Images may hold a part of the rows of the whole image that
// the plan was made for: `inputs` and `outputs` tell which row is the first in memory.
typedef struct lg_plan_band {
    int64_t first, rows;
    int64_t inputs[LG_MAX_INPUTS], outputs[LG_MAX_INPUTS];
    const lg_row_reach *of; // of every slot (lg_plan_find_reach); lg_plan_run_rows fills it
} lg_plan_band;

// Rows *first .. *end - 1 of a slot are those that the band needs.
void lg_plan_band_rows(const lg_plan *plan, const lg_plan_band *band, int slot, int64_t *first,
                       int64_t *end);

// The row of a slot that is the first one of its image in memory.
int64_t lg_plan_band_base(const lg_plan *plan, const lg_plan_band *band, int slot);

// Rows *first .. *end - 1 of its first image, which a native filter computes as an image of their own: what
// lies beyond the cut changes only rows that the band does not need.
void lg_plan_native_rows(const lg_plan *plan, const lg_plan_band *band, const lg_plan_stage *stage,
                         int64_t *first, int64_t *end);

// Runs a native filter on the CPU for the rows of a band. `call` has the images as they are in memory.
lg_status lg_plan_run_native_rows(const lg_plan *plan, const lg_plan_band *band,
                                  const lg_plan_stage *stage, const lg_native_call *call);

// Computes the rows of a band, with the bits that lg_plan_run gives them. Other rows of the outputs are left
// as they are, other rows of the inputs are not read. Images between stages have the rows of the band only.
// Errors: LG_ERROR_ARGUMENT (rows outside the outputs, or that are not in memory; the message says which are
// needed, and why all), LG_ERROR_UNSUPPORTED (a measured figure), LG_ERROR_MEMORY,
// LG_ERROR_DEVICE.
lg_status lg_plan_run_rows(lg_plan *plan, const lg_plan_band *band, lg_image *const *inputs,
                           lg_image *const *outputs, lg_error *error);

// ---- figures of images in bands: plan_passes.c ------------------------------------------------------

// Why the figures of a plan need whole images, as a clause; NULL: they do not.
const char *lg_plan_figures_need_whole(const lg_plan *plan);
// How many times lg_plan_run_bands goes through the image: figures of a stage are measured in front of the
// passes that use them.
int lg_plan_count_passes(const lg_plan *plan);
// The next pass, behind the one that ended: plan->pass, NULL behind the last.
lg_status lg_plan_next_pass(lg_plan *plan, lg_error *error);
void lg_plan_end_passes(lg_plan *plan);
// Whether outputs are made in this pass.
bool lg_plan_pass_writes(const lg_plan *plan);
// Whether figures are measured in this pass, which therefore goes through all rows.
bool lg_plan_pass_measures(const lg_plan *plan);
// The stages that run in this pass.
int lg_plan_pass_stages(const lg_plan *plan);
// Whether one of them makes the image of a slot.
bool lg_plan_pass_makes(const lg_plan *plan, int slot);
// Measures what a band has of the images of the pass, behind its stages.
lg_status lg_plan_gather(lg_plan *plan, const lg_plan_band *band, lg_image *const *inputs,
                         lg_image *const *outputs, lg_error *error);

#endif

// A run of a plan on a Vulkan device, shared by the files that record it.
#ifndef LG_DEVICE_RUN_H
#define LG_DEVICE_RUN_H

#include "device/workspace.h"
#include "graph/plan_planes.h"
#include "graph/plan_rows.h"
#include "graph/plan_vulkan.h"

typedef struct lg_device_run {
    lg_plan *plan;
    lg_plan_turn *turn;
    const lg_plan_band *band; // the rows to compute; NULL: all
    lg_image *const *inputs;
    lg_image *const *outputs;
    lg_device_view *views;        // per slot
    bool released[LG_RUN_IMAGES]; // outputs whose device copy was made for this run
    int begun;                    // the first stage of this recording
    lg_error *error;
} lg_device_run;

static inline lg_image *lg_run_image(const lg_device_run *r, int slot)
{
    return lg_plan_image(r->plan, slot, r->inputs, r->outputs);
}

// ---- rows ---------------------------------------------------------------------------------------

// Rows *first .. *end - 1 of a slot are computed, or read.
void lg_run_rows(const lg_device_run *r, int slot, int64_t *first, int64_t *end);

// The row of a slot that is the first one of its image.
int64_t lg_run_base(const lg_device_run *r, int slot);

// The address that row 0 of a slot would have; images of a band begin with a later row.
uint64_t lg_run_origin(const lg_device_run *r, int slot);

// Records a native filter in a band: by rows, or on an image of the rows that it needs, of whose result the
// band's rows are kept.
lg_status lg_run_native_band(const lg_device_run *r, const lg_plan_stage *s, lg_device_call *call);

// ---- what is recorded already -------------------------------------------------------------------

// Numbers are copied only when they changed: a copy takes as long as a small image.
bool lg_run_numbers_changed(const lg_plan_turn *turn);

// The sizes of the buffers that the stages of a run share.
void lg_run_shared_sizes(const lg_context *context, size_t sizes[LG_SCRATCH_COUNT]);

bool lg_run_is_recorded(const lg_device_run *r);
// Without memory for the key the next run records again.
void lg_run_remember(const lg_device_run *r);
void lg_run_forget(lg_plan_recording *recorded);
// The same for commands of a run that are not its stages; `where` are two more numbers that they depend on.
bool lg_run_is_recorded_as(const lg_device_run *r, const uint64_t where[2],
                           const lg_plan_recording *recorded);
void lg_run_remember_as(const lg_device_run *r, const uint64_t where[2],
                        lg_plan_recording *recorded);

// ---- runs that nobody waits for -------------------------------------------------------------------

// Writes the numbers of all stages to the host's memory of the turn.
void lg_run_write_numbers(const lg_device_run *r);
// Behind lg_run_write_numbers: records the run, unless that is recorded already. It can be submitted then.
lg_status lg_run_prepare(lg_device_run *r);
// What a run that has ended took: seconds of its stages, and of all of them.
double lg_run_note_seconds(const lg_device_run *r);
// What stages of a run that has ended could not do.
lg_status lg_run_check_refused(const lg_device_run *r);
// Nobody knows what the device has.
void lg_run_forget_all(lg_plan_turn *turn);

#endif

// Which recording of a plan its commands hold: a run that would record the same again submits them once more.
#include "graph/device_run.h"

#include "device/lookback.h"
#include "device/workspace.h"

#include <string.h>

bool lg_run_numbers_changed(const lg_plan_turn *turn)
{
    return !turn->sent || memcmp(turn->sent, turn->host->map, turn->host->size) != 0;
}

void lg_run_shared_sizes(const lg_context *context, size_t sizes[LG_SCRATCH_COUNT])
{
    const lg_workspace *work = context->workspace;
    for (int i = 0; i < LG_SCRATCH_COUNT; i++)
        sizes[i] = work && work->slot[i] ? work->slot[i]->size : 0;
}

// All that a recording of the whole plan depends on, but the plan itself: where images and shared memory
// lie, kernels, and what native filters look at. Returns its size; NULL: only that.
static size_t write_key(const lg_device_run *r, const uint64_t where[2], unsigned char *key)
{
    const lg_plan *plan = r->plan;
    const bool states[] = {lg_lookback_is_multi_pass(plan->context), plan->ran, r->band != NULL};
    size_t sizes[LG_SCRATCH_COUNT];
    lg_run_shared_sizes(plan->context, sizes);
    size_t at = lg_key_put(key, 0, states, sizeof states);
    at = lg_key_put(key, at, sizes, sizeof sizes);
    if (where)
        at = lg_key_put(key, at, where, 2 * sizeof *where);
    if (r->band) {
        at = lg_key_put(key, at, &r->band->first, sizeof r->band->first);
        at = lg_key_put(key, at, &r->band->rows, sizeof r->band->rows);
        at = lg_key_put(key, at, r->band->inputs, sizeof r->band->inputs);
        at = lg_key_put(key, at, r->band->outputs, sizeof r->band->outputs);
    }
    for (int i = 0; i < plan->slot_count; i++) {
        const lg_device_view *v = &r->views[i];
        at = lg_key_put(key, at, &v->first, sizeof v->first);
        at = lg_key_put(key, at, &v->row_stride, sizeof v->row_stride);
        at = lg_key_put(key, at, &v->layer_stride, sizeof v->layer_stride);
    }
    for (int i = 0; i < plan->stage_count; i++) {
        const lg_plan_stage *s = &plan->stages[i];
        at =
            lg_key_put(key, at, &plan->vulkan->kernels[i].pipeline, sizeof(const lg_vk_pipeline *));
        if (s->source != LG_FILTER_NATIVE)
            continue;
        const lg_filter *filter = plan->graph->nodes[s->node].filter;
        at = lg_key_put(key, at, plan->nodes[s->node].values,
                        (size_t)lg_filter_offset(filter, filter->param_count) * sizeof(float));
    }
    return at;
}

void lg_run_forget(lg_plan_recording *recorded)
{
    lg_free(recorded->key);
    recorded->key = NULL;
}

void lg_run_remember_as(const lg_device_run *r, const uint64_t where[2],
                        lg_plan_recording *recorded)
{
    recorded->size = write_key(r, where, NULL);
    recorded->key = lg_alloc(recorded->size);
    if (recorded->key)
        write_key(r, where, recorded->key);
}

void lg_run_remember(const lg_device_run *r)
{
    lg_run_remember_as(r, NULL, &r->turn->recorded);
}

bool lg_run_is_recorded_as(const lg_device_run *r, const uint64_t where[2],
                           const lg_plan_recording *recorded)
{
    if (!recorded->key || recorded->size != write_key(r, where, NULL))
        return false;
    unsigned char *key = lg_alloc(recorded->size);
    if (!key)
        return false;
    write_key(r, where, key);
    const bool same = memcmp(key, recorded->key, recorded->size) == 0;
    lg_free(key);
    return same;
}

bool lg_run_is_recorded(const lg_device_run *r)
{
    const lg_plan_recording *recorded = &r->turn->recorded;
    return recorded->copies == lg_run_numbers_changed(r->turn) &&
           lg_run_is_recorded_as(r, NULL, recorded);
}

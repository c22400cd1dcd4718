#include "graph/plan_threshold.h"

#include "filter/native/box_blur/mean_threshold.h"
#include "filter/native/window_side.h"

extern const lg_filter_entry lg_filter_grayscale, lg_filter_box_blur, lg_filter_local_threshold;

static bool is_grey_bytes(const lg_plan *plan, int slot, lg_slot_kind kind)
{
    const lg_plan_slot *s = &plan->slots[slot];
    return s->kind == kind && s->shape.type == LG_U8 && s->shape.channels == 1;
}

// Whether the stage is this one filter, without figures.
static bool is_filter(const lg_plan *plan, const lg_plan_stage *s, const lg_filter_entry *entry)
{
    const bool native = entry->filter.kind == LG_FILTER_NATIVE;
    const int node = native ? s->node : s->chain[0];
    if (s->encodes >= 0 || (native ? s->source != LG_FILTER_NATIVE || s->count != 0
                                   : s->source != LG_FILTER_POINT || s->count != 1))
        return false;
    return plan->graph->nodes[node].filter == &entry->filter &&
           plan->graph->nodes[node].figure_count == 0;
}

// Whether an image is made for these stages alone.
static bool is_inner(const lg_plan *plan, int slot, int last)
{
    return plan->slots[slot].kind == LG_PLAN_INNER && plan->slots[slot].last == last;
}

static bool is_threshold(const lg_plan *plan, int stage)
{
    const lg_plan_stage *s = &plan->stages[stage];
    const int last = stage + LG_PLAN_THRESHOLD_STAGES - 1;
    return last < plan->stage_count && is_filter(plan, &s[0], &lg_filter_grayscale) &&
           is_filter(plan, &s[1], &lg_filter_box_blur) &&
           is_filter(plan, &s[2], &lg_filter_local_threshold) && s[1].in[0] == s[0].out &&
           s[2].in[0] == s[0].out && s[2].over[0] == s[1].out && is_inner(plan, s[0].out, last) &&
           is_inner(plan, s[1].out, last) && is_grey_bytes(plan, s[0].in[0], LG_PLAN_INPUT) &&
           is_grey_bytes(plan, s[2].out, LG_PLAN_OUTPUT);
}

lg_status lg_plan_run_threshold(const lg_plan *plan, int stage, lg_image *const *inputs,
                                lg_image *const *outputs, bool *done, lg_error *error)
{
    *done = false;
    if (!is_threshold(plan, stage))
        return LG_OK;
    const lg_plan_stage *s = &plan->stages[stage];
    const lg_filter *box = &lg_filter_box_blur.filter;
    const float *values = plan->nodes[s[1].node].values;
    const lg_window_side down = lg_window_side_get(box, values, "height");
    const lg_window_side along = lg_window_side_get(box, values, "width");
    if (down.before != down.after || along.before != down.after || along.after != down.after ||
        down.after > LG_MEAN_THRESHOLD_RADIUS || lg_native_value(box, values, "blur_passes") != 1 ||
        (lg_border)lg_native_value(box, values, "border") != LG_BORDER_REPLICATE)
        return LG_OK;
    const float offset = lg_native_value(&lg_filter_local_threshold.filter,
                                         plan->nodes[s[2].chain[0]].values, "offset");
    return lg_mean_threshold_cpu(plan->context, lg_plan_image(plan, s[0].in[0], inputs, outputs),
                                 lg_plan_image(plan, s[2].out, inputs, outputs), down.after, offset,
                                 done, error);
}

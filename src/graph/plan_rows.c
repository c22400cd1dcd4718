#include "graph/plan_rows.h"

#include "device/dispatch.h"

void lg_plan_band_rows(const lg_plan *plan, const lg_plan_band *band, int slot, int64_t *first,
                       int64_t *end)
{
    const lg_row_reach *reach = &band->of[slot];
    const int64_t height = plan->slots[slot].shape.height;
    *first = reach->whole ? 0 : LG_MAX(band->first - reach->above, 0);
    *end = reach->whole ? height : LG_MIN(band->first + band->rows + reach->below, height);
}

int64_t lg_plan_band_base(const lg_plan *plan, const lg_plan_band *band, int slot)
{
    const lg_plan_slot *s = &plan->slots[slot];
    return s->kind == LG_PLAN_INPUT    ? band->inputs[s->index]
           : s->kind == LG_PLAN_OUTPUT ? band->outputs[s->index]
                                       : 0;
}

void lg_plan_native_rows(const lg_plan *plan, const lg_plan_band *band, const lg_plan_stage *stage,
                         int64_t *first, int64_t *end)
{
    const int64_t height = plan->slots[stage->in[0]].shape.height;
    const lg_row_reach reach = lg_plan_stage_reach(plan, stage, 0);
    *first = 0;
    *end = height;
    if (reach.whole)
        return;
    lg_plan_band_rows(plan, band, stage->out, first, end);
    *first = LG_MAX(*first - reach.above, 0);
    *end = LG_MIN(*end + reach.below, height);
}

static bool has_figures(const lg_plan *plan)
{
    bool any = plan->graph->figure_count > 0;
    for (int i = 0; i < plan->graph->count; i++)
        any = any || (plan->nodes[i].uses && plan->graph->nodes[i].figure_count);
    return any;
}

static lg_status check_plan(const lg_plan *plan, lg_error *error)
{
    if (has_figures(plan))
        return lg_fail(
            error, LG_ERROR_UNSUPPORTED,
            "figures are of whole images; rows of a plan that measures are not computed");
    return LG_OK;
}

static lg_status check_memory(const lg_plan *plan, const lg_plan_band *band, int slot,
                              const lg_image *image, lg_error *error)
{
    const lg_plan_slot *s = &plan->slots[slot];
    const bool input = s->kind == LG_PLAN_INPUT;
    const int64_t base = lg_plan_band_base(plan, band, slot);
    int64_t first, end;
    lg_plan_band_rows(plan, band, slot, &first, &end);
    if (!image->data)
        return lg_fail(error, LG_ERROR_ARGUMENT, "%s %d has no host pixels",
                       input ? "input" : "output", s->index);
    if (base >= 0 && base <= first && end - base <= image->shape.height)
        return LG_OK;
    const char *why = band->of[slot].whole;
    return lg_fail(error, LG_ERROR_ARGUMENT,
                   "%s %d has rows %lld to %lld in memory; rows %lld to %lld are needed%s%s",
                   input ? "input" : "output", s->index, (long long)base,
                   (long long)base + image->shape.height - 1, (long long)first, (long long)end - 1,
                   why ? ": " : "", why ? why : "");
}

static lg_status check_band(const lg_plan *plan, const lg_plan_band *band, lg_image *const *inputs,
                            lg_image *const *outputs, lg_error *error)
{
    lg_status status = LG_OK;
    for (int i = 0; i < plan->graph->output_count && !status; i++) {
        const int height = plan->slots[plan->output_slots[i]].shape.height;
        if (band->first < 0 || band->rows < 1 || band->first > height - band->rows)
            status = lg_fail(error, LG_ERROR_ARGUMENT,
                             "%lld rows from row %lld on are not all in output %d of %d rows",
                             (long long)band->rows, (long long)band->first, i, height);
    }
    for (int i = 0; i < plan->slot_count && !status; i++)
        if (plan->slots[i].kind != LG_PLAN_INNER)
            status = check_memory(plan, band, i, lg_plan_image(plan, i, inputs, outputs), error);
    return status;
}

typedef struct rows_task {
    lg_plan *plan;
    const lg_plan_band *band;
    lg_image *const *inputs;
    lg_image *const *outputs;
} rows_task;

static lg_status run_on_device(lg_context *context, void *arg, lg_error *error)
{
    const rows_task *t = arg;
    return lg_plan_run_vulkan(t->plan, t->band, t->inputs, t->outputs, error);
}

static lg_status run_on_cpu(lg_context *context, void *arg, lg_error *error)
{
    const rows_task *t = arg;
    const lg_status status = t->plan->on_device ? lg_plan_leave_device(t->plan, error) : LG_OK;
    return status ? status : lg_plan_run_cpu(t->plan, t->band, t->inputs, t->outputs, error);
}

lg_status lg_plan_run_rows(lg_plan *plan, const lg_plan_band *band, lg_image *const *inputs,
                           lg_image *const *outputs, lg_error *error)
{
    static const lg_backend_row row = {"rows of this pipeline", run_on_device, run_on_cpu};
    if (!plan || !band)
        return lg_fail_null(error, "a plan, and the rows that it is to compute");
    lg_status status = check_plan(plan, error);
    if (!status)
        status = lg_plan_check_images(plan, inputs, outputs, true, error);
    if (status)
        return status;
    lg_row_reach *of = lg_alloc_array((size_t)plan->slot_count, sizeof *of);
    if (!of)
        return lg_fail_memory(error, (size_t)plan->slot_count * sizeof *of, "the reach of a plan");
    lg_plan_find_reach(plan, of);
    lg_plan_band told = *band;
    told.of = of;
    rows_task task = {plan, &told, inputs, outputs};
    status = check_band(plan, &told, inputs, outputs, error);
    if (!status)
        status = lg_plan_dispatch(plan, &row, &task, error);
    lg_free(of);
    return status;
}

#include "graph/plan_rows.h"
#include "graph/plan_planes.h"

#include "device/dispatch.h"

void lg_plan_band_rows(const lg_plan *plan, const lg_plan_band *band, int slot, int64_t *first,
                       int64_t *end)
{
    lg_row_reach_rows(&band->of[slot], plan->slots[slot].shape.height, band->first,
                      band->first + band->rows, first, end);
}

static int64_t inner_base(const lg_plan *plan, const lg_plan_band *band, int slot)
{
    int64_t first, end;
    lg_plan_band_rows(plan, band, slot, &first, &end);
    return first;
}

int64_t lg_plan_band_base(const lg_plan *plan, const lg_plan_band *band, int slot)
{
    const lg_plan_slot *s = &plan->slots[slot];
    return s->kind == LG_PLAN_INPUT    ? band->inputs[s->index]
           : s->kind == LG_PLAN_OUTPUT ? band->outputs[s->index]
                                       : inner_base(plan, band, slot);
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
    if (reach.step)
        *first = (*first + reach.step - 1) / reach.step * reach.step;
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
    if (lg_graph_remembers(plan->graph))
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "delayed images are whole images; rows of a plan that has any are not "
                       "computed");
    if (lg_plan_has_planes(plan))
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "planes are whole images; rows of a plan that reads or writes any are not "
                       "computed");
    if (has_figures(plan) && !plan->pass)
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

// ---- the images between stages ------------------------------------------------------------------

static void destroy_images(const lg_plan *plan, lg_image **images)
{
    for (int i = 0; images && i < plan->image_count; i++)
        lg_image_destroy(&images[i]);
    lg_free(images);
}

// The most rows that a slot of image `index` has in the band.
static int32_t inner_rows(const lg_plan *plan, const lg_plan_band *band, int index)
{
    int64_t rows = 1, first, end;
    for (int i = 0; i < plan->slot_count; i++)
        if (plan->slots[i].kind == LG_PLAN_INNER && plan->slots[i].index == index) {
            lg_plan_band_rows(plan, band, i, &first, &end);
            rows = LG_MAX(rows, end - first);
        }
    return (int32_t)rows;
}

static lg_status make_images(const lg_plan *plan, const lg_plan_band *band, lg_image ***out,
                             lg_error *error)
{
    const size_t count = (size_t)plan->image_count + 1;
    lg_image **images = *out = lg_alloc_array(count, sizeof *images);
    if (!images)
        return lg_fail_memory(error, count * sizeof *images, "the images of a plan");
    lg_status status = LG_OK;
    for (int i = 0; i < plan->image_count && !status; i++) {
        lg_image_params shape = plan->images[i]->shape;
        shape.height = inner_rows(plan, band, i);
        shape.row_stride = shape.layer_stride = 0;
        status = plan->on_device ? lg_image_create_device(plan->context, &shape, &images[i], error)
                                 : lg_image_create_uninit(plan->context, &shape, &images[i], error);
    }
    return status;
}

typedef lg_status run_fn(lg_plan *plan, const lg_plan_band *band, lg_image *const *inputs,
                         lg_image *const *outputs, lg_error *error);

// Runs with images between the stages that have the rows of the band only.
static lg_status run_with(const rows_task *t, run_fn *run, lg_error *error)
{
    lg_image **whole = t->plan->images, **images = NULL;
    lg_status status = make_images(t->plan, t->band, &images, error);
    if (!status) {
        t->plan->images = images;
        status = run(t->plan, t->band, t->inputs, t->outputs, error);
        t->plan->images = whole;
    }
    destroy_images(t->plan, images);
    return status;
}

// ---- the run ------------------------------------------------------------------------------------

static lg_status run_on_device(lg_context *context, void *arg, lg_error *error)
{
    const rows_task *t = arg;
    return run_with(t, t->plan->device->run, error);
}

static lg_status run_on_cpu(lg_context *context, void *arg, lg_error *error)
{
    const rows_task *t = arg;
    const lg_status status = t->plan->on_device ? lg_plan_leave_device(t->plan, error) : LG_OK;
    return status ? status : run_with(t, lg_plan_run_cpu, error);
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

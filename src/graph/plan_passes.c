// Figures of plans in bands of rows: each stage with figures takes a pass over the image in front, in which
// the stages before it run and sums and counts of its bands are added.
#include "device/dispatch.h"
#include "graph/figure.h"
#include "graph/plan_rows.h"

typedef struct lg_plan_pass {
    int stage;           // whose figures are measured; behind the last: those that were asked for
    lg_plan_tasks tasks; // of that stage; images are shapes alone
    lg_image *shapes;
    lg_figure_bands *parts;
    int64_t *seen;   // rows of the image of each task that were added
    lg_error failed; // rows were added in part: they cannot be added again
} lg_plan_pass;

// ---- which passes ---------------------------------------------------------------------------------

// How many passes the figures of a stage take: bins of floats are of a range that is found first.
static int count_passes(const lg_plan *plan, int stage)
{
    lg_plan_tasks tasks;
    lg_error ignored;
    int passes = 1;
    if (lg_plan_list_figures(plan, stage, stage + 1, NULL, NULL, &tasks, &ignored))
        return 1; // and there is no memory for the pass either
    for (int i = 0; i < tasks.count && passes == 1; i++)
        passes += lg_figure_looks(&plan->slots[tasks.at[i].slot].shape, tasks.at[i].figure);
    lg_free(tasks.at);
    return tasks.count ? passes : 0;
}

int lg_plan_count_passes(const lg_plan *plan)
{
    const int last = count_passes(plan, plan->stage_count); // of which one writes
    int passes = LG_MAX(last, 1);
    for (int i = 0; i < plan->stage_count; i++)
        passes += count_passes(plan, i);
    return passes;
}

const char *lg_plan_figures_need_whole(const lg_plan *plan)
{
    lg_plan_tasks tasks;
    lg_error ignored;
    const char *why = NULL;
    if (lg_plan_list_figures(plan, 0, plan->stage_count + 1, NULL, NULL, &tasks, &ignored))
        return "there is no memory to look at its figures";
    for (int i = 0; i < tasks.count && !why; i++)
        why = plan->slots[tasks.at[i].slot].shape.layers > 1
                  ? "figures are of several layers"
                  : lg_figure_needs_whole(&plan->slots[tasks.at[i].slot].shape, tasks.at[i].figure);
    if (!why && tasks.count && plan->selects)
        why = "figures are of a part of its pixels";
    lg_free(tasks.at);
    return why;
}

// ---- life of a pass ---------------------------------------------------------------------------------

static void destroy(lg_plan_pass *pass)
{
    if (!pass)
        return;
    lg_figure_bands_destroy(&pass->parts);
    lg_free(pass->tasks.at);
    lg_free(pass->shapes);
    lg_free(pass->seen);
    lg_free(pass);
}

static lg_status begin(lg_plan *plan, int stage, lg_error *error)
{
    lg_plan_pass *pass = plan->pass = lg_alloc(sizeof *pass);
    if (!pass)
        return lg_fail_memory(error, sizeof *pass, "a pass of a plan");
    pass->stage = stage;
    const lg_status status =
        lg_plan_list_figures(plan, stage, stage + 1, NULL, NULL, &pass->tasks, error);
    const size_t count = (size_t)pass->tasks.count + 1;
    if (status)
        return status;
    pass->shapes = lg_alloc_array(count, sizeof *pass->shapes);
    pass->seen = lg_alloc_array(count, sizeof *pass->seen);
    if (!pass->shapes || !pass->seen)
        return lg_fail_memory(error, count * sizeof *pass->shapes, "a pass of a plan");
    for (int i = 0; i < pass->tasks.count; i++) {
        pass->seen[i] = 0;
        pass->shapes[i] = (lg_image){.shape = plan->slots[pass->tasks.at[i].slot].shape};
        pass->tasks.at[i].image = &pass->shapes[i];
    }
    return lg_figure_bands_create(pass->tasks.at, pass->tasks.count, &pass->parts, error);
}

static lg_status end(lg_plan *plan, lg_error *error)
{
    lg_plan_pass *pass = plan->pass;
    for (int i = 0; i < pass->tasks.count; i++)
        if (lg_figure_is_curve(pass->tasks.at[i].figure))
            lg_plan_place_curve(plan, &pass->tasks.at[i]);
    const lg_status status =
        lg_figure_bands_finish(plan->context, pass->parts, pass->tasks.at, error);
    for (int i = 0; i < pass->tasks.count && !status; i++)
        if (!pass->tasks.at[i].curve)
            lg_plan_put_numbers(plan, &pass->tasks.at[i]);
    return status;
}

lg_status lg_plan_next_pass(lg_plan *plan, lg_error *error)
{
    int stage = plan->pass ? plan->pass->stage + 1 : 0;
    if (plan->pass && lg_figure_bands_look(plan->pass->parts)) {
        lg_figure_bands_looked(plan->pass->parts);
        for (int i = 0; i < plan->pass->tasks.count; i++)
            plan->pass->seen[i] = 0;
        return LG_OK;
    }
    const lg_status status = plan->pass ? end(plan, error) : LG_OK;
    lg_plan_end_passes(plan);
    if (status || stage > plan->stage_count)
        return status;
    while (stage < plan->stage_count && count_passes(plan, stage) == 0)
        stage++;
    return begin(plan, stage, error);
}

void lg_plan_end_passes(lg_plan *plan)
{
    destroy(plan->pass);
    plan->pass = NULL;
}

bool lg_plan_pass_writes(const lg_plan *plan)
{
    return plan->pass->stage == plan->stage_count && !lg_figure_bands_look(plan->pass->parts);
}

bool lg_plan_pass_measures(const lg_plan *plan)
{
    return plan->pass->tasks.count > 0;
}

int lg_plan_pass_stages(const lg_plan *plan)
{
    return plan->pass ? plan->pass->stage : plan->stage_count;
}

bool lg_plan_pass_makes(const lg_plan *plan, int slot)
{
    for (int i = 0; i < lg_plan_pass_stages(plan); i++)
        if (plan->stages[i].out == slot)
            return true;
    return false;
}

// ---- a band ---------------------------------------------------------------------------------------

// The rows of a band that no band before had, as an image that shares those of `image`.
static lg_status new_rows(const lg_plan *plan, const lg_plan_band *band, const lg_figure_task *task,
                          const lg_image *image, int64_t *seen, int64_t *first, lg_image **out,
                          lg_error *error)
{
    int64_t from, until;
    lg_plan_band_rows(plan, band, task->slot, &from, &until);
    lg_image_params shape = image->shape;
    *first = *seen;
    if (until <= *seen)
        return LG_OK;
    const int64_t skipped = *seen - lg_plan_band_base(plan, band, task->slot);
    shape.height = (int32_t)(until - *seen);
    shape.layer_stride = shape.row_stride * (size_t)shape.height;
    *seen = until;
    return lg_image_wrap(plan->context, &shape,
                         (char *)image->data + (size_t)skipped * shape.row_stride, out, error);
}

// Where a device fails the processor computes the band again. So that rows are added once each count begins
// anew by itself, as it does outside the run of a plan, and what fails all the same is not tried again.
static lg_status add_rows(lg_plan *plan, const lg_plan_band *band, const lg_figure_task *at,
                          const lg_host_view *views, lg_image **rows, int64_t *first,
                          lg_error *error)
{
    lg_plan_pass *pass = plan->pass;
    const bool part = plan->context->on_device;
    lg_status status = LG_OK;
    for (int i = 0; i < pass->tasks.count && !status; i++)
        status = new_rows(plan, band, &at[i], &views[i].image.image, &pass->seen[i], &first[i],
                          &rows[i], &pass->failed);
    plan->context->on_device = false;
    if (!status)
        status = lg_figure_bands_add(plan->context, pass->parts, pass->tasks.at, rows, first,
                                     &pass->failed);
    plan->context->on_device = part;
    if (status && error)
        *error = pass->failed;
    return status;
}

static lg_status gather(lg_plan *plan, const lg_plan_band *band, const lg_figure_task *at,
                        size_t count, lg_error *error)
{
    lg_host_view *views = lg_alloc_array(count, sizeof *views);
    lg_image **rows = lg_alloc_array(count, sizeof *rows);
    int64_t *first = lg_alloc_array(count, sizeof *first);
    lg_status status =
        views && rows && first ? LG_OK : lg_fail_memory(error, count * sizeof *views, "figures");
    // A device that fails in front of the first row has changed nothing.
    for (size_t i = 0; i < count && !status; i++)
        status = lg_host_view_open(at[i].image, &views[i], error);
    if (!status)
        status = add_rows(plan, band, at, views, rows, first, error);
    for (size_t i = 0; i < count && rows && views; i++) {
        lg_image_destroy(&rows[i]);
        lg_host_view_close(&views[i]);
    }
    lg_free(views);
    lg_free(rows);
    lg_free(first);
    return status;
}

lg_status lg_plan_gather(lg_plan *plan, const lg_plan_band *band, lg_image *const *inputs,
                         lg_image *const *outputs, lg_error *error)
{
    const lg_plan_pass *pass = plan->pass;
    lg_plan_tasks tasks;
    if (pass->failed.status)
        return lg_fail(error, pass->failed.status, "%s", pass->failed.message);
    lg_status status =
        lg_plan_list_figures(plan, pass->stage, pass->stage + 1, inputs, outputs, &tasks, error);
    if (!status && tasks.count)
        status = gather(plan, band, tasks.at, (size_t)tasks.count, error);
    lg_free(tasks.at);
    return status;
}

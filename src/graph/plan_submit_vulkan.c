// Runs of a plan on a Vulkan device that nobody waits for. A run is one submission of its stages and, behind
// them, of the figures that the caller reads, which go to the caller's image and to the host. Both are
// recorded once, where the images stay the same. Several runs are on their way, each with numbers and
// commands of its own.
#include "graph/device_run.h"

#include "graph/figure_vulkan.h"

#include <string.h>

enum { TURNS = 3, PLACE_GROUP = 64 };

extern const lg_spirv lg_spirv_figure_place;

typedef struct submitted_turn {
    lg_plan_turn run;
    lg_vk_commands *tail;       // measures and copies figures
    lg_plan_recording recorded; // what the tail has
    lg_vk_buffer *asked;        // figures of lg_graph_figure: four numbers each, 0 between runs
    lg_vk_buffer *kept;         // the same on the host
    bool cleared;               // `asked` is 0
    bool flying;
} submitted_turn;

typedef struct lg_plan_submitted {
    submitted_turn turns[TURNS];
    int next, last; // last: the turn that was submitted last
    bool pending;   // something was submitted since the last lg_plan_wait
    lg_error failure;
} lg_plan_submitted;

// ---- life -----------------------------------------------------------------------------------------

void lg_plan_drop_submitted(lg_plan *plan)
{
    lg_plan_submitted *s = plan->vulkan->submitted;
    lg_vk *vk = plan->context->attached;
    if (!s)
        return;
    for (int i = 0; i < TURNS; i++) {
        lg_vk_commands_destroy(vk, &s->turns[i].tail); // waits
        lg_plan_turn_destroy(vk, &s->turns[i].run);
        lg_run_forget(&s->turns[i].recorded);
        lg_vk_buffer_destroy(vk, &s->turns[i].asked);
        lg_vk_buffer_destroy(vk, &s->turns[i].kept);
    }
    lg_free(s);
    plan->vulkan->submitted = NULL;
}

static size_t asked_bytes(const lg_plan *plan)
{
    return (size_t)LG_MAX(plan->graph->figure_count, 1) * sizeof plan->figures[0];
}

static lg_status make_turn(const lg_plan *plan, submitted_turn *t, lg_error *error)
{
    lg_vk *vk = plan->context->vk;
    lg_status status = lg_plan_turn_create(plan, &t->run, error);
    if (!status)
        status = lg_vk_buffer_create(vk, asked_bytes(plan), LG_VK_DEVICE, &t->asked, error);
    if (!status)
        status = lg_vk_buffer_create(vk, asked_bytes(plan), LG_VK_READBACK, &t->kept, error);
    return status ? status : lg_vk_commands_create(vk, 0, &t->tail, error);
}

static lg_status open_submitted(lg_plan *plan, lg_error *error)
{
    if (plan->vulkan->submitted)
        return LG_OK;
    lg_plan_submitted *s = plan->vulkan->submitted = lg_alloc(sizeof *s);
    lg_status status = s ? LG_OK : lg_fail_memory(error, sizeof *s, "runs on their way");
    for (int i = 0; i < TURNS && !status; i++)
        status = make_turn(plan, &s->turns[i], error);
    if (status)
        lg_plan_drop_submitted(plan);
    return status;
}

// ---- its end --------------------------------------------------------------------------------------

// Waits for a turn, and notes what its stages refused.
static lg_status settle(lg_plan *plan, submitted_turn *t, lg_error *error)
{
    lg_plan_submitted *s = plan->vulkan->submitted;
    lg_error why = {LG_OK, ""};
    const lg_device_run r = {.plan = plan, .turn = &t->run, .error = &why};
    if (!t->flying)
        return LG_OK;
    lg_status status = lg_vk_wait(plan->context->attached, t->run.commands, error);
    if (!status)
        status = lg_vk_wait(plan->context->attached, t->tail, error);
    if (status)
        return status;
    t->flying = false;
    if (lg_run_check_refused(&r) && !s->failure.status)
        s->failure = why;
    return LG_OK;
}

lg_status lg_plan_wait_vulkan(lg_plan *plan, bool *pending, lg_error *error)
{
    lg_plan_submitted *s = plan->vulkan->submitted;
    lg_status status = LG_OK;
    *pending = s && s->pending;
    for (int i = 0; s && i < TURNS && !status; i++)
        status = settle(plan, &s->turns[i], error);
    if (status || !*pending)
        return status;
    s->pending = false;
    memcpy(plan->figures, s->turns[s->last].kept->map,
           (size_t)plan->graph->figure_count * sizeof plan->figures[0]);
    status = s->failure.status;
    if (status && error)
        *error = s->failure;
    s->failure.status = LG_OK;
    return status;
}

// ---- what the device can finish -------------------------------------------------------------------

static lg_status check_stages(const lg_device_run *r)
{
    const lg_plan *plan = r->plan;
    const int stage = lg_plan_host_stage(plan);
    if (stage < 0)
        return LG_OK;
    int nodes[LG_CHAIN_LENGTH + 1];
    const int count = lg_stage_nodes(&plan->stages[stage], nodes);
    const lg_graph_node *n = &plan->graph->nodes[nodes[0]];
    for (int i = 0; i < count && !n->figure_count; i++)
        n = &plan->graph->nodes[nodes[i]];
    return lg_fail(r->error, LG_ERROR_UNSUPPORTED,
                   "%s takes @%s, which the host measures here: use lg_plan_run, or another figure",
                   n->filter->name, lg_figure_rows[n->figures[0].kind].info.name);
}

// The figures for the caller, with the places where they are put.
static lg_status list_asked(const lg_device_run *r, const submitted_turn *t, lg_plan_tasks *out)
{
    const lg_plan *plan = r->plan;
    lg_status status = lg_plan_list_figures(plan, plan->stage_count, plan->stage_count + 1,
                                            r->inputs, r->outputs, out, r->error);
    for (int i = 0; i < out->count && !status; i++) {
        lg_figure_task *task = &out->at[i];
        task->refused = t->run.refused->address + 8 * (uint64_t)plan->stage_count;
        task->target = t->asked->address + (uint64_t)i * sizeof plan->figures[0];
        if (!lg_figure_on_device(plan->context, &task->image->shape, task->figure))
            status =
                lg_fail(r->error, LG_ERROR_UNSUPPORTED,
                        "the figure '%s' (@%s of %s) is finished by the host: use lg_plan_run",
                        plan->graph->figures[i].name, lg_figure_rows[task->figure->kind].info.name,
                        lg_type_name(task->image->shape.type));
    }
    return status;
}

// ---- the tail -------------------------------------------------------------------------------------

// The number of a parameter that takes a figure, as bytes of the numbers of the stages.
static size_t place_of(const lg_plan *plan, int node, const lg_figure *f)
{
    for (int i = 0; i < plan->stage_count; i++) {
        int nodes[LG_CHAIN_LENGTH + 1];
        const int count = lg_stage_nodes(&plan->stages[i], nodes);
        size_t words = LG_STAGE_HEADER;
        for (int k = 0; k < count; k++) {
            if (nodes[k] == node)
                return plan->vulkan->kernels[i].numbers +
                       (words + (size_t)f->at) * sizeof(uint32_t);
            words += (size_t)lg_node_words(plan->graph->nodes[nodes[k]].filter);
        }
    }
    return SIZE_MAX;
}

// Records the copy of rows of numbers from push->from on; no two copies touch the same memory.
static void place(const submitted_turn *t, const lg_vk_pipeline *pipeline,
                  const lg_figure_place_push *push)
{
    const uint64_t row = 4 * sizeof(float), rows = push->rows;
    const uint64_t bytes = ((rows - 1) * push->stride + push->numbers) * sizeof(float);
    (push->clear ? lg_vk_writes : lg_vk_reads)(t->tail, push->from, bytes);
    if (push->to)
        lg_vk_writes(t->tail, push->to, (rows - 1) * push->to_stride * sizeof(float) + row);
    if (push->host)
        lg_vk_writes(t->tail, push->host, rows * row);
    lg_vk_dispatch(t->tail, pipeline, push, sizeof *push, 1, 1, 1);
}

// Figures that parameters took, in the order of lg_plan_taken_figures, and then those that are asked for.
static lg_status place_figures(const lg_device_run *r, const submitted_turn *t,
                               const lg_image *figures)
{
    const lg_image_private *image = (const lg_image_private *)figures;
    const uint32_t group = PLACE_GROUP;
    const lg_vk_pipeline *pipeline;
    const lg_figure *f;
    lg_status status = lg_vk_pipeline_get(r->plan->context->vk, &lg_spirv_figure_place, &group, 1,
                                          0, &pipeline, r->error);
    if (status)
        return status;
    lg_figure_place_push push = {.rows = 1};
    if (figures) {
        push.to = image->device->address;
        push.to_stride = (uint32_t)(image->device_row_stride / sizeof(float));
    }
    for (int i = 0, k = -1; figures && (f = lg_plan_next_taken(r->plan, &i, &k)) != NULL;
         push.to += image->device_row_stride) {
        const size_t at = place_of(r->plan, i, f);
        push.from = at == SIZE_MAX ? t->asked->address : t->run.numbers->address + at;
        push.numbers = at == SIZE_MAX ? 0 : (uint32_t)f->count;
        place(t, pipeline, &push);
    }
    push.from = t->asked->address;
    push.host = t->kept->address;
    push.rows = (uint32_t)r->plan->graph->figure_count;
    push.stride = push.numbers = 4;
    push.clear = 1;
    if (push.rows)
        place(t, pipeline, &push);
    return LG_OK;
}

// Where `asked` is not 0 yet, that is recorded as well.
static lg_status record_tail(const lg_device_run *r, const submitted_turn *t,
                             const lg_image *figures)
{
    const lg_figure_recording recording = {r->plan->context, t->tail, r->views, false, r->error};
    lg_plan_tasks asked;
    lg_status status = list_asked(r, t, &asked);
    lg_vk_begin(t->tail);
    if (!t->cleared)
        lg_vk_fill(t->tail, t->asked, 0, t->asked->size, 0);
    lg_vk_barrier(t->tail);
    if (!status)
        status = lg_figures_record(&recording, asked.at, asked.count, asked.count);
    lg_free(asked.at);
    if (status)
        return status;
    lg_vk_barrier(t->tail);
    return place_figures(r, t, figures);
}

// ---- a run ----------------------------------------------------------------------------------------

static lg_status open_views(lg_device_run *r)
{
    lg_status status = LG_OK;
    for (int i = 0; i < r->plan->slot_count && !status; i++)
        status =
            lg_device_view_open(r->plan->context, lg_run_image(r, i), 0, 0, &r->views[i], r->error);
    return status;
}

// Nobody could record again where a scan in one pass gives up: submitted ones take several.
static lg_status prepare_stages(lg_device_run *r)
{
    lg_workspace *work;
    lg_status status = lg_workspace_get(r->plan->context, &work, r->error);
    if (status)
        return status;
    const bool multi_pass = work->multi_pass;
    work->multi_pass = true;
    lg_run_write_numbers(r);
    status = lg_run_prepare(r);
    work->multi_pass = multi_pass;
    return status;
}

static bool has_tail(const lg_device_run *r, const lg_image *figures)
{
    return figures || r->plan->graph->figure_count;
}

// Records both, again where a buffer that all share has grown meanwhile: what was recorded before names one
// that is gone.
static lg_status prepare(lg_device_run *r, submitted_turn *t, const lg_image *figures)
{
    const lg_image_private *image = (const lg_image_private *)figures;
    const uint64_t where[2] = {image ? image->device->address : 0,
                               image ? image->device_row_stride : 0};
    size_t before[LG_SCRATCH_COUNT], after[LG_SCRATCH_COUNT];
    bool recorded = false;
    lg_status status;
    lg_run_shared_sizes(r->plan->context, after);
    do {
        memcpy(before, after, sizeof before);
        status = prepare_stages(r);
        recorded =
            !has_tail(r, figures) || (t->cleared && lg_run_is_recorded_as(r, where, &t->recorded));
        if (!status && !recorded) {
            lg_run_forget(&t->recorded);
            status = record_tail(r, t, figures);
        }
        lg_run_shared_sizes(r->plan->context, after);
        if (status || memcmp(before, after, sizeof before) != 0)
            lg_run_forget_all(r->turn); // the copy of the numbers was recorded, too
    } while (!status && memcmp(before, after, sizeof before) != 0);
    if (status || recorded)
        return status;
    status = lg_vk_end(t->tail, r->error);
    if (!status && t->cleared)
        lg_run_remember_as(r, where, &t->recorded);
    return status;
}

// A part without work is left out: a submission takes as long as a small image.
static lg_status submit_both(const lg_device_run *r, const submitted_turn *t,
                             const lg_image *figures)
{
    lg_vk_commands *parts[LG_VK_TOGETHER];
    uint32_t count = 0;
    if (r->plan->stage_count || !has_tail(r, figures))
        parts[count++] = t->run.commands;
    if (has_tail(r, figures))
        parts[count++] = t->tail;
    return lg_vk_submit_together(r->plan->context->vk, parts, count, r->error);
}

static lg_status submit(lg_device_run *r, submitted_turn *t, const lg_image *figures)
{
    lg_plan_submitted *s = r->plan->vulkan->submitted;
    lg_status status = check_stages(r);
    if (!status)
        status = prepare(r, t, figures);
    if (!status)
        status = submit_both(r, t, figures);
    if (status) {
        lg_run_forget_all(r->turn);
        return status;
    }
    t->flying = true;
    t->cleared |= has_tail(r, figures);
    s->pending = true;
    s->last = (int)(t - s->turns);
    r->plan->vulkan->last = t->run.numbers;
    lg_vk_leave_running(r->plan->context->vk);
    return LG_OK;
}

lg_status lg_plan_submit_vulkan(lg_plan *plan, lg_image *const *inputs, lg_image *const *outputs,
                                lg_image *figures, lg_error *error)
{
    lg_status status = open_submitted(plan, error);
    if (status)
        return status;
    lg_plan_submitted *s = plan->vulkan->submitted;
    submitted_turn *t = &s->turns[s->next];
    status = settle(plan, t, error);
    if (status)
        return status;
    lg_device_run r = {
        .plan = plan, .turn = &t->run, .inputs = inputs, .outputs = outputs, .error = error};
    r.views = lg_alloc_array((size_t)plan->slot_count, sizeof *r.views);
    if (!r.views)
        return lg_fail_memory(error, (size_t)plan->slot_count * sizeof *r.views, "a run");
    status = open_views(&r);
    if (!status)
        status = submit(&r, t, figures);
    for (int i = 0; i < plan->slot_count; i++)
        lg_device_view_close(plan->context, &r.views[i]);
    lg_free(r.views);
    if (status)
        return status;
    for (int i = 0; i < plan->given_outputs; i++)
        lg_image_forget((lg_image_private *)outputs[i]);
    if (figures)
        lg_image_forget((lg_image_private *)figures);
    s->next = (s->next + 1) % TURNS;
    return LG_OK;
}

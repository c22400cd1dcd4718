// Running a plan on a Vulkan device: one dispatch per stage, one submission unless a measured
// parameter needs the host. A run that would record what is recorded already submits it again.
#include "graph/device_run.h"

#include "device/lookback.h"
#include "filter/device_call.h"
#include "graph/figure_vulkan.h"
#include "graph/plan_table.h"
#include "kernel/color_math.h"

#include <string.h>

#define WALKS_PER_UNIT 8 // workgroups that make a table, for each compute unit
#define WALK_ROWS      8 // of such a workgroup, at least

static lg_status open_views(lg_device_run *r)
{
    lg_plan *plan = r->plan;
    lg_status status = LG_OK;
    for (int i = 0; i < plan->slot_count && !status; i++) {
        if (plan->slots[i].kind == LG_PLAN_PLANES)
            continue;
        lg_image *image = lg_run_image(r, i);
        lg_image_private *priv = (lg_image_private *)image;
        if (plan->slots[i].kind == LG_PLAN_OUTPUT && !priv->device) {
            status = lg_vk_image_allocate(plan->context->vk, priv, r->error);
            r->released[plan->slots[i].index] = !status && image->data;
        }
        if (plan->slots[i].kind == LG_PLAN_OUTPUT) // it is written, not read
            lg_image_forget(priv);
        if (!status)
            status = lg_device_view_open(plan->context, image, 0, 0, &r->views[i], r->error);
    }
    return status;
}

static lg_status close_views(lg_device_run *r, lg_status status)
{
    lg_plan *plan = r->plan;
    lg_vk *vk = plan->context->vk;
    for (int i = 0; i < plan->slot_count; i++)
        lg_device_view_close(plan->context, &r->views[i]);
    for (int i = 0; i < plan->slot_count; i++) {
        if (plan->slots[i].kind != LG_PLAN_OUTPUT)
            continue;
        lg_image_private *priv = (lg_image_private *)lg_run_image(r, i);
        const double start = lg_time_seconds();
        int64_t first, end;
        lg_run_rows(r, i, &first, &end);
        const int64_t base = lg_run_base(r, i);
        if (!status && priv->image.data && (!plan->pass || lg_plan_pass_makes(plan, i)))
            status = lg_vk_image_download_rows(vk, priv, first - base, end - base, r->error);
        if (!status && !r->band)
            lg_image_remember(priv);
        plan->context->report.download =
            LG_MAX(plan->context->report.download, 0.0) + lg_time_seconds() - start;
        if (r->released[plan->slots[i].index])
            lg_vk_image_release(vk, priv);
    }
    return status;
}

static lg_view view_of(const lg_device_run *r, int slot, int32_t layers)
{
    const lg_device_view *v = &r->views[slot];
    const bool single = lg_run_image(r, slot)->shape.layers == 1 && layers > 1;
    return (lg_view){lg_run_origin(r, slot), (uint32_t)v->row_stride,
                     single ? 0 : (uint32_t)(v->layer_stride / 16)};
}

static void write_table(const lg_device_run *r, int node, uint64_t tables, uint32_t *to)
{
    const lg_plan *plan = r->plan;
    const lg_plan_node *p = &plan->nodes[node];
    uint64_t address = tables;
    const lg_table *t = &p->tables[0];
    int numbers[5] = {t->count, t->width, t->height, t->layers, t->row};
    if (p->table_slot >= 0) {
        const lg_image_params *s = &lg_run_image(r, p->table_slot)->shape;
        const lg_device_view *v = &r->views[p->table_slot];
        address = v->first;
        numbers[0] = (int)(v->layer_stride / sizeof(float)) * s->layers;
        numbers[1] = s->width, numbers[2] = s->height, numbers[3] = s->layers;
        numbers[4] = (int)(v->row_stride / sizeof(float));
    } else {
        address += lg_plan_table_offset(plan, node);
    }
    lg_table range = {0};
    lg_plan_set_range(plan, node, r->inputs, &range);
    const float ends[6] = {range.low_r,   range.low_g,   range.low_b,
                           range.scale_r, range.scale_g, range.scale_b};
    memcpy(to, &address, sizeof address);
    memcpy(to + 2, numbers, sizeof numbers);
    memcpy(to + 7, ends, sizeof ends);
}

// The numbers of a stage, as filter/stage.glsl reads them.
static void write_stage_numbers(const lg_device_run *r, int index)
{
    const lg_plan *plan = r->plan;
    const lg_plan_stage *s = &plan->stages[index];
    const lg_vulkan_plan *v = plan->vulkan;
    uint32_t *words = (uint32_t *)(void *)((char *)r->turn->host->map + v->kernels[index].numbers);
    const lg_image_params *out = &plan->slots[s->out].shape;
    const bool native = s->source == LG_FILTER_NATIVE;
    const bool part = native && r->band && !lg_plan_native(plan, s)->by_rows; // an image of its own
    int64_t first = 0, end = out->height;
    if (part)
        lg_plan_native_rows(plan, r->band, s, &first, &end);
    const float width = (float)out->width, height = (float)(end - first);
    const float header[5] = {width, height, lg_div(1, width), lg_div(1, height),
                             lg_div(height, width)};
    memcpy(words, header, sizeof header);
    int slots[LG_MAX_VIEWS], nodes[LG_CHAIN_LENGTH + 1];
    const int views = lg_stage_slots(plan, s, slots), count = lg_stage_nodes(s, nodes);
    for (int i = 0; i < LG_MAX_VIEWS; i++) {
        const int slot = native ? s->in[0] : slots[LG_MIN(i, views - 1)];
        const lg_image_params *shape = &plan->slots[slot].shape;
        words[5 + 2 * i] = (uint32_t)shape->width;
        words[6 + 2 * i] = (uint32_t)(part ? end - first : shape->height);
    }
    uint32_t *to = words + LG_STAGE_HEADER;
    for (int i = 0; i < count; i++) {
        const lg_filter *f = plan->graph->nodes[nodes[i]].filter;
        const int numbers = lg_filter_offset(f, f->param_count);
        memcpy(to, plan->nodes[nodes[i]].values, (size_t)numbers * sizeof(float));
        if (lg_node_words(f) > numbers)
            write_table(r, nodes[i], v->tables ? v->tables->address : 0, to + numbers);
        to += lg_node_words(f);
    }
}

static void remember_numbers(lg_plan_turn *turn)
{
    if (!turn->sent)
        turn->sent = lg_alloc(turn->host->size);
    if (turn->sent)
        memcpy(turn->sent, turn->host->map, turn->host->size);
}

static void forget_numbers(lg_plan_turn *turn)
{
    lg_free(turn->sent);
    turn->sent = NULL;
}

static void begin(lg_device_run *r, int stage)
{
    lg_plan_turn *t = r->turn;
    lg_vk_begin(t->commands);
    t->recorded.copies = lg_run_numbers_changed(t);
    if (t->recorded.copies) {
        lg_vk_copy(t->commands, t->host, 0, t->numbers, 0, t->host->size);
        lg_vk_barrier(t->commands);
        remember_numbers(t);
    }
    lg_vk_timestamp(t->commands, (uint32_t)stage);
    r->begun = stage;
}

static void note_seconds(const lg_device_run *r, int end)
{
    lg_plan *plan = r->plan;
    for (int i = r->begun; i < end; i++) {
        plan->stages[i].seconds =
            lg_vk_elapsed(plan->context->vk, r->turn->commands, (uint32_t)i, (uint32_t)i + 1);
        plan->context->report.compute += plan->stages[i].seconds;
    }
}

// Runs what was recorded: stages r->begun .. end-1.
static lg_status finish(lg_device_run *r, int end)
{
    lg_plan *plan = r->plan;
    lg_vk *vk = plan->context->vk;
    lg_vk_commands *c = r->turn->commands;
    const double done = (double)r->begun / (double)plan->stage_count;
    lg_status status = lg_pool_report(plan->context->pool, done, r->error);
    if (!status)
        status = lg_vk_submit(vk, c, r->error);
    if (!status)
        status = lg_vk_wait(vk, c, r->error);
    if (!status)
        note_seconds(r, end);
    return status;
}

static lg_device_image device_image(const lg_device_run *r, int slot)
{
    const lg_device_view *v = &r->views[slot];
    return (lg_device_image){v->first, v->row_stride, v->layer_stride,
                             lg_shape_padded(&lg_run_image(r, slot)->shape)};
}

static lg_status record_native(lg_device_run *r, int index)
{
    lg_plan *plan = r->plan;
    const lg_plan_stage *s = &plan->stages[index];
    const lg_graph_node *n = &plan->graph->nodes[s->node];
    lg_stage_kernel *k = &plan->vulkan->kernels[index];
    lg_device_call call = {.context = plan->context,
                           .filter = n->filter,
                           .values = plan->nodes[s->node].values,
                           .texts = (const char *const *)n->texts,
                           .out = device_image(r, s->out),
                           .made = &plan->stages[index].kept,
                           .numbers = r->turn->numbers->address + k->numbers,
                           .commands = r->turn->commands,
                           .scratch = k->scratch,
                           .kept = k->kept,
                           // figures of the run before would be lost
                           .runs_once = plan->vulkan->previous != NULL,
                           .refused = r->turn->refused->address + 4 * (uint64_t)index,
                           .error = r->error};
    if (r->band)
        return lg_run_native_band(r, s, &call);
    for (int i = 0; i < 2; i++)
        if (s->in[i] >= 0)
            call.in[i] = device_image(r, s->in[i]);
    call.to = call.in[0].shape.height;
    call.end = call.out.shape.height;
    lg_plan_native(plan, s)->vulkan(&call);
    return call.status;
}

// Rows of the output are shared among dispatches.
static void name_uses(const lg_device_run *r, const lg_plan_stage *s, const lg_stage_push *p)
{
    const lg_vulkan_plan *v = r->plan->vulkan;
    int nodes[LG_CHAIN_LENGTH + 1], slots[LG_MAX_VIEWS];
    const int count = lg_stage_nodes(s, nodes), views = lg_stage_slots(r->plan, s, slots);
    const int read = s->encodes >= 0 ? 1 : views - 1;
    lg_vk_reads(r->turn->commands, p->values, lg_plan_numbers(r->plan, s));
    for (int i = 0; i < views; i++) {
        (i < read ? lg_vk_reads : lg_vk_adds)(r->turn->commands, r->views[slots[i]].first, 0);
        lg_vk_origin(r->turn->commands, p->views[i].data);
    }
    for (int i = 0; i < count; i++) {
        const lg_plan_node *n = &r->plan->nodes[nodes[i]];
        const lg_filter *f = r->plan->graph->nodes[nodes[i]].filter;
        const bool has = lg_node_words(f) > lg_filter_offset(f, f->param_count);
        if (has && n->table_slot >= 0)
            lg_vk_reads(r->turn->commands, r->views[n->table_slot].first, 0);
        else if (has && v->tables)
            lg_vk_reads(r->turn->commands,
                        v->tables->address + lg_plan_table_offset(r->plan, nodes[i]),
                        lg_plan_table_room(r->plan, nodes[i]) * sizeof(float));
    }
}

static void record_simple(const lg_device_run *r, int index)
{
    lg_plan *plan = r->plan;
    const lg_plan_stage *s = &plan->stages[index];
    const lg_vulkan_plan *v = plan->vulkan;
    const lg_stage_kernel *k = &v->kernels[index];
    const lg_image_params *out = &lg_run_image(r, s->out)->shape;
    int slots[LG_MAX_VIEWS];
    const int views = lg_stage_slots(plan, s, slots);
    lg_stage_push p = {.values = r->turn->numbers->address + k->numbers,
                       .width = (uint32_t)out->width};
    for (int i = 0; i < views; i++)
        p.views[i] = view_of(r, slots[i], out->layers);
    const uint32_t across = (uint32_t)k->across;
    const uint32_t groups = ((uint32_t)out->width + across - 1) / across;
    int64_t first, end;
    lg_run_rows(r, s->out, &first, &end);
    const uint32_t last = (uint32_t)end, height = (uint32_t)(end - first);
    const uint32_t layers = (uint32_t)out->layers, size = lg_stage_push_own(&p, views, &last, 1);
    p.first_row = (uint32_t)first;
    if (k->walks) {
        const uint32_t wanted = lg_device_groups(plan->context, UINT32_MAX, WALKS_PER_UNIT);
        const uint32_t rows = LG_MAX(wanted / LG_MAX(groups * layers, 1u), 1u);
        name_uses(r, s, &p);
        lg_vk_dispatch(r->turn->commands, k->pipeline, &p, size, groups,
                       LG_MIN(rows, (height + WALK_ROWS - 1) / WALK_ROWS), layers);
        return;
    }
    const uint32_t each = (uint32_t)k->down, most = 65535 * each;
    for (uint32_t row = 0; row < height; row += most) {
        p.first_row = (uint32_t)first + row;
        name_uses(r, s, &p);
        lg_vk_dispatch(r->turn->commands, k->pipeline, &p, size, groups,
                       (LG_MIN(most, height - row) + each - 1) / each, layers);
    }
}

static lg_status record_stage(lg_device_run *r, int index)
{
    lg_plan *plan = r->plan;
    lg_plan_stage *s = &plan->stages[index];
    int slots[LG_MAX_VIEWS];
    const int views = lg_stage_slots(plan, s, slots);
    s->bytes = 0;
    for (int i = 0; i < views; i++) {
        const lg_image_params shape = lg_shape_padded(&lg_run_image(r, slots[i])->shape);
        s->bytes +=
            (double)shape.width * shape.height * shape.layers * (double)lg_pixel_size(&shape);
    }
    lg_status status = LG_OK;
    if (s->source == LG_FILTER_NATIVE)
        status = record_native(r, index);
    else
        record_simple(r, index);
    lg_vk_barrier(r->turn->commands);
    lg_vk_timestamp(r->turn->commands, (uint32_t)index + 1);
    return status;
}

// Measures what a stage needs, or when all have run the caller.
static lg_status measure_stage(const lg_device_run *r, int stage)
{
    lg_plan_tasks tasks;
    lg_status status =
        lg_plan_list_figures(r->plan, stage, stage + 1, r->inputs, r->outputs, &tasks, r->error);
    if (!status)
        status = lg_plan_measure(r->plan, &tasks, stage, r->error);
    for (int i = 0; i < tasks.count && !status; i++)
        if (tasks.at[i].curve)
            status = lg_plan_upload_table(r->plan, tasks.at[i].node, r->error);
    lg_free(tasks.at);
    return status;
}

typedef enum measured { MEASURED_NOTHING, MEASURED_HERE, MEASURED_BY_HOST } measured;

// Whether the number `at` of a node must be known while its stage is recorded.
static bool is_recorded(const lg_graph_node *n, int at)
{
    const lg_filter *f = n->filter;
    if (f->kind != LG_FILTER_NATIVE)
        return false;
    int param = 0;
    while (lg_filter_offset(f, param + 1) <= at)
        param++;
    return lg_native_records(((const lg_filter_entry *)f)->native, &f->params[param]);
}

const char *lg_plan_why_host(const lg_plan *plan, int node, int figure)
{
    const lg_graph_node *n = &plan->graph->nodes[node];
    const lg_figure *f = &n->figures[figure];
    const int of = f->node >= 0 ? f->node : n->from[0];
    const lg_image_params *shape = &plan->slots[lg_plan_figure_slot(plan, of, f)].shape;
    if (plan->in_bands)
        return "those of bands are added";
    if (plan->selects)
        return "pixels are selected";
    if (is_recorded(n, f->at))
        return "the filter must know it when it is recorded";
    if (!lg_figure_on_device(plan->context, shape, f))
        return lg_figure_is_curve(f) ? "it is a curve of samples that are no bytes"
                                     : "the image has too many layers or pixels for the device";
    return NULL;
}

// Who measures the parameters of a stage.
static measured who_measures(const lg_plan *plan, int stage)
{
    int nodes[LG_CHAIN_LENGTH + 1];
    const int count = lg_stage_nodes(&plan->stages[stage], nodes);
    measured who = MEASURED_NOTHING;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < plan->graph->nodes[nodes[i]].figure_count; k++) {
            if (lg_plan_why_host(plan, nodes[i], k))
                return MEASURED_BY_HOST;
            who = MEASURED_HERE;
        }
    return who;
}

// Where the kernels of a node find what was measured for them.
static void place_figure(const lg_device_run *r, lg_figure_task *t)
{
    const lg_plan *plan = r->plan;
    const lg_vulkan_plan *v = plan->vulkan;
    if (lg_figure_is_curve(t->figure)) {
        t->target = v->tables->address + lg_plan_table_offset(plan, t->node);
        t->previous = t->target + (uint64_t)plan->nodes[t->node].tables[0].count * sizeof(float);
        return;
    }
    t->refused = r->turn->refused->address + 4 * (uint64_t)(plan->stage_count + t->stage);
    int nodes[LG_CHAIN_LENGTH + 1], words = LG_STAGE_HEADER + t->figure->at;
    lg_stage_nodes(&plan->stages[t->stage], nodes);
    for (int i = 0; nodes[i] != t->node; i++)
        words += lg_node_words(plan->graph->nodes[nodes[i]].filter);
    t->target =
        r->turn->numbers->address + v->kernels[t->stage].numbers + (uint64_t)words * sizeof(float);
    t->previous =
        v->previous->address + 16 * (uint64_t)(lg_plan_figures_before(plan, t->node) + t->index);
}

// The figures of stages first .. end-1 but those that the host, or a pass before, has measured.
static lg_status list_figures(const lg_device_run *r, int first, int end, lg_plan_tasks *out)
{
    const lg_status status =
        lg_plan_list_figures(r->plan, first, end, r->inputs, r->outputs, out, r->error);
    for (int i = 0; i < out->count; i++) {
        place_figure(r, &out->at[i]);
        out->at[i].done =
            r->plan->pass || who_measures(r->plan, out->at[i].stage) == MEASURED_BY_HOST;
    }
    return status;
}

static lg_status record_range(lg_device_run *r, int first, int end)
{
    const lg_figure_recording recording = {r->plan->context, r->turn->commands, r->views,
                                           !r->plan->ran, r->error};
    lg_plan_tasks figures;
    lg_status status = list_figures(r, first, end, &figures);
    begin(r, first);
    for (int i = first; i < end && !status; i++) {
        status = lg_figures_record(&recording, figures.at, lg_plan_tasks_up_to(&figures, i),
                                   figures.count);
        if (!status)
            status = record_stage(r, i);
    }
    lg_free(figures.at);
    return status;
}

// Records once to collect the kernels, which are then made together, and again with them. Buffers that stages
// share may have grown as well: then what was recorded before names ones that are gone. They never shrink;
// their addresses tell nothing, since a new one may lie where an old one was.
static lg_status record_steadily(lg_device_run *r, int first, int end)
{
    lg_plan_turn *t = r->turn;
    lg_vk *vk = r->plan->context->vk;
    size_t before[LG_SCRATCH_COUNT], after[LG_SCRATCH_COUNT];
    lg_status status;
    lg_run_shared_sizes(r->plan->context, after);
    do {
        memcpy(before, after, sizeof before);
        lg_vk_collect(vk, t->commands);
        status = lg_vk_make_collected(vk, record_range(r, first, end), r->error);
        lg_run_shared_sizes(r->plan->context, after);
        if (!lg_vk_lacks_pipelines(t->commands) && memcmp(before, after, sizeof before) == 0)
            return status;
        forget_numbers(t); // their copy was recorded as well
    } while (!status);
    return status;
}

// What stages could not do, as they have found out.
static lg_status check_refused(const lg_device_run *r, int first, int end)
{
    const lg_plan *plan = r->plan;
    const uint32_t *words = r->turn->refused->map;
    for (int i = first; i < end; i++) {
        const lg_plan_stage *s = &plan->stages[i];
        if (words[plan->stage_count + i])
            return lg_fail(r->error, LG_ERROR_DATA, LG_NO_SAMPLES);
        if (s->source == LG_FILTER_NATIVE && words[i])
            return lg_plan_native(plan, s)->refuse(plan->graph->nodes[s->node].filter,
                                                   plan->nodes[s->node].values, words[i], r->error);
    }
    return LG_OK;
}

// ---- a run ---------------------------------------------------------------------------------------

static lg_status record(lg_device_run *r, int first, int end)
{
    const bool all = first == 0 && end == r->plan->stage_count;
    lg_plan_turn *t = r->turn;
    if (all && lg_run_is_recorded(r)) {
        r->begun = first;
        if (t->recorded.copies)
            remember_numbers(t);
        return LG_OK;
    }
    lg_run_forget(&t->recorded);
    lg_status status = record_steadily(r, first, end);
    if (!status)
        status = lg_vk_end(t->commands, r->error);
    if (!status && all)
        lg_run_remember(r);
    return status;
}

static lg_status submit_range(lg_device_run *r, int first, int end)
{
    memset(r->turn->refused->map, 0, r->turn->refused->size);
    lg_lookback_begin(r->plan->context);
    lg_status status = record(r, first, end);
    if (!status)
        status = finish(r, end);
    if (status)
        lg_run_forget_all(r->turn);
    return status;
}

// Stages first .. end-1 in one submission; once more where a scan gave up. What was refused behind it means
// nothing, so that it is looked at last.
static lg_status run_range(lg_device_run *r, int first, int end)
{
    lg_status status;
    do
        status = submit_range(r, first, end);
    while (!status && lg_lookback_gave_up(r->plan->context));
    return status ? status : check_refused(r, first, end);
}

void lg_run_write_numbers(const lg_device_run *r)
{
    for (int i = 0; i < r->plan->stage_count; i++)
        write_stage_numbers(r, i);
}

// The stages of a pass: passes before have measured all that they need.
static lg_status run_pass(lg_device_run *r)
{
    const int count = lg_plan_pass_stages(r->plan);
    lg_plan_tasks known;
    lg_status status = lg_plan_list_figures(r->plan, 0, count, NULL, NULL, &known, r->error);
    for (int i = 0; i < known.count && !status; i++)
        if (lg_figure_is_curve(known.at[i].figure))
            status = lg_plan_upload_table(r->plan, known.at[i].node, r->error);
    lg_free(known.at);
    lg_run_write_numbers(r);
    return status || count == 0 ? status : run_range(r, 0, count);
}

static lg_status run_stages(lg_device_run *r)
{
    lg_plan *plan = r->plan;
    lg_status status = LG_OK;
    if (plan->pass)
        return run_pass(r);
    lg_run_write_numbers(r);
    for (int first = 0, end; first < plan->stage_count && !status; first = end) {
        if (who_measures(plan, first) == MEASURED_BY_HOST) {
            status = measure_stage(r, first);
            write_stage_numbers(r, first);
        }
        end = first + 1;
        while (end < plan->stage_count && who_measures(plan, end) != MEASURED_BY_HOST)
            end++;
        if (!status)
            status = run_range(r, first, end);
    }
    return status;
}

// ---- runs that nobody waits for -------------------------------------------------------------------

int lg_plan_host_stage(const lg_plan *plan)
{
    int stage = 0;
    while (stage < plan->stage_count && who_measures(plan, stage) != MEASURED_BY_HOST)
        stage++;
    return stage < plan->stage_count ? stage : -1;
}

bool lg_plan_needs_host(const lg_plan *plan)
{
    // Figures of the caller are measured behind the last stage.
    return lg_plan_host_stage(plan) >= 0 || plan->graph->figure_count > 0;
}

lg_status lg_run_prepare(lg_device_run *r)
{
    memset(r->turn->refused->map, 0, r->turn->refused->size);
    const lg_status status = record(r, 0, r->plan->stage_count);
    if (status)
        lg_run_forget_all(r->turn);
    return status;
}

double lg_run_note_seconds(const lg_device_run *r)
{
    r->plan->context->report.compute = 0;
    note_seconds(r, r->plan->stage_count);
    return r->plan->context->report.compute;
}

lg_status lg_run_check_refused(const lg_device_run *r)
{
    const int stages = r->plan->stage_count;
    const uint32_t *words = r->turn->refused->map;
    const lg_status status = check_refused(r, 0, stages);
    return status || !words[2 * stages] ? status : lg_fail(r->error, LG_ERROR_DATA, LG_NO_SAMPLES);
}

void lg_run_forget_all(lg_plan_turn *turn)
{
    lg_run_forget(&turn->recorded);
    forget_numbers(turn);
}

// ---- runs -------------------------------------------------------------------------------------------

lg_status lg_plan_run_vulkan(lg_plan *plan, const lg_plan_band *band, lg_image *const *inputs,
                             lg_image *const *outputs, lg_error *error)
{
    lg_plan_report(plan, 0, 0);
    plan->vulkan->last = NULL;
    if (plan->pass && lg_plan_pass_stages(plan) == 0)
        return lg_plan_gather(plan, band, inputs, outputs, error);
    lg_device_run r = {.plan = plan,
                       .turn = &plan->vulkan->turn,
                       .band = band,
                       .inputs = inputs,
                       .outputs = outputs,
                       .error = error};
    r.views = lg_alloc_array((size_t)plan->slot_count, sizeof *r.views);
    if (!r.views)
        return lg_fail_memory(error, (size_t)plan->slot_count * sizeof *r.views, "a run");
    lg_status status = open_views(&r);
    if (!status)
        status = run_stages(&r);
    if (!status && !plan->pass)
        status = measure_stage(&r, plan->stage_count);
    status = close_views(&r, status);
    lg_free(r.views);
    return status || !plan->pass ? status : lg_plan_gather(plan, band, inputs, outputs, error);
}

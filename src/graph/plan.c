// Compiling a graph: which filters share a stage, which images exist, when they are used last.
#include "graph/plan_compose.h"
#include "graph/plan_fit.h"
#include "graph/plan_planes.h"
#include "graph/plan_table.h"

#include "core/plane_codes.h"
#include "device/dispatch.h"
#include "filter/native.h"

#include <stdio.h>
#include <string.h>

#include "vulkan/vk.h"

// ---- shapes -------------------------------------------------------------------------------------

static const lg_filter_entry *entry(const lg_filter *filter)
{
    return (const lg_filter_entry *)filter;
}

static bool has_alpha(const lg_image_params *s)
{
    return s->channels != 1 &&
           (s->alpha == LG_ALPHA_STRAIGHT || s->alpha == LG_ALPHA_PREMULTIPLIED);
}

// `over`: the shape of the second image, or NULL.
static void apply_flags(const lg_filter *f, const lg_image_params *over, lg_image_params *s)
{
    const bool alpha = has_alpha(s);
    const bool make_color = f->flags & LG_FILTER_MAKES_COLOR ||
                            (f->flags & LG_FILTER_TAKES_COLOR && over->channels == 4);
    const bool make_alpha =
        f->flags & LG_FILTER_MAKES_ALPHA || (f->flags & LG_FILTER_TAKES_ALPHA && has_alpha(over));
    if (make_color && (s->channels == 1 || (s->channels == 2 && alpha))) {
        s->alpha = s->channels == 1 ? LG_ALPHA_OPAQUE : s->alpha;
        s->channels = 4;
    }
    if (make_alpha && s->channels == 1) {
        s->channels = 2;
        s->alpha = LG_ALPHA_STRAIGHT;
    } else if (make_alpha && s->alpha == LG_ALPHA_OPAQUE) {
        s->alpha = LG_ALPHA_STRAIGHT;
    }
}

static bool same_size(const lg_image_params *a, const lg_image_params *b)
{
    return a->width == b->width && a->height == b->height &&
           (a->layers == b->layers || b->layers == 1);
}

// A point filter with two images reads the second as a table.
static bool reads_table(const lg_filter *f)
{
    return f->kind == LG_FILTER_POINT && f->inputs == 2;
}

lg_status lg_plan_find_shape(const lg_plan *plan, int index, const lg_image_params *inputs,
                             lg_error *error)
{
    const lg_graph_node *n = &plan->graph->nodes[index];
    lg_plan_node *p = &plan->nodes[index];
    if (n->delayed) {
        p->shape = plan->nodes[n->first].shape;
        p->shape.row_stride = p->shape.layer_stride = 0;
        return LG_OK;
    }
    if (!n->filter) {
        p->packed = lg_shape_is_packed(&inputs[n->input]);
        p->shape = lg_shape_padded(&inputs[n->input]);
        p->shape.planes = NULL;
        return LG_OK;
    }
    p->shape = plan->nodes[n->from[0]].shape;
    p->shape.row_stride = p->shape.layer_stride = 0;
    if (n->from[1] >= 0 && !reads_table(n->filter)) {
        const lg_image_params *over = &plan->nodes[n->from[1]].shape;
        if (!same_size(&p->shape, over))
            return lg_fail(error, LG_ERROR_ARGUMENT,
                           "%s: its images differ in size: %d x %d x %d and %d x %d x %d",
                           n->filter->name, p->shape.width, p->shape.height, p->shape.layers,
                           over->width, over->height, over->layers);
    }
    if (entry(n->filter)->check) {
        const lg_status fit = entry(n->filter)->check(&plan->nodes[n->from[1]].shape, error);
        if (fit)
            return fit;
    }
    apply_flags(n->filter, n->from[1] >= 0 ? &plan->nodes[n->from[1]].shape : NULL, &p->shape);
    if (!entry(n->filter)->shape)
        return LG_OK;
    const lg_status status = entry(n->filter)->shape(p->values, &p->shape, error);
    return status ? status : lg_shape_check(&p->shape, error);
}

// ---- what is used -------------------------------------------------------------------------------

static int figure_node(const lg_graph_node *n, const lg_figure *f)
{
    return f->node >= 0 ? f->node : n->from[0];
}

static void count_uses(lg_plan *plan)
{
    const lg_graph *g = plan->graph;
    for (int i = 0; i < g->output_count; i++)
        plan->nodes[g->outputs[i]].uses++;
    for (int i = 0; i < g->figure_count; i++)
        plan->nodes[g->figures[i].figure.node].uses++;
    for (int i = g->count - 1; i >= 0; i--) {
        const lg_graph_node *n = &g->nodes[i];
        if (!plan->nodes[i].uses || !n->filter)
            continue;
        for (int k = 0; k < 2; k++)
            if (n->from[k] >= 0)
                plan->nodes[n->from[k]].uses++;
        if (n->from[1] >= 0)
            plan->nodes[n->from[1]].materialized = true;
        for (int k = 0; k < n->figure_count; k++) {
            plan->nodes[figure_node(n, &n->figures[k])].uses++;
            plan->nodes[figure_node(n, &n->figures[k])].materialized = true;
        }
        // Chains take what lies under them into their stage; everything else reads memory.
        if (n->filter->kind != LG_FILTER_POINT && n->filter->kind != LG_FILTER_BLEND)
            plan->nodes[n->from[0]].materialized = true;
    }
    for (int i = 0; i < g->count; i++) {
        lg_plan_node *p = &plan->nodes[i];
        const lg_graph_node *n = &g->nodes[i];
        if (p->uses > 1 || (n->filter && n->filter->kind == LG_FILTER_NATIVE))
            p->materialized = true;
    }
    for (int i = 0; i < g->output_count; i++)
        plan->nodes[g->outputs[i]].materialized = true;
    for (int i = 0; i < g->figure_count; i++)
        plan->nodes[g->figures[i].figure.node].materialized = true;
}

// ---- slots and stages ---------------------------------------------------------------------------

int lg_plan_add_slot(lg_plan *plan, lg_plan_slot slot)
{
    plan->slots[plan->slot_count] = slot;
    return plan->slot_count++;
}

// Tables are read as colours.
static lg_image_params table_shape(const lg_image_params *shape)
{
    lg_image_params s = lg_inner_shape(shape);
    s.alpha = s.channels == 1 ? LG_ALPHA_OPAQUE : s.alpha;
    s.channels = LG_MAX_CHANNELS;
    return s;
}

static void name_stage(const lg_plan *plan, lg_plan_stage *s)
{
    int nodes[LG_CHAIN_LENGTH + 1];
    const int count = lg_stage_nodes(s, nodes);
    for (int i = 0; i < count; i++)
        lg_plan_append_names(plan, nodes[i], s->name, sizeof s->name);
    if (!count)
        snprintf(s->name, sizeof s->name, "copy");
}

// The stage that ends in node `index` and writes to slot `out`.
void lg_plan_add_stage(lg_plan *plan, int index, int out)
{
    const lg_graph *g = plan->graph;
    lg_plan_stage *s = &plan->stages[plan->stage_count++];
    *s = (lg_plan_stage){
        .source = LG_FILTER_POINT, .node = -1, .in = {-1, -1}, .out = out, .encodes = -1};
    int nodes[LG_CHAIN_LENGTH], count = 0, at = index;
    for (bool more = true; more;) {
        const lg_graph_node *n = &g->nodes[at];
        if (plan->nodes[at].slot >= 0 &&
            (at != index || !n->filter || plan->nodes[at].slot != out)) {
            s->in[0] = plan->nodes[at].slot;
            break;
        }
        if (n->filter->kind == LG_FILTER_POINT || n->filter->kind == LG_FILTER_BLEND) {
            nodes[count++] = at;
            at = n->from[0];
            continue;
        }
        s->source = n->filter->kind;
        s->node = at;
        for (int k = 0; k < 2; k++)
            s->in[k] = n->from[k] >= 0 ? plan->nodes[n->from[k]].slot : -1;
        more = false;
    }
    s->count = count;
    for (int i = 0; i < count; i++) {
        const lg_node over = g->nodes[nodes[count - 1 - i]].from[1];
        s->chain[i] = nodes[count - 1 - i];
        s->over[i] = over >= 0 ? plan->nodes[over].slot : -1;
    }
    name_stage(plan, s);
}

// A chain may not grow without end: a node that would make it too long ends a stage.
static lg_status limit_chains(lg_plan *plan, lg_error *error)
{
    const lg_graph *g = plan->graph;
    int *length = lg_alloc_array((size_t)g->count, sizeof *length);
    if (!length)
        return lg_fail_memory(error, (size_t)g->count * sizeof *length, "the stages of a plan");
    for (int i = 0; i < g->count; i++) {
        const lg_graph_node *n = &g->nodes[i];
        if (!n->filter || !plan->nodes[i].uses)
            continue;
        const bool chains =
            n->filter->kind == LG_FILTER_POINT || n->filter->kind == LG_FILTER_BLEND;
        length[i] = chains && !plan->nodes[n->from[0]].materialized ? length[n->from[0]] + 1 : 1;
        // Every blend has an image of its own, for which a stage has few places, and planes take three.
        int images = 0, base = i;
        for (int left = length[i]; left > 0 && chains; left--, base = g->nodes[base].from[0])
            images += g->nodes[base].from[1] >= 0;
        if (chains && images && lg_plan_stored(plan, base))
            images += LG_MAX_PLANES - 1;
        if (length[i] >= LG_CHAIN_LENGTH / 2 || images >= LG_STAGE_IMAGES)
            plan->nodes[i].materialized = true;
    }
    lg_free(length);
    return LG_OK;
}

static void find_last_uses(lg_plan *plan)
{
    for (int i = 0; i < plan->stage_count; i++) {
        const lg_plan_stage *s = &plan->stages[i];
        int nodes[LG_CHAIN_LENGTH + 1];
        const int count = lg_stage_nodes(s, nodes);
        for (int k = 0; k < 2; k++)
            if (s->in[k] >= 0)
                plan->slots[s->in[k]].last = i;
        for (int k = 0; k < s->count; k++)
            if (s->over[k] >= 0)
                plan->slots[s->over[k]].last = i;
        for (int k = 0; k < count; k++) {
            const lg_graph_node *n = &plan->graph->nodes[nodes[k]];
            if (plan->nodes[nodes[k]].table_slot >= 0)
                plan->slots[plan->nodes[nodes[k]].table_slot].last = i;
            for (int f = 0; f < n->figure_count; f++)
                plan->slots[lg_plan_figure_slot(plan, figure_node(n, &n->figures[f]),
                                                &n->figures[f])]
                    .last = i;
        }
    }
    for (int i = 0; i < plan->graph->figure_count; i++) { // measured when all stages have run
        const lg_figure *f = &plan->graph->figures[i].figure;
        plan->slots[lg_plan_figure_slot(plan, f->node, f)].last = plan->stage_count;
    }
}

// Gives inner slots images; an image is free again behind the last stage that reads it.
static lg_status share_images(lg_plan *plan, lg_image_params *shapes, lg_error *error)
{
    const size_t max = (size_t)plan->slot_count + 1;
    int *free_from = lg_alloc_array(max, sizeof *free_from);
    if (!free_from)
        return lg_fail_memory(error, max * sizeof *free_from, "the images of a plan");
    for (int i = 0; i < plan->stage_count; i++) {
        lg_plan_slot *slot = &plan->slots[plan->stages[i].out];
        if (slot->kind != LG_PLAN_INNER)
            continue;
        int k = 0;
        while (k < plan->image_count &&
               (free_from[k] > i || memcmp(&shapes[k], &slot->shape, sizeof *shapes) != 0))
            k++;
        if (k == plan->image_count)
            shapes[plan->image_count++] = slot->shape;
        slot->index = k;
        free_from[k] = slot->last + 1;
    }
    lg_free(free_from);
    return LG_OK;
}

// The images that inner slots are in.
static lg_status make_images(lg_plan *plan, lg_image_params *shapes, lg_error *error)
{
    lg_status status = share_images(plan, shapes, error);
    if (status)
        return status;
    const size_t count = (size_t)plan->image_count;
    plan->images = lg_alloc_array(count + 1, sizeof *plan->images);
    if (!plan->images)
        return lg_fail_memory(error, (count + 1) * sizeof *plan->images, "the images of a plan");
    for (size_t i = 0; i < count && plan->in_bands; i++)
        shapes[i].height = 1;
    for (size_t i = 0; i < count && !status; i++)
        status = plan->on_device
                     ? lg_image_create_device(plan->context, &shapes[i], &plan->images[i], error)
                     : lg_image_create_uninit(plan->context, &shapes[i], &plan->images[i], error);
    return status;
}

// The slot of a second image that is read as a table of colours: f32, so an input is converted first.
// (Bytes as colours were slower on an H200: decoding costs more than the memory.)
static int table_slot(lg_plan *plan, int node)
{
    const lg_plan_node *p = &plan->nodes[node];
    const lg_plan_slot *s = &plan->slots[p->slot];
    if (s->kind == LG_PLAN_INNER && s->shape.channels == 4 && s->shape.type == LG_F32)
        return p->slot;
    const int slot =
        lg_plan_add_slot(plan, (lg_plan_slot){LG_PLAN_INNER, table_shape(&p->shape), -1, -1});
    lg_plan_add_stage(plan, node, slot);
    return slot;
}

// The slot of a node's image, where it exists. An output that nothing else reads is written at once.
static lg_plan_slot slot_of(const lg_plan *plan, int index, const lg_type *types)
{
    const lg_graph *g = plan->graph;
    const lg_plan_node *p = &plan->nodes[index];
    lg_plan_slot slot = {LG_PLAN_INNER, lg_inner_shape(&p->shape), -1, -1};
    if (!g->nodes[index].filter) {
        slot = (lg_plan_slot){LG_PLAN_INPUT, p->shape, g->nodes[index].input, -1};
        slot.shape.type = g->nodes[index].delayed ? LG_F32 : p->shape.type;
        return slot;
    }
    for (int k = 0; k < g->output_count; k++)
        if (g->outputs[k] == index && p->uses == 1 && plan->stored[k]) {
            slot.shape = lg_plan_colors_of(plan, k);
        } else if (g->outputs[k] == index && p->uses == 1) {
            slot = (lg_plan_slot){LG_PLAN_OUTPUT, p->shape, k, -1};
            slot.shape.type = lg_plan_output_type(plan, k, types);
        }
    return slot;
}

// Room for the tables that are measured.
static lg_status make_curves(lg_plan *plan, lg_error *error)
{
    for (int i = 0; i < plan->graph->count; i++) {
        const lg_graph_node *n = &plan->graph->nodes[i];
        lg_plan_node *p = &plan->nodes[i];
        for (int k = 0; k < n->figure_count && p->uses; k++) {
            const lg_figure *f = &n->figures[k];
            if (!lg_figure_is_curve(f))
                continue;
            p->tables[0] = lg_curve_table(
                &plan->slots[lg_plan_figure_slot(plan, figure_node(n, f), f)].shape, f);
            const size_t count = (size_t)p->tables[0].count * (f->previous ? 2 : 1);
            lg_free(p->table_memory);
            p->table_memory = lg_alloc_array(count, sizeof *p->table_memory);
            if (!p->table_memory)
                return lg_fail_memory(error, count * sizeof *p->table_memory, "a curve");
            p->tables[0].at = p->table_memory;
        }
    }
    return LG_OK;
}

static lg_status lay_out(lg_plan *plan, const lg_type *types, lg_error *error)
{
    const lg_graph *g = plan->graph;
    const size_t max = 2 * (size_t)g->count + (size_t)g->output_count + 1 +
                       (lg_plan_has_planes(plan) ? 8 : 0) * LG_MAX_INPUTS;
    plan->stages = lg_alloc_array(max, sizeof *plan->stages);
    plan->slots = lg_alloc_array(max, sizeof *plan->slots);
    lg_image_params *shapes = lg_alloc_array(max, sizeof *shapes);
    if (!plan->stages || !plan->slots || !shapes) {
        lg_free(shapes);
        return lg_fail_memory(error, max * sizeof *plan->stages, "the stages of a plan");
    }
    for (int i = 0; i < g->count; i++) {
        lg_plan_node *p = &plan->nodes[i];
        const lg_graph_node *n = &g->nodes[i];
        p->slot = p->planes = p->table_slot = -1;
        const lg_plan_slot slot = slot_of(plan, i, types);
        p->words = p->uses && n->filter && lg_plan_takes_words(plan, i, &slot.shape);
        if (n->filter && p->uses && reads_table(n->filter))
            p->table_slot = p->words ? plan->nodes[n->from[1]].slot : table_slot(plan, n->from[1]);
        if (!n->filter) {
            lg_plan_add_input(plan, i, slot);
        } else if (p->uses && p->materialized) {
            const int out = lg_plan_add_slot(plan, slot);
            if (slot.kind == LG_PLAN_OUTPUT)
                plan->output_slots[slot.index] = out;
            lg_plan_add_stage(plan, i, out);
            p->slot = out;
        }
    }
    for (int k = 0; k < g->output_count; k++) {
        const int node = g->outputs[k];
        if (plan->stored[k]) {
            lg_plan_add_output(plan, k);
            continue;
        }
        if (g->nodes[node].filter && plan->slots[plan->nodes[node].slot].kind == LG_PLAN_OUTPUT)
            continue;
        lg_plan_slot slot = {LG_PLAN_OUTPUT, plan->nodes[node].shape, k, -1};
        slot.shape.type = lg_plan_output_type(plan, k, types);
        slot.shape.row_stride = slot.shape.layer_stride = 0;
        plan->output_slots[k] = lg_plan_add_slot(plan, slot);
        lg_plan_add_stage(plan, node, plan->output_slots[k]);
    }
    find_last_uses(plan);
    const lg_status status = make_images(plan, shapes, error);
    lg_free(shapes);
    return status ? status : make_curves(plan, error);
}

static void drop_kept(const lg_plan *plan, lg_plan_stage *stage)
{
    if (stage->kept)
        entry(plan->graph->nodes[stage->node].filter)->native->drop(stage->kept);
    stage->kept = NULL;
}

static void drop_layout(lg_plan *plan)
{
    for (int i = 0; plan->images && i < plan->image_count; i++)
        lg_image_destroy(&plan->images[i]);
    lg_free(plan->images);
    for (int i = 0; plan->stages && i < plan->stage_count; i++)
        drop_kept(plan, &plan->stages[i]);
    lg_free(plan->stages);
    lg_free(plan->slots);
    plan->images = NULL;
    plan->stages = NULL;
    plan->slots = NULL;
    plan->image_count = plan->stage_count = plan->slot_count = 0;
}

// ---- tables -------------------------------------------------------------------------------------

lg_status lg_plan_make_table(lg_plan *plan, int index, lg_error *error)
{
    const lg_graph_node *n = &plan->graph->nodes[index];
    const char *texts[64] = {0};
    for (int i = 0; i < n->filter->param_count; i++)
        if (n->filter->params[i].kind == LG_PARAM_TEXT)
            texts[i] = lg_node_text(n, n->filter->params[i].name);
    int count = 0;
    const lg_status status =
        entry(n->filter)->table(n->values, texts, &plan->nodes[index].table_memory, &count, error);
    if (!status)
        plan->nodes[index].tables[0] =
            (lg_table){.at = plan->nodes[index].table_memory, .count = count};
    return status;
}

// ---- outside ------------------------------------------------------------------------------------

// With room for `more` nodes.
static lg_graph *copy_graph(const lg_graph *graph, int more)
{
    lg_graph *g = lg_alloc(sizeof *g);
    if (!g)
        return NULL;
    *g = *graph;
    g->capacity = g->count + more;
    g->nodes = lg_alloc_array((size_t)g->capacity + 1, sizeof *g->nodes);
    bool fine = g->nodes != NULL;
    g->count = 0;
    for (int i = 0; i < graph->count && fine; i++) {
        const lg_graph_node *from = &graph->nodes[i];
        lg_graph_node *to = &g->nodes[g->count++];
        *to = *from;
        to->name = from->name ? lg_strdup(from->name) : NULL;
        to->texts = NULL;
        to->source_name = from->source_name ? lg_strdup(from->source_name) : NULL;
        fine = (!from->name || to->name) && (!from->source_name || to->source_name);
        if (fine && from->texts) {
            to->texts = lg_alloc_array((size_t)from->filter->param_count, sizeof *to->texts);
            fine = to->texts != NULL;
            for (int k = 0; fine && k < from->filter->param_count; k++)
                if (from->texts[k])
                    fine = (to->texts[k] = lg_strdup(from->texts[k])) != NULL;
        }
    }
    if (!fine)
        lg_graph_destroy(&g);
    return g;
}

static lg_status check_inputs(const lg_graph *graph, const lg_image_params *shapes, size_t count,
                              const lg_type *types, lg_error *error)
{
    if (!graph || !shapes)
        return lg_fail_null(error, "a graph, and the shapes of its inputs");
    if (count != (size_t)graph->input_count || !count)
        return lg_fail(error, LG_ERROR_ARGUMENT, "the graph has %d inputs; %zu given",
                       graph->input_count, count);
    if (!graph->output_count && !graph->figure_count)
        return lg_fail(
            error, LG_ERROR_ARGUMENT,
            "the graph has neither an output nor a figure: mark a node by lg_graph_output");
    lg_status status = LG_OK;
    for (size_t i = 0; i < count && !status; i++)
        status = lg_shape_check(&shapes[i], error);
    for (int i = 0; types && i < graph->output_count && !status; i++)
        if ((unsigned)types[i] >= LG_TYPES)
            status = lg_fail(error, LG_ERROR_ARGUMENT, "output %d: unknown sample type %d", i,
                             (int)types[i]);
    return status;
}

typedef struct layout {
    lg_plan *plan;
    const lg_type *types;
} layout;

#ifdef LG_HAVE_VULKAN
static lg_status place_on_device(lg_context *context, void *arg, lg_error *error)
{
    const layout *l = arg;
    l->plan->on_device = true;
    lg_status status = lay_out(l->plan, l->types, error);
    if (!status)
        status = lg_plan_prepare_vulkan(l->plan, error);
    if (status)
        drop_layout(l->plan);
    return status;
}
#endif

static lg_status place_on_cpu(lg_context *context, void *arg, lg_error *error)
{
    const layout *l = arg;
    l->plan->on_device = false;
    return lay_out(l->plan, l->types, error);
}

// Where the plan will run. Nothing is computed, so the report stays what it was.
static lg_status place(lg_plan *plan, const lg_type *types, lg_error *error)
{
    static const lg_backend_row row = {"this pipeline", LG_VULKAN(place_on_device), place_on_cpu};
    lg_engine_report *report = &plan->context->report;
    const lg_engine_report before = *report;
    layout task = {plan, types};
    const lg_status status = lg_dispatch(plan->context, &row, &task, error);
    memcpy(plan->why, report->fallback, sizeof plan->why);
    *report = before;
    return status;
}

static lg_status make_tables(lg_plan *plan, lg_error *error)
{
    const lg_graph *g = plan->graph;
    lg_status status = LG_OK;
    for (int i = 0; i < g->count && !status; i++)
        if (g->nodes[i].filter && plan->nodes[i].uses && entry(g->nodes[i].filter)->table)
            status = lg_plan_make_table(plan, i, error);
    return status;
}

static lg_status compile(lg_plan *plan, bool expanded, const lg_type *types, lg_error *error)
{
    lg_status status = lg_plan_find_shapes(plan, expanded, error);
    if (status)
        return status;
    for (int i = 0; i < plan->graph->count; i++)
        plan->nodes[i].run = -1;
    count_uses(plan);
    lg_plan_complete_figures(plan);
    status = lg_plan_check_planes(plan, error);
    if (!status)
        status = limit_chains(plan, error);
    if (!status)
        status = make_tables(plan, error);
    if (!status)
        status = lg_plan_check_delayed(plan, error);
    if (!status)
        status = lg_plan_check_values(plan, types, error);
    if (!status)
        status = lg_plan_compose(plan, error);
    return status ? status : place(plan, types, error);
}

// With a copy of the graph, which has room for `more` nodes. After a failure *out is to be destroyed.
static lg_status make_plan(lg_context *context, const lg_graph *graph, int more, lg_plan **out,
                           lg_error *error)
{
    lg_plan *plan = *out = lg_alloc(sizeof *plan);
    if (!plan)
        return lg_fail_memory(error, sizeof *plan, "a plan");
    plan->context = context;
    const size_t room = (size_t)(graph->count + more);
    plan->graph = copy_graph(graph, more);
    plan->nodes = lg_alloc_array(room, sizeof *plan->nodes);
    if (!plan->graph || !plan->nodes)
        return lg_fail_memory(error, room * sizeof *plan->nodes, "a plan");
    return LG_OK;
}

lg_status lg_plan_create(lg_context *context, const lg_graph *graph, const lg_image_params *shapes,
                         size_t count, const lg_type *types, lg_plan **out, lg_error *error)
{
    return lg_plan_create_planes(context, graph, shapes, count, types, NULL, out, error);
}

static lg_status create(lg_context *context, const lg_graph *graph, const lg_image_params *shapes,
                        size_t count, const lg_type *types, const lg_planes *const *planes,
                        bool in_bands, lg_plan **out, lg_error *error)
{
    lg_status status = lg_context_check(context, error);
    if (!status && !out)
        status = lg_fail_null(error, "a place for the plan");
    if (!status)
        status = check_inputs(graph, shapes, count, types, error);
    if (status)
        return status;
    lg_plan *plan = NULL;
    status = make_plan(context, graph, lg_plan_fit_room(graph), &plan, error);
    if (!status)
        plan->in_bands = in_bands;
    if (!status)
        status = lg_graph_respell(plan->graph, error);
    if (!status)
        status = lg_plan_add_delayed(plan, shapes, error);
    if (!status)
        status = lg_plan_take_planes(plan, planes, error);
    if (!status)
        status = compile(plan, false, types, error);
    if (status)
        lg_plan_destroy(&plan);
    else
        *out = plan;
    return status;
}

lg_status lg_plan_create_planes(lg_context *context, const lg_graph *graph,
                                const lg_image_params *shapes, size_t count, const lg_type *types,
                                const lg_planes *const *planes, lg_plan **out, lg_error *error)
{
    return create(context, graph, shapes, count, types, planes, false, out, error);
}

lg_status lg_plan_create_bands(lg_context *context, const lg_graph *graph,
                               const lg_image_params *shapes, size_t count, const lg_type *types,
                               lg_plan **out, lg_error *error)
{
    return create(context, graph, shapes, count, types, NULL, true, out, error);
}

lg_status lg_plan_create_first(const lg_plan *plan, lg_node first, lg_plan **out, lg_error *error)
{
    lg_plan *made = NULL;
    lg_status status = make_plan(plan->context, plan->graph, 0, &made, error);
    if (!status) {
        made->given_inputs = plan->given_inputs;
        memcpy(made->given, plan->given, sizeof made->given);
        made->graph->figure_count = 0;
        made->graph->output_count = 1;
        made->graph->outputs[0] = first;
        status = compile(made, true, NULL, error);
    }
    if (status)
        lg_plan_destroy(&made);
    else
        *out = made;
    return status;
}

void lg_plan_release(lg_plan *plan)
{
    if (plan->device)
        plan->device->release(plan);
    plan->device = NULL;
}

void lg_plan_destroy(lg_plan **plan)
{
    if (!plan || !*plan)
        return;
    lg_plan *p = *plan;
    lg_plan_release(p);
    drop_layout(p);
    lg_plan_drop_delayed(p);
    lg_plan_drop_runs(p);
    for (int i = 0; p->nodes && p->graph && i < p->graph->count; i++)
        lg_free(p->nodes[i].table_memory);
    lg_free(p->nodes);
    lg_free(p->explained);
    lg_graph_destroy(&p->graph);
    lg_free(p);
    *plan = NULL;
}

lg_status lg_plan_output(const lg_plan *plan, size_t index, lg_image_params *out, lg_error *error)
{
    if (!plan || !out)
        return lg_fail_null(error, "a plan, and a place for the shape");
    if (index >= (size_t)plan->given_outputs)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "there is no output %zu; the plan has %d, counted from 0", index,
                       plan->given_outputs);
    *out = plan->slots[plan->output_slots[index]].shape;
    out->layers = plan->layers ? plan->layers : out->layers;
    return LG_OK;
}

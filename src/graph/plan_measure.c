// Figures of a plan: which ones its stages take as parameters or the caller reads, and where they go on the
// host.
#include "graph/plan.h"

#include "filter/native/label/label_filter.h"

#include <string.h>

// ---- what they take from filters ----------------------------------------------------------------

static int step_of(const lg_graph_node *node, const lg_figure *figure)
{
    const lg_filter *f = node->filter;
    for (int i = 0; f && lg_figure_is_curve(figure) && i < f->param_count; i++)
        if (strcmp(f->params[i].name, "downsampling_factor") == 0)
            return (int)node->values[lg_filter_offset(f, i)];
    return 1;
}

void lg_plan_complete_figures(lg_plan *plan)
{
    for (int i = 0; i < plan->graph->figure_count; i++) {
        lg_figure *f = &plan->graph->figures[i].figure;
        const lg_graph_node *of = &plan->graph->nodes[f->node];
        f->connectivity = lg_label_connectivity_behind(of->filter, of->values);
        f->step = 1;
    }
    for (int i = 0; i < plan->graph->count; i++) {
        lg_graph_node *n = &plan->graph->nodes[i];
        for (int k = 0; k < n->figure_count; k++) {
            lg_figure *f = &n->figures[k];
            const lg_graph_node *of = &plan->graph->nodes[f->node >= 0 ? f->node : n->from[0]];
            f->connectivity = lg_label_connectivity_behind(of->filter, of->values);
            f->step = step_of(n, f);
        }
    }
}

// ---- what is wanted -----------------------------------------------------------------------------

int lg_plan_figure_slot(const lg_plan *plan, int node, const lg_figure *figure)
{
    const lg_plan_node *p = &plan->nodes[node];
    if (figure->channel < LG_CHANNEL_Y)
        return p->slot;
    const int *plane = plan->slots[p->planes].plane;
    if (figure->channel == LG_CHANNEL_CR && plane[2] >= 0)
        return plane[2];
    return plane[figure->channel == LG_CHANNEL_Y ? 0 : 1];
}

// Of the nodes of a stage. NULL: their number alone.
static int list_stage(const lg_plan *plan, int stage, lg_figure_task *out)
{
    int nodes[LG_CHAIN_LENGTH + 1], count = 0;
    const int node_count = lg_stage_nodes(&plan->stages[stage], nodes);
    for (int i = 0; i < node_count; i++) {
        const lg_graph_node *n = &plan->graph->nodes[nodes[i]];
        for (int k = 0; k < n->figure_count; k++, count++) {
            const lg_figure *f = &n->figures[k];
            const int of = f->node >= 0 ? f->node : n->from[0];
            if (out)
                out[count] = (lg_figure_task){.figure = f,
                                              .select = plan->selects ? &plan->select : NULL,
                                              .slot = lg_plan_figure_slot(plan, of, f),
                                              .stage = stage,
                                              .node = nodes[i],
                                              .index = k};
        }
    }
    return count;
}

static int list_asked(const lg_plan *plan, lg_figure_task *out)
{
    const lg_graph *g = plan->graph;
    for (int i = 0; out && i < g->figure_count; i++) {
        const lg_figure *f = &g->figures[i].figure;
        out[i] = (lg_figure_task){.figure = f,
                                  .select = plan->selects ? &plan->select : NULL,
                                  .slot = lg_plan_figure_slot(plan, f->node, f),
                                  .stage = plan->stage_count,
                                  .node = -1,
                                  .index = i};
    }
    return g->figure_count;
}

static int list(const lg_plan *plan, int first, int end, lg_figure_task *out)
{
    int count = 0;
    for (int i = first; i < end; i++) {
        lg_figure_task *to = out ? out + count : NULL;
        count += i < plan->stage_count ? list_stage(plan, i, to) : list_asked(plan, to);
    }
    return count;
}

lg_status lg_plan_list_figures(const lg_plan *plan, int first, int end, lg_image *const *inputs,
                               lg_image *const *outputs, lg_plan_tasks *out, lg_error *error)
{
    const int count = list(plan, first, end, NULL);
    *out = (lg_plan_tasks){0};
    if (count == 0)
        return LG_OK;
    out->at = lg_alloc_array((size_t)count, sizeof *out->at);
    if (!out->at)
        return lg_fail_memory(error, (size_t)count * sizeof *out->at, "the figures of a plan");
    out->count = list(plan, first, end, out->at);
    for (int i = 0; i < count && inputs; i++)
        out->at[i].image = lg_plan_image(plan, out->at[i].slot, inputs, outputs);
    return LG_OK;
}

int lg_plan_tasks_up_to(const lg_plan_tasks *tasks, int stage)
{
    int count = 0;
    while (count < tasks->count && tasks->at[count].stage <= stage)
        count++;
    return count;
}

// ---- on the host --------------------------------------------------------------------------------

// The curve of the run before is kept behind it.
void lg_plan_place_curve(const lg_plan *plan, lg_figure_task *t)
{
    const lg_plan_node *p = &plan->nodes[t->node];
    float *now = p->table_memory, *kept = now + p->tables[0].count;
    const bool first = !t->figure->previous || !plan->ran;
    if (!first)
        memcpy(now, kept, (size_t)p->tables[0].count * sizeof *now);
    t->curve = first ? now : kept;
}

static void keep_curve(const lg_plan *plan, const lg_figure_task *t)
{
    const lg_plan_node *p = &plan->nodes[t->node];
    float *kept = p->table_memory + p->tables[0].count;
    if (t->figure->previous && t->curve != kept)
        memcpy(kept, t->curve, (size_t)p->tables[0].count * sizeof *kept);
}

void lg_plan_put_numbers(lg_plan *plan, const lg_figure_task *t)
{
    if (t->node < 0) {
        memcpy(plan->figures[t->index], t->number, sizeof t->number);
        return;
    }
    lg_plan_node *p = &plan->nodes[t->node];
    const lg_figure *f = t->figure;
    const float *used = f->previous && plan->ran ? p->previous[t->index] : t->number;
    memcpy(p->values + f->at, used, (size_t)f->count * sizeof *used);
    memcpy(p->previous[t->index], t->number, sizeof t->number);
}

lg_status lg_plan_measure(lg_plan *plan, const lg_plan_tasks *tasks, int stage, lg_error *error)
{
    for (int i = 0; i < tasks->count; i++)
        if (lg_figure_is_curve(tasks->at[i].figure) && !tasks->at[i].curve)
            lg_plan_place_curve(plan, &tasks->at[i]);
    const int wanted = lg_plan_tasks_up_to(tasks, stage);
    const lg_status status =
        lg_figures_measure(plan->context, tasks->at, wanted, tasks->count, error);
    for (int i = 0; i < wanted && !status; i++) {
        if (tasks->at[i].stage < stage)
            continue;
        if (tasks->at[i].curve)
            keep_curve(plan, &tasks->at[i]);
        else
            lg_plan_put_numbers(plan, &tasks->at[i]);
    }
    return status;
}

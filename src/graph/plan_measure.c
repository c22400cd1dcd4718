// Parameters of a plan that are measured: which figures a stage takes, and where they go on the host.
#include "graph/plan.h"

#include <string.h>

static int figures_of(const lg_plan *plan, const int *nodes, int node_count)
{
    int count = 0;
    for (int i = 0; i < node_count; i++)
        count += plan->graph->nodes[nodes[i]].figure_count;
    return count;
}

lg_status lg_stage_figures(const lg_plan *plan, const lg_plan_stage *stage, lg_image *const *inputs,
                           lg_image *const *outputs, lg_figure_task **out, int *count,
                           lg_error *error)
{
    int nodes[LG_CHAIN_LENGTH + 1];
    const int node_count = lg_stage_nodes(stage, nodes);
    const size_t most = (size_t)figures_of(plan, nodes, node_count);
    *out = NULL;
    *count = 0;
    if (most == 0)
        return LG_OK;
    *out = lg_alloc_array(most, sizeof **out);
    if (!*out)
        return lg_fail_memory(error, most * sizeof **out, "the figures of a stage");
    for (int i = 0; i < node_count; i++) {
        const lg_graph_node *n = &plan->graph->nodes[nodes[i]];
        for (int k = 0; k < n->figure_count; k++) {
            const lg_figure *f = &n->figures[k];
            const int of = f->node >= 0 ? f->node : n->from[0], slot = plan->nodes[of].slot;
            (*out)[(*count)++] =
                (lg_figure_task){.figure = f,
                                 .image = lg_plan_image(plan, slot, inputs, outputs),
                                 .slot = slot,
                                 .node = nodes[i],
                                 .index = k};
        }
    }
    return LG_OK;
}

// A curve is measured in place: the one of the run before is kept behind it.
static void place_curve(const lg_plan *plan, lg_figure_task *t)
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

static void put_numbers(lg_plan *plan, const lg_figure_task *t)
{
    lg_plan_node *p = &plan->nodes[t->node];
    const lg_figure *f = t->figure;
    const float *used = f->previous && plan->ran ? p->previous[t->index] : t->number;
    memcpy(p->values + f->at, used, (size_t)f->count * sizeof *used);
    memcpy(p->previous[t->index], t->number, sizeof t->number);
}

lg_status lg_plan_measure(lg_plan *plan, lg_figure_task *tasks, int count, lg_error *error)
{
    for (int i = 0; i < count; i++)
        if (lg_figure_is_curve(tasks[i].figure))
            place_curve(plan, &tasks[i]);
    const lg_status status = lg_figures_measure(plan->context, tasks, count, error);
    for (int i = 0; i < count && !status; i++) {
        if (tasks[i].curve)
            keep_curve(plan, &tasks[i]);
        else
            put_numbers(plan, &tasks[i]);
    }
    return status;
}

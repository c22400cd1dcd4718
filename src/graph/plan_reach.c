// Which rows of its images a plan reads for rows of its outputs.
#include "graph/plan_reach.h"
#include "graph/figure.h"
#include "graph/plan_planes.h"

static void widen(lg_row_reach *of, int slot, lg_row_reach by)
{
    if (slot >= 0)
        of[slot] = lg_row_reach_both(of[slot], by);
}

// The slot of what figure k of a node is measured of.
static int measured_slot(const lg_plan *plan, const lg_graph_node *n, int k)
{
    return plan->nodes[n->figures[k].node >= 0 ? n->figures[k].node : n->from[0]].slot;
}

static void widen_by_figures(const lg_plan *plan, const lg_graph_node *n, lg_row_reach *of)
{
    for (int k = 0; k < n->figure_count; k++) {
        const int slot = measured_slot(plan, n, k);
        const char *why = slot < 0 ? NULL
                          : n->filter->kind != LG_FILTER_POINT
                              ? "a parameter that is measured says which rows a filter reads"
                              : lg_figure_needs_whole(&plan->slots[slot].shape, &n->figures[k]);
        if (why)
            widen(of, slot, lg_row_reach_whole(why));
    }
}

lg_row_reach lg_plan_stage_reach(const lg_plan *plan, const lg_plan_stage *stage, int input)
{
    if (stage->source == LG_FILTER_POINT || stage->in[input] < 0)
        return lg_row_reach_of(0);
    return lg_filter_reach(plan->graph->nodes[stage->node].filter, plan->nodes[stage->node].values,
                           &plan->slots[stage->in[input]].shape, input);
}

static bool is_measured(const lg_plan *plan, int slot)
{
    for (int i = 0; i < plan->graph->figure_count; i++)
        if (plan->nodes[plan->graph->figures[i].figure.node].slot == slot)
            return true;
    for (int i = 0; i < plan->graph->count; i++) {
        const lg_graph_node *n = &plan->graph->nodes[i];
        for (int k = 0; k < n->figure_count && plan->nodes[i].uses; k++)
            if (measured_slot(plan, n, k) == slot)
                return true;
    }
    return false;
}

// Behind all readers of a slot. Figures are of all rows, of which the outputs may need some.
static void settle(const lg_plan *plan, int slot, lg_row_reach *of)
{
    int64_t first, end;
    if (!of[slot].of) // nobody reads it
        of[slot] = lg_row_reach_of(0);
    const int64_t height = plan->slots[slot].shape.height;
    lg_row_reach_rows(&of[slot], height, 0, plan->slots[plan->output_slots[0]].shape.height, &first,
                      &end);
    if ((first > 0 || end < height) && is_measured(plan, slot))
        widen(of, slot, lg_row_reach_whole("a figure is of rows that no output needs"));
}

void lg_plan_find_reach(const lg_plan *plan, lg_row_reach *of)
{
    for (int i = 0; i < plan->slot_count; i++)
        of[i] = lg_graph_remembers(plan->graph) ? lg_row_reach_whole("it is taken by a later run")
                : plan->slots[i].kind == LG_PLAN_OUTPUT ? lg_row_reach_of(0)
                                                        : (lg_row_reach){0};
    for (int i = 0; i < plan->graph->figure_count; i++) {
        const lg_figure *f = &plan->graph->figures[i].figure;
        const int slot = plan->nodes[f->node].slot;
        const char *why = slot < 0 ? NULL : lg_figure_needs_whole(&plan->slots[slot].shape, f);
        if (why)
            widen(of, slot, lg_row_reach_whole(why));
    }
    for (int i = plan->stage_count - 1; i >= 0; i--) {
        const lg_plan_stage *s = &plan->stages[i];
        int nodes[LG_CHAIN_LENGTH + 1];
        const int count = lg_stage_nodes(s, nodes);
        settle(plan, s->out, of);
        for (int k = 0; k < count; k++) {
            widen(of, plan->nodes[nodes[k]].table_slot,
                  lg_row_reach_whole("it is read as a table"));
            widen_by_figures(plan, &plan->graph->nodes[nodes[k]], of);
        }
        for (int k = 0; k < 2; k++)
            widen(of, s->in[k], lg_row_reach_through(lg_plan_stage_reach(plan, s, k), of[s->out]));
        for (int k = 0; k < s->count; k++)
            widen(of, s->over[k], of[s->out]);
    }
    for (int i = 0; i < plan->slot_count; i++)
        settle(plan, i, of);
}

lg_status lg_plan_input_reach(const lg_plan *plan, int input, lg_row_reach *out, lg_error *error)
{
    if (input < 0 || input >= plan->given_inputs)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "there is no input %d; the plan has %d, counted from 0", input,
                       plan->given_inputs);
    if (lg_plan_has_planes(plan)) {
        *out = lg_row_reach_whole("images of planes are read whole");
        return LG_OK;
    }
    lg_row_reach *of = lg_alloc_array((size_t)plan->slot_count, sizeof *of);
    if (!of)
        return lg_fail_memory(error, (size_t)plan->slot_count * sizeof *of, "the reach of a plan");
    lg_plan_find_reach(plan, of);
    *out = (lg_row_reach){0};
    for (int i = 0; i < plan->slot_count; i++)
        if (plan->slots[i].kind == LG_PLAN_INPUT && plan->slots[i].index == input)
            *out = lg_row_reach_both(*out, of[i]);
    if (!out->of)
        *out = lg_row_reach_of(0);
    lg_free(of);
    return LG_OK;
}

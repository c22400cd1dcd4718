#include "graph/plan_compose.h"

#include "filter/affine.h"

#include <stdio.h>
#include <string.h>

lg_graph_node *lg_plan_own_node(const lg_plan *plan, int node)
{
    lg_plan_node *p = &plan->nodes[node];
    return p->own ? p->own : &plan->graph->nodes[node];
}

bool lg_plan_is_used(const lg_plan *plan, int node)
{
    return plan->nodes[node].uses || plan->nodes[node].run >= 0;
}

// ---- finding runs -------------------------------------------------------------------------------

static bool is_affine(const lg_plan *plan, int node)
{
    const lg_graph_node *n = &plan->graph->nodes[node];
    return n->filter && n->filter->flags & LG_FILTER_AFFINE && !n->figure_count &&
           plan->nodes[node].uses;
}

// The node before it in the same run; -1: it is the first.
static int before(const lg_plan *plan, int node)
{
    const int from = lg_plan_own_node(plan, node)->from[0];
    const lg_plan_node *p = &plan->nodes[from];
    if (plan->nodes[node].run >= 0)
        return p->run == plan->nodes[node].run ? from : -1;
    return is_affine(plan, from) && p->uses == 1 && !p->materialized ? from : -1;
}

// The product, from the last filter to the first.
static lg_affine matrix_of(const lg_plan *plan, int last)
{
    const lg_cpu_level level = plan->context->cpu_level;
    const lg_graph_node *n = lg_plan_own_node(plan, last);
    lg_affine all = lg_affine_of(n->filter, n->values, level);
    for (int node = before(plan, last); node >= 0; node = before(plan, node)) {
        n = &plan->graph->nodes[node];
        const lg_affine one = lg_affine_of(n->filter, n->values, level);
        all = lg_affine_compose(&one, &all);
    }
    return all;
}

static void take_values(lg_plan *plan, int last)
{
    lg_graph_node *n = &plan->graph->nodes[last];
    const lg_affine all = matrix_of(plan, last);
    lg_affine_values(&all, n->filter, n->values);
    memcpy(plan->nodes[last].values, n->values, sizeof n->values);
}

static lg_status make_run(lg_plan *plan, int last, lg_error *error)
{
    lg_graph_node *n = &plan->graph->nodes[last];
    bool per_channel = true, alpha = false;
    int first = last;
    for (int node = last; node >= 0; node = before(plan, node)) {
        const unsigned flags = (unsigned)plan->graph->nodes[node].filter->flags;
        per_channel = per_channel && flags & LG_FILTER_PER_CHANNEL;
        alpha = alpha || flags & LG_FILTER_AFFINE_ALPHA;
        first = node;
    }
    lg_graph_node *own = lg_alloc(sizeof *own);
    if (!own)
        return lg_fail_memory(error, sizeof *own, "a plan");
    *own = *n;
    for (int node = last, next; node >= 0; node = next) {
        next = before(plan, node);
        if (node != last)
            plan->nodes[node].uses = 0;
        plan->nodes[node].run = last;
    }
    plan->nodes[last].own = own;
    n->filter = lg_affine_filter(per_channel, alpha);
    n->from[0] = plan->graph->nodes[first].from[0];
    n->texts = NULL;
    take_values(plan, last);
    return LG_OK;
}

lg_status lg_plan_compose(lg_plan *plan, lg_error *error)
{
    lg_status status = LG_OK;
    for (int i = plan->graph->count - 1; i >= 0 && !status; i--)
        if (plan->nodes[i].run < 0 && is_affine(plan, i) && before(plan, i) >= 0)
            status = make_run(plan, i, error);
    return status;
}

// ---- afterwards ---------------------------------------------------------------------------------

void lg_plan_recompose(lg_plan *plan, int node)
{
    take_values(plan, plan->nodes[node].run);
}

void lg_plan_append_names(const lg_plan *plan, int node, char *text, size_t size)
{
    const int from = plan->nodes[node].run >= 0 ? before(plan, node) : -1;
    if (from >= 0)
        lg_plan_append_names(plan, from, text, size);
    const size_t length = strlen(text);
    snprintf(text + length, size - length, "%s%s", length ? " + " : "",
             lg_plan_own_node(plan, node)->filter->name);
}

void lg_plan_drop_runs(lg_plan *plan)
{
    for (int i = 0; plan->graph && plan->nodes && i < plan->graph->count; i++)
        if (plan->nodes[i].own) {
            plan->graph->nodes[i] = *plan->nodes[i].own;
            lg_free(plan->nodes[i].own);
            plan->nodes[i].own = NULL;
        }
}

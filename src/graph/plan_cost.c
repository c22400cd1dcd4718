// What a run costs on the CPU, as far as the filters tell before it.
#include "filter/native.h"
#include "graph/plan.h"

// Nanoseconds of one thread for a sample, by kind of filter: rounded medians over the catalogue.
// Filters far from the rest of their kind have a function of their own (lg_native.cost).
static const double kind_cost[LG_FILTER_KINDS] = {
    [LG_FILTER_POINT] = 0.3, [LG_FILTER_BLEND] = 0.8,    [LG_FILTER_WARP] = 2,
    [LG_FILTER_WINDOW] = 1,  [LG_FILTER_GENERATE] = 0.5, [LG_FILTER_NATIVE] = 1.5,
};

// How many points of its image a warp reads for a pixel.
static int points_of(const lg_filter *filter, const lg_plan_node *n)
{
    if (filter->kind != LG_FILTER_WARP)
        return 1;
    const lg_count_fn points = lg_filter_get_loops(filter, LG_CPU_BASE)->points;
    return points ? points(&(lg_span){.values = n->values, .tables = n->tables}) : 1;
}

static double node_cost(const lg_plan *plan, int node)
{
    const lg_filter *filter = plan->graph->nodes[node].filter;
    const lg_plan_node *n = &plan->nodes[node];
    const lg_image_params *s = &n->shape;
    if (!filter)
        return 0;
    const lg_native *native = ((const lg_filter_entry *)filter)->native;
    const double cost = native && native->cost ? native->cost(filter, n->values)
                                               : kind_cost[filter->kind] * points_of(filter, n);
    return cost * (double)s->width * (double)s->height * s->layers * s->channels;
}

double lg_plan_cost(const lg_plan *plan)
{
    int nodes[LG_CHAIN_LENGTH + 1];
    double nanoseconds = 0;
    for (int i = 0; plan && i < plan->stage_count; i++) {
        const int count = lg_stage_nodes(&plan->stages[i], nodes);
        for (int k = 0; k < count; k++)
            nanoseconds += node_cost(plan, nodes[k]);
    }
    return nanoseconds * 1e-9;
}

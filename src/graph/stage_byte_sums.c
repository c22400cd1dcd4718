#include "graph/plan.h"

static bool is_bytes(const lg_image_params *s)
{
    return s->type == LG_U8 && (s->channels == 1 || s->alpha != LG_ALPHA_PREMULTIPLIED);
}

lg_byte_sums lg_stage_byte_sums(const lg_plan *plan, const lg_plan_stage *s)
{
    const lg_byte_sums none = {.any = false};
    if (s->source != LG_FILTER_WINDOW || s->count > 0)
        return none;
    const lg_graph_node *n = &plan->graph->nodes[s->node];
    const float *values = plan->nodes[s->node].values;
    const lg_plan_slot *in = &plan->slots[s->in[0]], *out = &plan->slots[s->out];
    if (n->figure_count > 0 || in->kind != LG_PLAN_INPUT || !is_bytes(&in->shape) ||
        !is_bytes(&out->shape) || in->shape.channels != out->shape.channels ||
        lg_filter_step(n->filter, values, 0) != 1 || lg_filter_step(n->filter, values, 1) != 1)
        return none;
    return lg_find_byte_sums(lg_filter_get_loops(n->filter, LG_CPU_BASE), values);
}

#include "graph/stage_whole_vulkan.h"

#include <math.h>

extern const char lg_glsl_stage_whole[];

#define MOST_WEIGHTS                                                                               \
    8 // of one sign: their sum with bytes is then an integer below 2048, as parts of it are

static bool has_whole_weights(lg_weight_fn weight, const lg_span *values)
{
    float above = 0, below = 0;
    for (int i = 0; i < 9; i++) {
        const float w = weight(values, i);
        if (w != floorf(w))
            return false;
        *(w < 0 ? &below : &above) += fabsf(w);
    }
    return above <= MOST_WEIGHTS && below <= MOST_WEIGHTS;
}

// In floats the length of a gradient of bytes is off by less than 3e-4 of a byte, and rounds as the exact
// one: see lg_whole_root. With a factor it may lie halfway between two bytes.
static bool has_whole_sums(const lg_plan *plan, int node)
{
    const lg_filter_loops *loops =
        lg_filter_get_loops(plan->graph->nodes[node].filter, LG_CPU_BASE);
    const lg_span values = {.values = plan->nodes[node].values};
    return loops->weight ? has_whole_weights(loops->weight, &values)
                         : loops->strength && loops->strength(&values) == 1;
}

bool lg_stage_is_whole(const lg_plan *plan, const lg_plan_stage *s)
{
    if (s->source != LG_FILTER_WINDOW || s->count > 0 || lg_stage_is_apart(plan, s) ||
        plan->graph->nodes[s->node].figure_count > 0)
        return false;
    const lg_image_params *in = &plan->slots[s->in[0]].shape, *out = &plan->slots[s->out].shape;
    return in->type == LG_U8 && in->channels == 1 && out->type == LG_U8 && out->channels == 1 &&
           lg_vk_get_limits(plan->context->vk)->float16 && has_whole_sums(plan, s->node);
}

void lg_stage_write_whole(FILE *out, const lg_plan *plan, const lg_plan_stage *s)
{
    const lg_graph_node *n = &plan->graph->nodes[s->node];
    const char *name = n->filter->name;
    fprintf(out,
            "#define LG_PIXEL 1\n#define LG_HALVES_BORDER %d\n#define LG_WHOLE_PARAMS %s_params\n",
            (int)lg_node_border(n, plan->nodes[s->node].values), name);
    if (lg_filter_get_loops(n->filter, LG_CPU_BASE)->weight)
        fprintf(out, "#define LG_WHOLE_WEIGHT %s_weight\n", name);
    else
        fprintf(out, "#define LG_WHOLE_MIDDLE %s_middle\n#define LG_WHOLE_DARK %s_dark\n", name,
                name);
    fputs(lg_glsl_stage_whole, out);
}

#include "graph/stage_choice_vulkan.h"

extern const char lg_glsl_stage_choice[];

bool lg_stage_is_choice(const lg_plan *plan, const lg_plan_stage *s)
{
    if (s->source != LG_FILTER_WINDOW || s->count > 0 || lg_stage_is_apart(plan, s))
        return false;
    const lg_filter *f = plan->graph->nodes[s->node].filter;
    const lg_image_params *in = &plan->slots[s->in[0]].shape, *out = &plan->slots[s->out].shape;
    return lg_filter_get_loops(f, LG_CPU_BASE)->choices[0] && in->type == LG_U8 &&
           out->type == LG_U8 && in->channels == out->channels && in->channels != 2 &&
           in->alpha == out->alpha && (in->channels == 1 || in->alpha != LG_ALPHA_PREMULTIPLIED) &&
           lg_vk_get_limits(plan->context->vk)->float16;
}

void lg_stage_write_choice(FILE *out, const lg_plan *plan, const lg_plan_stage *s)
{
    const lg_graph_node *n = &plan->graph->nodes[s->node];
    const lg_image_params *in = &plan->slots[s->in[0]].shape;
    const char *name = n->filter->name;
    const bool color = in->channels == 4, opaque = color && in->alpha == LG_ALPHA_OPAQUE;
    fprintf(out,
            "struct %s_params { float none; };\n"
            "#define float f16vec2\n%s\n#undef float\n"
            "#define LG_CHOICE_COLUMN %s_column\n#define LG_CHOICE_SORT %s_sort\n"
            "#define LG_CHOICE_OF %s_of\n#define LG_HALVES_BORDER %d\n#define LG_PIXEL %d\n"
            "#define LG_KEEPS %d\n#define LG_ALPHA_MASK %s\n%s",
            name, ((const lg_filter_entry *)n->filter)->text, name, name, name,
            (int)lg_node_border(n, plan->nodes[s->node].values), in->channels, color && !opaque,
            opaque ? "0xff000000u" : "0u", lg_glsl_stage_choice);
}

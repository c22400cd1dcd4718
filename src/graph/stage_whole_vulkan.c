#include "graph/stage_whole_vulkan.h"

#include <string.h>

extern const char lg_glsl_stage_whole[];

// Whether the kernel of a filter has a function or a number NAME_WHAT.
static bool has(const lg_filter *f, const char *what)
{
    char name[80];
    snprintf(name, sizeof name, "%s_%s", f->name, what);
    return strstr(((const lg_filter_entry *)f)->text, name) != NULL;
}

bool lg_stage_is_whole(const lg_plan *plan, const lg_plan_stage *s)
{
    if (s->source != LG_FILTER_WINDOW || s->count > 0 || lg_stage_is_apart(plan, s))
        return false;
    const lg_filter *f = plan->graph->nodes[s->node].filter;
    const lg_image_params *in = &plan->slots[s->in[0]].shape, *out = &plan->slots[s->out].shape;
    return in->type == LG_U8 && in->channels == 1 && out->type == LG_U8 && out->channels == 1 &&
           (has(f, "weight(") || has(f, "strength(")) &&
           lg_vk_get_limits(plan->context->vk)->float16;
}

void lg_stage_write_whole(FILE *out, const lg_plan *plan, const lg_plan_stage *s)
{
    const lg_graph_node *n = &plan->graph->nodes[s->node];
    const char *name = n->filter->name;
    fprintf(out,
            "#define LG_PIXEL 1\n#define LG_HALVES_BORDER %d\n#define LG_WHOLE_PARAMS %s_params\n",
            (int)lg_node_border(n, plan->nodes[s->node].values), name);
    if (has(n->filter, "weight("))
        fprintf(out, "#define LG_WHOLE_WEIGHT %s_weight\n", name);
    else
        fprintf(out,
                "#define LG_WHOLE_STRENGTH %s_strength\n#define LG_WHOLE_MIDDLE %s_middle\n"
                "#define LG_WHOLE_DARK %s_dark\n",
                name, name, name);
    fputs(lg_glsl_stage_whole, out);
}

void lg_stage_write_parts(FILE *out)
{
    fprintf(
        out,
        "    if (lg_whole_take(p0)) {\n"
        "        lg_whole_rows(int(gl_GlobalInvocationID.x) * LG_WHOLE_SPAN, first, z);\n"
        "        return;\n"
        "    }\n"
        "    for (uint part = 0u; part < %du; part++) {\n"
        "    int x0 = int((gl_WorkGroupID.x * %du + part) * LG_GROUP_X + gl_LocalInvocationID.x) * "
        "LG_SPAN;\n"
        "    int y = first;\n"
        "    if (uint(x0) >= lg.width)\n        return;\n",
        LG_WHOLE_PARTS, LG_WHOLE_PARTS);
}

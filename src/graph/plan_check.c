// Values of parameters that can be judged only when the types of images are known.
#include "graph/plan_compose.h"

#include <stdio.h>
#include <string.h>

#define LEAST_BEHIND                                                                               \
    (-16.0f) // values between filters are not clamped, so levels of them may lie outside
#define MOST_BEHIND 16.0f

// "gaussian_blur", with "(number 2 of its name)" where there are several, and
// the pipeline it is from.
static void name_node(const lg_plan *plan, int index, char *out, size_t size)
{
    const lg_graph_node *n = lg_plan_own_node(plan, index);
    int count = 0, place = 0;
    for (int i = 0; i < plan->graph->count; i++)
        if (lg_plan_own_node(plan, i)->filter == n->filter) {
            count++;
            place += i <= index;
        }
    size_t used = (size_t)snprintf(out, size, "%s", n->filter->name);
    if (n->within && used < size)
        used += (size_t)snprintf(out + used, size - used, " in %s", n->within->name);
    if (count > 1 && used < size)
        snprintf(out + used, size - used, " (the %d. of %d)", place, count);
}

// The input whose samples flow through a node.
static const lg_graph_node *input_of(const lg_graph *g, int index)
{
    const lg_graph_node *n = &g->nodes[index];
    while (n->filter || n->delayed)
        n = &g->nodes[n->delayed ? n->first : n->from[0]];
    return n;
}

static bool is_integer(lg_type type)
{
    return type == LG_U8 || type == LG_U16;
}

static bool writes_integers(const lg_plan *plan, const lg_type *types)
{
    const lg_graph *g = plan->graph;
    bool all = true;
    for (int k = 0; k < plan->given_outputs; k++)
        all &= is_integer(types ? types[k] : plan->nodes[g->outputs[k]].shape.type);
    return all;
}

// What may have been meant: the colour in bytes, or the level in steps of the samples.
static void guess(const lg_filter_param *p, const float *v, float max, char *out, size_t size)
{
    bool bytes = p->kind == LG_PARAM_COLOR;
    for (int k = 0; k < 3 && bytes; k++)
        bytes = v[k] >= 0 && v[k] <= 255;
    out[0] = '\0';
    if (bytes)
        snprintf(out, size, "; is #%02x%02x%02x meant?", (unsigned)(v[0] + 0.5f),
                 (unsigned)(v[1] + 0.5f), (unsigned)(v[2] + 0.5f));
    else if (p->kind != LG_PARAM_COLOR && v[0] > 1 && v[0] <= max)
        snprintf(out, size, "; is %.6g meant, %.9g of %g?", (double)(v[0] / max), (double)v[0],
                 (double)max);
}

static void write_values(const lg_filter_param *p, const float *v, char *out, size_t size)
{
    size_t used = 0;
    const int count = p->kind == LG_PARAM_COLOR && v[3] == 1 ? 3 : p->size;
    char number[LG_FLOAT_TEXT];
    for (int k = 0; k < count && used < size; k++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", k ? "," : "",
                                 lg_float_text(v[k], number));
}

static lg_status check_unit(const lg_plan *plan, int index, const lg_filter_param *p,
                            const float *v, lg_error *error)
{
    const lg_graph *g = plan->graph;
    const lg_graph_node *n = lg_plan_own_node(plan, index), *input = input_of(g, index);
    const lg_type type = plan->nodes[input - g->nodes].shape.type;
    const bool behind = n->filter->kind != LG_FILTER_GENERATE && g->nodes[n->from[0]].filter;
    const float min = behind ? LEAST_BEHIND : 0, max = behind ? MOST_BEHIND : 1;
    bool inside = true;
    for (int k = 0; k < p->size; k++)
        inside &= v[k] >= min && v[k] <= max;
    if (inside || !is_integer(type))
        return LG_OK;
    char name[200], values[100], meant[100];
    name_node(plan, index, name, sizeof name);
    write_values(p, v, values, sizeof values);
    guess(p, v, type == LG_U8 ? 255 : 65535, meant, sizeof meant);
    return lg_fail(error, LG_ERROR_ARGUMENT,
                   "%s: %s=%s: %s in 0..1 where images are of integers%s%s", name, p->name, values,
                   p->kind == LG_PARAM_COLOR ? "components of colours are" : "levels are",
                   behind ? " (-16 to 16 behind other filters, which may leave it)" : "", meant);
}

static lg_status check_node(const lg_plan *plan, int index, bool integers, lg_error *error)
{
    const lg_graph_node *n = lg_plan_own_node(plan, index);
    bool measured[LG_MAX_VALUES];
    lg_graph_find_measured(n, measured);
    lg_status status = LG_OK;
    for (int i = 0; i < n->filter->param_count && !status; i++) {
        const lg_filter_param *p = &n->filter->params[i];
        const int at = lg_filter_offset(n->filter, i);
        if (integers && p->size && strcmp(p->unit, LG_PIXEL_UNIT) == 0 && !measured[at])
            status = check_unit(plan, index, p, n->values + at, error);
    }
    return status ? status : lg_graph_check_rules(n, error);
}

lg_status lg_plan_check_values(const lg_plan *plan, const lg_type *types, lg_error *error)
{
    const lg_graph *g = plan->graph;
    const bool integers = writes_integers(plan, types);
    lg_status status = LG_OK;
    for (int i = 0; i < g->count && !status; i++)
        if (g->nodes[i].filter && lg_plan_is_used(plan, i))
            status = check_node(plan, i, integers, error);
    return status;
}

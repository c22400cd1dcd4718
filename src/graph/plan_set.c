// Parameters of a compiled plan that get other values.
#include "graph/plan_compose.h"
#include "graph/plan_fit.h"
#include "graph/plan_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// What a change may touch, to be put back where it is refused.
typedef struct state {
    lg_graph_node node; // texts and names stay
    lg_plan_node plan;
} state;

static const lg_filter_entry *entry_of(const lg_graph_node *n)
{
    return (const lg_filter_entry *)n->filter;
}

static lg_status need_new_plan(const lg_graph_node *n, const char *param, const char *why,
                               lg_error *error)
{
    return lg_fail(error, LG_ERROR_UNSUPPORTED, "%s: %s: %s; it takes a new plan", n->filter->name,
                   param, why);
}

static lg_status check_param(const lg_plan *plan, int node, const lg_filter_param *p,
                             const char *value, lg_error *error)
{
    const lg_graph_node *n = lg_plan_own_node(plan, node);
    const int at = lg_filter_offset(n->filter, (int)(p - n->filter->params));
    if (p->kind == LG_PARAM_BOX)
        return need_new_plan(n, p->name, "a rectangle decides the size of the result", error);
    if (p->kind == LG_PARAM_TEXT || p->kind == LG_PARAM_TABLE || p->kind == LG_PARAM_IMAGE)
        return need_new_plan(n, p->name, "texts and tables belong to what is compiled", error);
    if (*value == '@')
        return need_new_plan(n, p->name, "what is measured belongs to what is compiled", error);
    if (strcmp(p->name, "fit") == 0 && lg_plan_is_fitted(plan, node))
        return need_new_plan(n, p->name, "its images differ in size", error);
    if (lg_plan_is_repeated(plan, node, p))
        return need_new_plan(n, p->name, "each pass is a filter of its own", error);
    if (lg_plan_fixes_layout(plan, node, p, value))
        return need_new_plan(n, p->name, "another table is a filter of its own", error);
    for (int i = 0; i < n->figure_count; i++)
        if (n->figures[i].at == at)
            return need_new_plan(n, p->name, "it is measured in this plan", error);
    return LG_OK;
}

static bool same_shape(const lg_image_params *a, const lg_image_params *b)
{
    return a->width == b->width && a->height == b->height && a->layers == b->layers &&
           a->channels == b->channels && a->type == b->type && a->alpha == b->alpha;
}

// Values that a filter rounds for its shape are rounded here as well.
static lg_status take_values(lg_plan *plan, int node, const lg_filter_param *p, lg_error *error)
{
    const lg_graph_node *n = &plan->graph->nodes[node];
    lg_plan_node *to = &plan->nodes[node];
    const int at = lg_filter_offset(n->filter, (int)(p - n->filter->params));
    memcpy(to->values + at, n->values + at, (size_t)p->size * sizeof *n->values);
    if (!entry_of(n)->shape)
        return LG_OK;
    memcpy(to->values, n->values, sizeof to->values);
    const lg_image_params before = to->shape;
    const lg_status status = lg_plan_find_shape(plan, node, NULL, error);
    if (!status && !same_shape(&before, &to->shape))
        return need_new_plan(n, p->name, "this changes the shape of the result", error);
    to->shape = before;
    return status;
}

static lg_status check_values(const lg_plan *plan, lg_error *error)
{
    lg_type types[LG_MAX_INPUTS];
    for (int i = 0; i < plan->graph->output_count; i++)
        types[i] = plan->slots[plan->output_slots[i]].shape.type;
    return lg_plan_check_values(plan, types, error);
}

// The old table stays in memory until the change is known to hold.
static lg_status take_table(lg_plan *plan, int node, const lg_filter_param *p, lg_error *error)
{
    const lg_graph_node *n = &plan->graph->nodes[node];
    lg_plan_node *to = &plan->nodes[node];
    if (!entry_of(n)->table)
        return LG_OK;
    const int count = to->tables[0].count;
    to->table_memory = NULL;
    const lg_status status = lg_plan_make_table(plan, node, error);
    if (!status && to->tables[0].count != count)
        return need_new_plan(n, p->name, "this changes the size of its table", error);
    return status;
}

// A run has one kernel whatever the values of its filters are, and no table.
static lg_status apply_to_run(lg_plan *plan, int node, lg_error *error)
{
    const lg_status status = check_values(plan, error);
    if (!status)
        lg_plan_recompose(plan, node);
    return status;
}

static lg_status apply(lg_plan *plan, int node, const lg_filter_param *p, lg_error *error)
{
    if (plan->nodes[node].run >= 0)
        return apply_to_run(plan, node, error);
    lg_status status = take_values(plan, node, p, error);
    if (!status)
        status = check_values(plan, error);
    if (!status)
        status = take_table(plan, node, p, error);
    lg_plan_complete_figures(plan);
    const lg_filter *f = plan->graph->nodes[node].filter;
    const bool in_text = p->kind == LG_PARAM_CHOICE || p->kind == LG_PARAM_FLAG ||
                         p == lg_filter_step_param(f, 0) || p == lg_filter_step_param(f, 1);
    if (!status && plan->device) // choices, flags and steps are part of a kernel's text
        status = plan->device->update(plan, node, in_text, error);
    return status;
}

static lg_status set(lg_plan *plan, int node, const lg_filter_param *p, const char *value,
                     lg_error *error)
{
    lg_graph_node *n = lg_plan_own_node(plan, node);
    lg_plan_node *to = &plan->nodes[node];
    lg_status status = check_param(plan, node, p, value, error);
    if (status)
        return status;
    const state before = {*n, *to};
    status = lg_graph_parse_value(plan->graph, n, (int)(p - n->filter->params), value, error);
    if (!status && lg_graph_meant(plan->graph, n))
        status = need_new_plan(n, p->name, "this is a filter of its own", error);
    if (!status && lg_plan_is_used(plan, node)) // others do nothing in this plan
        status = apply(plan, node, p, error);
    float *gone = status ? to->table_memory : before.plan.table_memory;
    if (status ? gone != before.plan.table_memory : gone != to->table_memory)
        lg_free(gone);
    if (status) {
        *n = before.node;
        *to = before.plan;
        lg_plan_complete_figures(plan);
    }
    return status;
}

// The node's place in the plan, and its parameter.
static lg_status find(const lg_plan *plan, lg_node node, const char *param, int *place,
                      const lg_filter_param **out, lg_error *error)
{
    if (!plan || !param)
        return lg_fail_null(error, "a plan, and a parameter");
    const lg_status status = lg_context_check(plan->context, error);
    if (status)
        return status;
    *place = lg_plan_place(plan, node);
    if (*place < 0 || !plan->graph->nodes[*place].filter)
        return lg_fail(error, LG_ERROR_ARGUMENT, "node %d is no filter of this plan", (int)node);
    return lg_filter_find_param(lg_plan_own_node(plan, *place)->filter, param, out, error);
}

lg_status lg_plan_set_text(lg_plan *plan, lg_node node, const char *param, const char *value,
                           lg_error *error)
{
    const lg_filter_param *p = NULL;
    int place = -1;
    if (!value)
        return lg_fail_null(error, "a value");
    const lg_status status = find(plan, node, param, &place, &p, error);
    return status ? status : set(plan, place, p, value, error);
}

// The word of a choice; false where there is none at this place.
static bool choice_at(const lg_filter_param *p, double place, char *out, size_t size)
{
    const char *word = p->choices;
    for (double i = 0; i < place && word; i++) {
        word = strchr(word, '|');
        word = word ? word + 1 : NULL;
    }
    if (!word || place < 0 || place != floor(place))
        return false;
    snprintf(out, size, "%.*s", (int)strcspn(word, "|"), word);
    return true;
}

lg_status lg_plan_set(lg_plan *plan, lg_node node, const char *param, double value, lg_error *error)
{
    const lg_filter_param *p = NULL;
    char text[64];
    int place = -1;
    const lg_status status = find(plan, node, param, &place, &p, error);
    if (status)
        return status;
    if (!isfinite(value))
        return lg_fail(error, LG_ERROR_ARGUMENT, "%s=%g: a number is wanted", param, value);
    snprintf(text, sizeof text, "%.17g", value);
    if (p->kind == LG_PARAM_CHOICE && !choice_at(p, value, text, sizeof text))
        return lg_fail(error, LG_ERROR_ARGUMENT, "%s=%g: there is no such choice among %s", param,
                       value, p->choices);
    return set(plan, place, p, text, error);
}

// Figures that the caller reads: asked for in a graph, computed by a run.
#include "graph/plan.h"

#include <string.h>

// ---- asking -------------------------------------------------------------------------------------

#define ANY_RANGE .min = -LG_ANY_NUMBER, .max = LG_ANY_NUMBER, .unit = ""

// Parameters that are set to figures as those of filters are: one number, a colour, a point.
static const lg_filter_param wanted[] = {
    {.name = "figure", .kind = LG_PARAM_NUMBER, .size = 1, ANY_RANGE},
    {.name = "figure", .kind = LG_PARAM_COLOR, .size = 4, ANY_RANGE},
    {.name = "figure", .kind = LG_PARAM_POINT, .size = 2, ANY_RANGE},
};

static lg_filter_entry entry_with(const lg_filter_param *param)
{
    return (lg_filter_entry){.filter = {.name = "figures", .params = param, .param_count = 1}};
}

// Without #NODE. in front.
static const char *behind_node(const char *text)
{
    const char *dot = *text == '#' ? strchr(text, '.') : NULL;
    return dot ? dot + 1 : text;
}

static const lg_filter_param *wanted_by(const char *text)
{
    const char *figure = behind_node(text);
    const size_t length = strcspn(figure, "*+-");
    lg_figure found;
    if (strncmp(figure, "rgb.", 4) == 0)
        return &wanted[1];
    const bool point =
        lg_figure_find(figure, length, &found) && lg_figure_rows[found.kind].info.numbers == 2;
    return &wanted[point ? 2 : 0];
}

static lg_status parse_figure(lg_graph *graph, const char *text, lg_figure *out, lg_error *error)
{
    char value[128];
    if (strlen(text) > sizeof value - 2)
        return lg_fail(error, LG_ERROR_ARGUMENT, "'%.40s...' is too long for a figure", text);
    value[0] = '@';
    memcpy(value + 1, text, strlen(text) + 1);
    const lg_filter_entry entry = entry_with(wanted_by(text));
    lg_graph_node node = {.filter = &entry.filter, .from = {-1, -1}};
    const lg_status status = lg_graph_parse_value(graph, &node, 0, value, error);
    *out = node.figures[0];
    if (!status && out->previous)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "'%s': lg_plan_figures reads figures of the last run; leave out prev", text);
    return status;
}

static lg_status check_name(const lg_graph *graph, const char *name, bool given, lg_error *error)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
    const size_t length = strlen(name);
    if (length >= sizeof graph->figures[0].name || (given && length > 60) || !length ||
        (given && strspn(name, letters) != length))
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "'%.60s' is no name of a figure: 1 to 60 letters, digits, _, - and dots",
                       name);
    for (int i = 0; i < graph->figure_count; i++)
        if (strcmp(graph->figures[i].name, name) == 0)
            return lg_fail(error, LG_ERROR_ARGUMENT, "two figures are called '%s'", name);
    return LG_OK;
}

lg_status lg_graph_figure(lg_graph *graph, lg_node node, const char *figure, const char *name,
                          lg_error *error)
{
    if (!graph || !figure)
        return lg_fail_null(error, "a graph, and a figure");
    if (node < 0 || node >= graph->count)
        return lg_fail(error, LG_ERROR_ARGUMENT, "node %d is not in this graph", (int)node);
    if (graph->figure_count == LG_MAX_GRAPH_FIGURES)
        return lg_fail(error, LG_ERROR_LIMIT, "a graph has at most %d figures for the caller",
                       LG_MAX_GRAPH_FIGURES);
    const char *text = figure + (*figure == '@');
    lg_free_figure added;
    lg_status status = parse_figure(graph, text, &added.figure, error);
    if (!status)
        status = check_name(graph, name ? name : text, name != NULL, error);
    if (status)
        return status;
    if (added.figure.node < 0)
        added.figure.node = node;
    strcpy(added.name, name ? name : text);
    graph->figures[graph->figure_count++] = added;
    return LG_OK;
}

// ---- reading ------------------------------------------------------------------------------------

// The parameter whose first number is `at`.
static const lg_filter_param *param_at(const lg_filter *filter, int at)
{
    int i = 0;
    while (filter->params[i].size == 0 || lg_filter_offset(filter, i) != at)
        i++;
    return &filter->params[i];
}

static lg_figure_value value_of(lg_node node, const lg_figure *f, const float *numbers)
{
    lg_figure_value v = {.node = node, .count = f->count};
    memcpy(v.value, numbers, (size_t)f->count * sizeof *numbers);
    return v;
}

const lg_figure *lg_plan_next_taken(const lg_plan *plan, int *node, int *figure)
{
    for (; *node < plan->graph->count; (*node)++, *figure = -1) {
        const lg_graph_node *n = &plan->graph->nodes[*node];
        const bool listed = plan->nodes[*node].uses && plan->nodes[*node].caller >= 0;
        while (listed && ++*figure < n->figure_count)
            if (!lg_figure_is_curve(&n->figures[*figure]))
                return &n->figures[*figure];
    }
    return NULL;
}

size_t lg_plan_taken_figures(const lg_plan *plan, lg_figure_value *out, size_t capacity)
{
    const lg_figure *f;
    size_t count = 0;
    for (int i = 0, k = -1; (f = lg_plan_next_taken(plan, &i, &k)) != NULL; count++) {
        if (count >= capacity)
            continue;
        const lg_filter *filter = plan->graph->nodes[i].filter;
        out[count] = value_of(plan->nodes[i].caller, f, plan->nodes[i].values + f->at);
        out[count].filter = filter->name;
        out[count].name = param_at(filter, f->at)->name;
    }
    return count;
}

lg_status lg_plan_figures(lg_plan *plan, lg_figure_value *out, size_t capacity, size_t *count,
                          lg_error *error)
{
    if (!plan || !count || (capacity && !out))
        return lg_fail_null(error, "a plan, room for figures, and a place for their number");
    lg_status status = lg_context_check(plan->context, error);
    if (!status && !plan->figures_known)
        status = lg_fail(error, LG_ERROR_ARGUMENT,
                         "the plan has no figures: it has not run yet, or its last run failed");
    const size_t of_parameters = lg_plan_taken_figures(plan, NULL, 0);
    if (!status && of_parameters && capacity && plan->device)
        status = plan->device->fetch(plan, error);
    if (status)
        return status;
    lg_plan_taken_figures(plan, out, capacity);
    for (int i = 0; i < plan->graph->figure_count && of_parameters + (size_t)i < capacity; i++) {
        const lg_free_figure *f = &plan->graph->figures[i];
        lg_figure_value *to = &out[of_parameters + (size_t)i];
        *to = value_of(plan->nodes[f->figure.node].caller, &f->figure, plan->figures[i]);
        to->name = f->name;
    }
    *count = of_parameters + (size_t)plan->graph->figure_count;
    return LG_OK;
}

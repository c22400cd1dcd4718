#include "graph/plan_fit.h"
#include "graph/plan_table.h"

#include "filter/parameters.h"

#include <string.h>

#define MOST_ADDED 2 // to fit one image
#define PASSES     "blur_passes"

// ---- which filters ------------------------------------------------------------------------------

// The index of `fit`; -1: the filter reads no second image at its pixel.
static int fit_param(const lg_filter *f)
{
    for (int i = 0; f && f->inputs == 2 && i < f->param_count; i++)
        if (strcmp(f->params[i].name, "fit") == 0)
            return i;
    return -1;
}

static int passes_of(const lg_graph_node *n)
{
    for (int i = 0; n->filter && i < n->filter->param_count; i++)
        if (strcmp(n->filter->params[i].name, PASSES) == 0)
            return (int)n->values[lg_filter_offset(n->filter, i)];
    return 1;
}

int lg_plan_fit_room(const lg_graph *graph)
{
    int count = 0;
    for (int i = 0; i < graph->count; i++) {
        count += fit_param(graph->nodes[i].filter) >= 0 ? MOST_ADDED : 0;
        count += passes_of(&graph->nodes[i]) - 1;
    }
    return count;
}

int lg_plan_place(const lg_plan *plan, lg_node node)
{
    for (int i = 0; i < plan->graph->count && node >= 0; i++)
        if (plan->nodes[i].caller == node)
            return i;
    return -1;
}

bool lg_plan_is_fitted(const lg_plan *plan, int node)
{
    const lg_node over = plan->graph->nodes[node].from[1];
    return over >= 0 && plan->nodes[over].caller < 0;
}

// ---- adding them --------------------------------------------------------------------------------

static void move_one(lg_node *node, int at)
{
    *node += *node >= at;
}

// Makes room for a node at `at`.
static void move_up(lg_plan *plan, int at)
{
    lg_graph *g = plan->graph;
    const size_t behind = (size_t)(g->count - at);
    memmove(g->nodes + at + 1, g->nodes + at, behind * sizeof *g->nodes);
    memmove(plan->nodes + at + 1, plan->nodes + at, behind * sizeof *plan->nodes);
    g->count++;
    for (int i = at + 1; i < g->count; i++) {
        lg_graph_node *n = &g->nodes[i];
        for (int k = 0; k < 2; k++)
            move_one(&n->from[k], at);
        for (int k = 0; k < n->figure_count; k++)
            move_one(&n->figures[k].node, at);
    }
    for (int i = 0; i < g->count; i++) // the source of a delayed image may be behind it
        if (g->nodes[i].delayed && i != at) {
            move_one(&g->nodes[i].first, at);
            move_one(&g->nodes[i].source, at);
        }
    for (int i = 0; i < g->input_count; i++)
        move_one(&g->inputs[i], at);
    for (int i = 0; i < g->output_count; i++)
        move_one(&g->outputs[i], at);
    for (int i = 0; i < g->figure_count; i++)
        move_one(&g->figures[i].figure.node, at);
}

static void set(lg_graph_node *n, const char *name, float value)
{
    for (int i = 0; i < n->filter->param_count; i++)
        if (strcmp(n->filter->params[i].name, name) == 0)
            n->values[lg_filter_offset(n->filter, i)] = value;
}

// A filter of the catalogue with its defaults, for images of this size.
static lg_status open_node(lg_graph_node *n, const char *filter, lg_node from,
                           const lg_image_params *size, lg_error *error)
{
    *n = (lg_graph_node){.from = {from, -1}};
    const lg_status status = lg_filter_find(filter, &n->filter, error);
    for (int i = 0; !status && i < n->filter->param_count; i++) {
        const lg_filter_param *p = &n->filter->params[i];
        memcpy(n->values + lg_filter_offset(n->filter, i), p->value,
               (size_t)p->size * sizeof *p->value);
    }
    if (!status) {
        set(n, "width", (float)size->width);
        set(n, "height", (float)size->height);
    }
    return status;
}

// A node before `end` that was added earlier and does the same; -1: none.
static int same_node(const lg_plan *plan, const lg_graph_node *n, int end)
{
    for (int i = 0; i < end; i++) {
        const lg_graph_node *k = &plan->graph->nodes[i];
        if (plan->nodes[i].caller < 0 && k->filter == n->filter && k->from[0] == n->from[0] &&
            memcmp(k->values, n->values, sizeof k->values) == 0)
            return i;
    }
    return -1;
}

// Lets the second image of node *index go through `n`.
static lg_status add(lg_plan *plan, int *index, const lg_graph_node *n, lg_error *error)
{
    lg_graph *g = plan->graph;
    int at = same_node(plan, n, *index);
    lg_status status = LG_OK;
    if (at < 0) {
        at = *index;
        move_up(plan, at);
        ++*index;
        g->nodes[at] = *n;
        plan->nodes[at] = (lg_plan_node){.caller = -1};
        memcpy(plan->nodes[at].values, n->values, sizeof n->values);
        status = lg_plan_find_shape(plan, at, NULL, error);
    }
    g->nodes[*index].from[1] = at;
    return status;
}

// ---- by the parameter ---------------------------------------------------------------------------

static lg_status scale(lg_plan *plan, int *index, lg_fit fit, const lg_image_params *size,
                       lg_error *error)
{
    enum { RESIZE_INSIDE = 1, RESIZE_COVER = 2, RESIZE_BILINEAR = 1 }; // choices of resize
    lg_graph_node n;
    const lg_status status =
        open_node(&n, "resize", plan->graph->nodes[*index].from[1], size, error);
    if (status)
        return status;
    set(&n, "fit", fit == LG_FIT_COVER ? RESIZE_COVER : fit == LG_FIT_CONTAIN ? RESIZE_INSIDE : 0);
    set(&n, "method", RESIZE_BILINEAR);
    return add(plan, index, &n, error);
}

static lg_status frame(lg_plan *plan, int *index, bool tile, const lg_image_params *size,
                       lg_error *error)
{
    lg_graph_node n;
    const lg_status status =
        open_node(&n, "canvas", plan->graph->nodes[*index].from[1], size, error);
    if (status)
        return status;
    set(&n, "outside", tile);
    return add(plan, index, &n, error);
}

static bool same_sides(const lg_plan *plan, int index)
{
    const lg_graph_node *n = &plan->graph->nodes[index];
    const lg_image_params *a = &plan->nodes[n->from[0]].shape, *b = &plan->nodes[n->from[1]].shape;
    return a->width == b->width && a->height == b->height;
}

// Puts filters before node *index that give its second image the size of its first, by the filter's
// `fit`, and moves *index to the node's new place. The nodes before it have shapes. Nothing happens where
// the sizes are the same, or where the second image is a table.
static lg_status fit_second(lg_plan *plan, int *index, lg_error *error)
{
    const lg_graph_node *n = &plan->graph->nodes[*index];
    const int param = fit_param(n->filter);
    if (param < 0 || same_sides(plan, *index))
        return LG_OK;
    const lg_image_params size = plan->nodes[n->from[0]].shape;
    const lg_fit fit = (lg_fit)n->values[lg_filter_offset(n->filter, param)];
    lg_status status = LG_OK;
    if (fit != LG_FIT_NONE && fit != LG_FIT_TILE)
        status = scale(plan, index, fit, &size, error);
    if (!status && !same_sides(plan, *index))
        status = frame(plan, index, fit == LG_FIT_TILE, &size, error);
    return status;
}

// ---- passes -------------------------------------------------------------------------------------

// Figures of the first input are those of what the first pass reads.
static lg_graph_node pass_of(const lg_graph_node *n)
{
    lg_graph_node pass = *n;
    pass.name = NULL;
    pass.texts = NULL;
    return pass;
}

// Puts the first passes of a filter with `blur_passes` above 1 before node *index, which remains the last of
// them. Likewise.
static lg_status repeat_passes(lg_plan *plan, int *index, lg_error *error)
{
    lg_graph *g = plan->graph;
    lg_status status = LG_OK;
    const int passes = passes_of(&g->nodes[*index]);
    for (int k = 0; k < g->nodes[*index].figure_count && passes > 1; k++)
        if (g->nodes[*index].figures[k].node < 0)
            g->nodes[*index].figures[k].node = g->nodes[*index].from[0];
    for (int i = 1; i < passes && !status; i++) {
        const int at = *index;
        move_up(plan, at);
        ++*index;
        g->nodes[at] = pass_of(&g->nodes[*index]);
        plan->nodes[at] = (lg_plan_node){.caller = -1};
        memcpy(plan->nodes[at].values, g->nodes[at].values, sizeof plan->nodes[at].values);
        status = lg_plan_find_shape(plan, at, NULL, error);
        g->nodes[*index].from[0] = at;
    }
    return status;
}

bool lg_plan_is_repeated(const lg_plan *plan, int node, const lg_filter_param *param)
{
    return strcmp(param->name, PASSES) == 0 || passes_of(&plan->graph->nodes[node]) > 1;
}

// ---- all nodes ----------------------------------------------------------------------------------

lg_status lg_plan_find_shapes(lg_plan *plan, bool expanded, lg_error *error)
{
    lg_status status = LG_OK;
    for (int i = 0; i < plan->graph->count; i++)
        plan->nodes[i].caller = i;
    for (int i = 0; i < plan->graph->count && !status; i++) {
        if (!expanded)
            status = fit_second(plan, &i, error);
        if (!status && !expanded)
            status = repeat_passes(plan, &i, error);
        if (!status)
            status = lg_plan_choose_lookup(plan, i, error);
        memcpy(plan->nodes[i].values, plan->graph->nodes[i].values, sizeof plan->nodes[i].values);
        if (!status)
            status = lg_plan_find_shape(plan, i, plan->given, error);
    }
    return status;
}

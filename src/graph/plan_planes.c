#include "graph/plan_planes.h"

#include "core/plane_codes.h"

#include <stdio.h>
#include <string.h>

// ---- what is stored as planes -------------------------------------------------------------------

lg_status lg_plan_take_planes(lg_plan *plan, const lg_planes *const *outputs, lg_error *error)
{
    for (int i = 0; i < plan->given_inputs; i++)
        if (plan->given[i].planes) {
            plan->input_planes[i] = *plan->given[i].planes;
            plan->given[i].planes = &plan->input_planes[i];
            if (plan->layers)
                return lg_fail(error, LG_ERROR_ARGUMENT,
                               "input %d is stored as planes and has one layer; with delayed "
                               "images, inputs of several layers have samples of a pixel side by "
                               "side",
                               i);
        }
    for (int k = 0; k < plan->given_outputs && outputs; k++)
        if (outputs[k]) {
            plan->output_planes[k] = *outputs[k];
            plan->stored[k] = &plan->output_planes[k];
        }
    return LG_OK;
}

bool lg_plan_has_planes(const lg_plan *plan)
{
    bool any = false;
    for (int i = 0; i < LG_MAX_INPUTS; i++)
        any = any || (i < plan->given_inputs && plan->given[i].planes) || plan->stored[i];
    return any;
}

const lg_planes *lg_plan_stored(const lg_plan *plan, int node)
{
    const lg_graph_node *n = &plan->graph->nodes[node];
    return n->filter || n->delayed ? NULL : plan->given[n->input].planes;
}

// An image as planes, without strides.
static lg_image_params stored_shape(const lg_image_params *of, const lg_planes *planes)
{
    const bool grey = planes->chroma == LG_CHROMA_NONE;
    return (lg_image_params){.width = of->width,
                             .height = of->height,
                             .layers = of->layers,
                             .channels = grey ? 1 : 4,
                             .type = planes->bits == 8 ? LG_U8 : LG_U16,
                             .alpha = grey ? LG_ALPHA_NONE : LG_ALPHA_OPAQUE,
                             .planes = planes};
}

lg_image_params lg_plan_colors_of(const lg_plan *plan, int output)
{
    const lg_image_params *of = &plan->nodes[plan->graph->outputs[output]].shape;
    lg_image_params s = stored_shape(of, plan->stored[output]);
    s.planes = NULL;
    if (of->channels > 2 || s.channels == 4)
        s.channels = 4, s.alpha = LG_ALPHA_OPAQUE;
    return s;
}

static lg_status check_figure(const lg_plan *plan, int node, const lg_figure *f, lg_error *error)
{
    static const char *const names[] = {"y", "cb", "cr"};
    const lg_planes *planes = lg_plan_stored(plan, node);
    if (f->channel < LG_CHANNEL_Y)
        return LG_OK;
    if (!planes)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "%s is measured on an input that is stored as planes; the image of this "
                       "figure is not",
                       names[f->channel - LG_CHANNEL_Y]);
    if (f->channel > LG_CHANNEL_Y && planes->chroma == LG_CHROMA_NONE)
        return lg_fail(error, LG_ERROR_ARGUMENT, "the input has luma alone, so no figure of %s",
                       names[f->channel - LG_CHANNEL_Y]);
    return LG_OK;
}

lg_status lg_plan_check_planes(const lg_plan *plan, lg_error *error)
{
    const lg_graph *g = plan->graph;
    lg_status status = LG_OK;
    for (int k = 0; k < plan->given_outputs && !status; k++)
        if (plan->stored[k]) {
            const lg_image_params s =
                stored_shape(&plan->nodes[g->outputs[k]].shape, plan->stored[k]);
            status = lg_shape_check(&s, error);
        }
    for (int i = 0; i < g->figure_count && !status; i++)
        status = check_figure(plan, g->figures[i].figure.node, &g->figures[i].figure, error);
    for (int i = 0; i < g->count && !status; i++)
        for (int k = 0; k < g->nodes[i].figure_count && !status && plan->nodes[i].uses; k++) {
            const lg_figure *f = &g->nodes[i].figures[k];
            status = check_figure(plan, f->node >= 0 ? f->node : g->nodes[i].from[0], f, error);
        }
    return status;
}

// ---- slots --------------------------------------------------------------------------------------

// Adds slots of an input or output that is stored as planes; returns that of the whole.
static int add_planes(lg_plan *plan, lg_slot_kind kind, const lg_image_params *shape, int index)
{
    lg_plan_slot whole = {
        .kind = LG_PLAN_PLANES, .shape = *shape, .index = index, .last = -1, .plane = {-1, -1, -1}};
    whole.shape.row_stride = whole.shape.layer_stride = 0;
    for (int i = 0; i < lg_planes_count(shape->planes); i++)
        whole.plane[i] = lg_plan_add_slot(plan, (lg_plan_slot){.kind = kind,
                                                               .shape = lg_planes_shape(shape, i),
                                                               .index = index + i * LG_MAX_INPUTS,
                                                               .last = -1});
    return lg_plan_add_slot(plan, whole);
}

static bool measures_colors(const lg_figure *f, int of, int node)
{
    return of == node && f->channel < LG_CHANNEL_Y;
}

// Whether an input of planes is read as an image of colours, and not by chains of point filters alone.
static bool needs_colors(const lg_plan *plan, int node)
{
    const lg_graph *g = plan->graph;
    bool needs = false;
    for (int i = 0; i < g->figure_count; i++)
        needs = needs || measures_colors(&g->figures[i].figure, g->figures[i].figure.node, node);
    for (int i = 0; i < g->count; i++) {
        const lg_graph_node *n = &g->nodes[i];
        if (!n->filter || !plan->nodes[i].uses)
            continue;
        const bool chains =
            n->filter->kind == LG_FILTER_BLEND ||
            (n->filter->kind == LG_FILTER_POINT && n->filter->inputs < 2); // 2: reads a table
        needs = needs || n->from[1] == node || (n->from[0] == node && !chains);
        for (int k = 0; k < n->figure_count; k++) {
            const lg_figure *f = &n->figures[k];
            needs = needs || measures_colors(f, f->node >= 0 ? f->node : n->from[0], node);
        }
    }
    return needs;
}

// ---- stages --------------------------------------------------------------------------------------

void lg_plan_add_input(lg_plan *plan, int index, lg_plan_slot slot)
{
    lg_plan_node *p = &plan->nodes[index];
    const lg_planes *planes = lg_plan_stored(plan, index);
    if (!planes) {
        p->slot = lg_plan_add_slot(plan, slot);
        return;
    }
    slot.shape.planes = planes;
    p->slot = p->planes = add_planes(plan, LG_PLAN_INPUT, &slot.shape, slot.index);
    if (!p->uses || !needs_colors(plan, index))
        return;
    slot.shape.planes = NULL;
    slot.shape.row_stride = slot.shape.layer_stride = 0;
    const int colors =
        lg_plan_add_slot(plan, (lg_plan_slot){LG_PLAN_INNER, slot.shape, -1, -1, {0}});
    lg_plan_add_stage(plan, index, colors);
    p->slot = colors;
    snprintf(plan->stages[plan->stage_count - 1].name, sizeof plan->stages->name, "colors");
}

static void copy_plane(lg_plan *plan, int from, int to)
{
    lg_plan_stage *s = &plan->stages[plan->stage_count++];
    *s = (lg_plan_stage){.source = LG_FILTER_POINT,
                         .node = -1,
                         .in = {from, -1},
                         .out = to,
                         .encodes = -1,
                         .name = "copy of a plane"};
}

void lg_plan_add_output(lg_plan *plan, int output)
{
    const int node = plan->graph->outputs[output];
    lg_image_params colors = lg_plan_colors_of(plan, output), shape = colors;
    shape.planes = plan->stored[output];
    if (shape.planes->chroma == LG_CHROMA_NONE)
        shape.channels = 1, shape.alpha = LG_ALPHA_NONE;
    const int slot = add_planes(plan, LG_PLAN_OUTPUT, &shape, output);
    plan->output_slots[output] = slot;
    const int *to = plan->slots[slot].plane;
    if (lg_planes_same(lg_plan_stored(plan, node), shape.planes)) {
        const int *from = plan->slots[plan->nodes[node].planes].plane;
        for (int i = 0; i < lg_planes_count(shape.planes); i++)
            copy_plane(plan, from[i], to[i]);
        return;
    }
    int made = plan->nodes[node].slot;
    if (plan->slots[made].kind != LG_PLAN_INNER ||
        memcmp(&plan->slots[made].shape, &colors, sizeof colors) != 0) {
        made = lg_plan_add_slot(plan, (lg_plan_slot){LG_PLAN_INNER, colors, -1, -1, {0}});
        lg_plan_add_stage(plan, node, made);
    }
    lg_plan_stage *s = &plan->stages[plan->stage_count++];
    *s = (lg_plan_stage){.source = LG_FILTER_POINT,
                         .node = -1,
                         .in = {made, -1},
                         .out = to[0],
                         .encodes = slot,
                         .name = "planes"};
}

// ---- runs ---------------------------------------------------------------------------------------

void lg_plan_spread(lg_image *const *images, int count, lg_image **out)
{
    memset(out, 0, LG_RUN_IMAGES * sizeof(lg_image *));
    for (int k = 0; k < count; k++) {
        const lg_image_private *priv = (const lg_image_private *)images[k];
        out[k] = images[k];
        for (int i = 0; i < LG_MAX_PLANES && priv->plane[i]; i++)
            out[k + i * LG_MAX_INPUTS] = &priv->plane[i]->image;
    }
}

#include "graph/plan_table.h"

#include <string.h>

extern const lg_filter_entry lg_filter_lookup, lg_filter_lookup_curve, lg_filter_lookup_hald;

enum { LAYOUT_AUTO, LAYOUT_TILES, LAYOUT_HALD };

#define TILES_SIDE 512
#define MOST_LEVEL 16 // of HALD: 256 entries along an axis

static float *layout_of(lg_graph_node *n)
{
    for (int i = 0; i < n->filter->param_count; i++)
        if (strcmp(n->filter->params[i].name, "picture_layout") == 0)
            return &n->values[lg_filter_offset(n->filter, i)];
    return NULL;
}

// The level of a HALD picture, which has as many pixels along a side as its third power; 0: it is none.
static int level_of(const lg_image_params *s)
{
    for (int level = 2; level <= MOST_LEVEL; level++)
        if (s->layers == 1 && s->width == level * level * level && s->height == s->width)
            return level;
    return 0;
}

static bool is_tiles(const lg_image_params *s)
{
    return s->layers == 1 && s->width == TILES_SIDE && s->height == TILES_SIDE;
}

static lg_status refuse(const char *layout, const char *wanted, const lg_image_params *s,
                        lg_error *error)
{
    return lg_fail(error, LG_ERROR_ARGUMENT,
                   "lookup: layout=%s wants %s; the table has %d x %d x %d", layout, wanted,
                   s->width, s->height, s->layers);
}

lg_status lg_plan_choose_lookup(const lg_plan *plan, int node, lg_error *error)
{
    lg_graph_node *n = &plan->graph->nodes[node];
    if (n->filter != &lg_filter_lookup.filter)
        return LG_OK;
    const lg_image_params *s = &plan->nodes[n->from[1]].shape;
    float *layout = layout_of(n);
    const int level = level_of(s);
    if (*layout == LAYOUT_TILES)
        return is_tiles(s) ? LG_OK : refuse("tiles", "512 x 512 pixels", s, error);
    if (*layout == LAYOUT_HALD && !level)
        return refuse("hald", "a square of 8, 27, 64, 125, ... 4096 pixels a side", s, error);
    if (level && (*layout == LAYOUT_HALD || !is_tiles(s))) {
        n->filter = &lg_filter_lookup_hald.filter;
        *layout = (float)level;
    } else if (s->width > 1 && s->height == 1 && s->layers == 1) {
        n->filter = &lg_filter_lookup_curve.filter;
    }
    return LG_OK;
}

bool lg_plan_fixes_layout(const lg_plan *plan, int node, const lg_filter_param *param,
                          const char *value)
{
    const lg_graph_node *n = &plan->graph->nodes[node];
    if (n->from[1] < 0 || strcmp(param->name, "picture_layout") != 0)
        return false;
    // Tiles are what auto takes them for.
    return n->filter != &lg_filter_lookup.filter || !is_tiles(&plan->nodes[n->from[1]].shape) ||
           strcmp(value, "hald") == 0;
}

void lg_plan_set_range(const lg_plan *plan, int node, lg_image *const *inputs, lg_table *table)
{
    const lg_graph_node *n = &plan->graph->nodes[node];
    table->low_r = table->low_g = table->low_b = 0;
    table->scale_r = table->scale_g = table->scale_b = 1;
    if (n->from[1] < 0)
        return;
    n = &plan->graph->nodes[n->from[1]];
    while (n->filter && n->filter->kind != LG_FILTER_GENERATE)
        n = &plan->graph->nodes[n->from[0]];
    if (n->filter)
        return;
    float least[3], most[3];
    lg_image_domain(inputs[n->input], least, most);
    table->low_r = least[0], table->low_g = least[1], table->low_b = least[2];
    table->scale_r = 1.0f / (most[0] - least[0]);
    table->scale_g = 1.0f / (most[1] - least[1]);
    table->scale_b = 1.0f / (most[2] - least[2]);
}

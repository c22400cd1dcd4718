// Where the pixels of an output lie among those of the first input.
#include "graph/plan.h"

#include <string.h>

#define UNKNOWN ((lg_pixel_steps){.turned = false})

static const float *values_of(const lg_graph_node *n, const char *param)
{
    for (int i = 0; i < n->filter->param_count; i++)
        if (strcmp(n->filter->params[i].name, param) == 0)
            return n->values + lg_filter_offset(n->filter, i);
    return NULL;
}

static bool is_unit(const float *matrix, int side)
{
    for (int i = 0; matrix && i < side * side; i++)
        if (matrix[i] != (i % (side + 1) == 0))
            return false;
    return true;
}

// Moves the image by whole or broken pixels, and no more.
static bool only_moves(const lg_graph_node *n)
{
    const float *given = values_of(n, "matrix");
    float matrix[9];
    memcpy(matrix, given, sizeof matrix);
    matrix[2] = matrix[5] = 0;
    return is_unit(matrix, 3) && is_unit(values_of(n, "matrix3d"), 4);
}

static lg_pixel_steps turn(lg_pixel_steps s)
{
    return (lg_pixel_steps){!s.turned, s.y, s.x};
}

static lg_pixel_steps steps_of(const lg_plan *plan, int node)
{
    const lg_graph_node *n = &plan->graph->nodes[node];
    if (n->delayed)
        return steps_of(plan, n->first);
    if (!n->filter)
        return n->input == 0 ? (lg_pixel_steps){false, 1, 1} : UNKNOWN;
    const lg_pixel_steps s = steps_of(plan, n->from[0]);
    const lg_image_params *in = &plan->nodes[n->from[0]].shape, *out = &plan->nodes[node].shape;
    const char *name = n->filter->name;
    if (strcmp(name, "transpose") == 0)
        return turn(s);
    if (strcmp(name, "rotate") == 0)
        return *values_of(n, "angle") == 1 ? s : turn(s); // 90, 180, 270
    if (strcmp(name, "transform") == 0 && !only_moves(n))
        return UNKNOWN;
    if (strcmp(name, "color_packing") == 0)
        return (lg_pixel_steps){s.turned, 2 * s.x, 2 * s.y};
    if (strcmp(name, "resize") == 0)
        return (lg_pixel_steps){s.turned, s.x * in->width / out->width,
                                s.y * in->height / out->height};
    return s;
}

lg_status lg_plan_pixels(const lg_plan *plan, size_t index, lg_pixel_steps *out, lg_error *error)
{
    lg_image_params shape;
    if (!out)
        return lg_fail_null(error, "a place for the steps");
    const lg_status status = lg_plan_output(plan, index, &shape, error);
    if (status == LG_OK)
        *out = steps_of(plan, plan->graph->outputs[index]);
    return status;
}

// Which pixels the figures of a plan see.
#include "core/scan.h"
#include "graph/plan.h"

#include <string.h>

static bool has_pixels(const lg_scan *scan, const lg_image *mask)
{
    bool found = !mask;
    for (int32_t z = 0; mask && z < mask->shape.layers && !found; z++)
        for (int64_t y = 0; y < scan->height && !found; y++) {
            const uint8_t *row = (const uint8_t *)mask->data +
                                 (size_t)z * mask->shape.layer_stride +
                                 (size_t)(scan->y + y) * mask->shape.row_stride + scan->x;
            for (int64_t x = 0; x < scan->width && !found; x++)
                found = row[x] != 0;
        }
    return found;
}

// A figure of an image of another size would see pixels at other places.
static lg_status check_sizes(const lg_plan *plan, lg_error *error)
{
    const lg_image_params *first = &plan->nodes[plan->graph->inputs[0]].shape;
    lg_plan_tasks tasks;
    lg_status status =
        lg_plan_list_figures(plan, 0, plan->stage_count + 1, NULL, NULL, &tasks, error);
    for (int i = 0; i < tasks.count && !status; i++) {
        const lg_figure_task *t = &tasks.at[i];
        const lg_image_params *s = &plan->slots[t->slot].shape;
        if (s->width == first->width && s->height == first->height && s->layers == first->layers)
            continue;
        const lg_filter *f = t->node >= 0 ? plan->graph->nodes[t->node].filter : NULL;
        status = lg_fail(error, LG_ERROR_ARGUMENT,
                         "a region or a mask selects pixels of the input, %d x %d x %d; the figure "
                         "%s%s is of an image of %d x %d x %d",
                         first->width, first->height, first->layers, f ? "of " : "",
                         f ? f->name : plan->graph->figures[t->index].name, s->width, s->height,
                         s->layers);
    }
    lg_free(tasks.at);
    return status;
}

lg_status lg_plan_select(lg_plan *plan, const lg_region *region, const lg_image *mask,
                         lg_error *error)
{
    if (!plan)
        return lg_fail_null(error, "a plan");
    if (lg_plan_remembers(plan))
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "the plan has run already, and takes figures of the previous run; select "
                       "pixels before its first run");
    lg_select select = lg_select_default();
    lg_scan scan;
    const lg_image input = {.shape = plan->nodes[plan->graph->inputs[0]].shape};
    select.region = region;
    select.mask = mask;
    lg_status status = lg_context_check(plan->context, error);
    if (!status)
        status = lg_scan_init(&scan, &input, &select, error);
    if (!status && !has_pixels(&scan, mask))
        status = lg_fail(error, LG_ERROR_DATA, "the mask selects no pixel");
    if (!status)
        status = check_sizes(plan, error);
    if (status)
        return status;
    plan->region = region ? *region : lg_image_region(&input.shape);
    plan->select = select;
    plan->select.region = &plan->region;
    plan->selects = true;
    return LG_OK;
}

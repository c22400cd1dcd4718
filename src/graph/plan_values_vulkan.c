// Values of nodes that change between runs on a Vulkan device, and those that a run found.
#include "graph/plan_vulkan.h"
#include "graph/stage_byte_sums_vulkan.h"
#include "graph/stage_whole_vulkan.h"

#include <string.h>

// ---- other values -------------------------------------------------------------------------------

static int stage_of(const lg_plan *plan, int node)
{
    for (int i = 0; i < plan->stage_count; i++) {
        int nodes[LG_CHAIN_LENGTH + 1];
        const int count = lg_stage_nodes(&plan->stages[i], nodes);
        for (int k = 0; k < count; k++)
            if (nodes[k] == node)
                return i;
    }
    return -1;
}

lg_status lg_plan_update_vulkan(lg_plan *plan, int node, bool compiled, lg_error *error)
{
    const int index = stage_of(plan, node);
    if (index < 0)
        return LG_OK;
    const lg_plan_stage *s = &plan->stages[index];
    lg_stage_kernel kernel = plan->vulkan->kernels[index];
    lg_status status = lg_plan_check_stage(plan, s, error);
    compiled |=
        kernel.whole != lg_stage_is_whole(plan, s) || kernel.summed != lg_stage_summed(plan, s);
    if (!status && compiled && s->source != LG_FILTER_NATIVE)
        status = lg_stage_compile(plan, s, &kernel, error);
    if (!status && plan->nodes[node].table_memory)
        status = lg_plan_upload_table(plan, node, error);
    if (!status)
        plan->vulkan->kernels[index] = kernel;
    return status;
}

// ---- figures ------------------------------------------------------------------------------------

// The numbers that the kernels of a stage had.
static void fetch_stage(lg_plan *plan, int stage, const char *numbers)
{
    int nodes[LG_CHAIN_LENGTH + 1];
    const int count = lg_stage_nodes(&plan->stages[stage], nodes);
    const float *at = (const float *)(const void *)(numbers + plan->vulkan->kernels[stage].numbers);
    at += LG_STAGE_HEADER;
    for (int i = 0; i < count; i++) {
        const lg_graph_node *n = &plan->graph->nodes[nodes[i]];
        for (int k = 0; k < n->figure_count; k++)
            if (n->figures[k].at >= 0)
                memcpy(plan->nodes[nodes[i]].values + n->figures[k].at, at + n->figures[k].at,
                       (size_t)n->figures[k].count * sizeof *at);
        at += lg_node_words(n->filter);
    }
}

void lg_plan_take_figures(lg_plan *plan, const char *numbers)
{
    for (int i = 0; i < plan->stage_count; i++)
        fetch_stage(plan, i, numbers);
}

lg_status lg_plan_fetch_vulkan(lg_plan *plan, lg_error *error)
{
    const lg_vulkan_plan *v = plan->vulkan;
    const lg_vk_buffer *from = v->last ? v->last : v->turn.numbers;
    char *numbers = lg_alloc(from->size);
    if (!numbers)
        return lg_fail_memory(error, from->size, "the figures of a plan");
    const lg_status status = lg_vk_download(plan->context->attached, numbers, from->size, from, 0,
                                            from->size, from->size, 1, error);
    if (!status)
        lg_plan_take_figures(plan, numbers);
    lg_free(numbers);
    return status;
}

// What a plan keeps on a Vulkan device from run to run: kernels, numbers, tables, room for figures.
#include "graph/figure_vulkan.h"
#include "graph/plan_vulkan.h"

const lg_native *lg_plan_native(const lg_plan *plan, const lg_plan_stage *s)
{
    return ((const lg_filter_entry *)plan->graph->nodes[s->node].filter)->native;
}

lg_status lg_plan_check_stage(const lg_plan *plan, const lg_plan_stage *s, lg_error *error)
{
    if (s->source != LG_FILTER_NATIVE)
        return LG_OK;
    const lg_native *native = lg_plan_native(plan, s);
    const lg_filter *filter = plan->graph->nodes[s->node].filter;
    const char *why = NULL;
    if (!native->vulkan)
        return lg_fail(error, LG_ERROR_UNSUPPORTED, "%s has no device kernel", filter->name);
    if (native->fits && !native->fits(plan->context, filter, plan->nodes[s->node].values,
                                      &plan->slots[s->in[0]].shape, &why))
        return lg_fail(error, LG_ERROR_UNSUPPORTED, "the device cannot do %s because of %s",
                       filter->name, why);
    return LG_OK;
}

static lg_status check_stages(const lg_plan *plan, lg_error *error)
{
    lg_status status = LG_OK;
    for (int i = 0; i < plan->stage_count && !status; i++)
        status = lg_plan_check_stage(plan, &plan->stages[i], error);
    return status;
}

// Numbers of a node's table; of one that is kept for the next run twice.
size_t lg_plan_table_room(const lg_plan *plan, int node)
{
    const lg_graph_node *n = &plan->graph->nodes[node];
    size_t count = (size_t)plan->nodes[node].tables[0].count;
    for (int i = 0; i < n->figure_count; i++)
        count *= lg_figure_is_curve(&n->figures[i]) && n->figures[i].previous ? 2 : 1;
    return lg_align_up(count, 4);
}

// Where it is among the tables, bytes.
size_t lg_plan_table_offset(const lg_plan *plan, int node)
{
    size_t floats = 0;
    for (int i = 0; i < node; i++)
        floats += lg_plan_table_room(plan, i);
    return floats * sizeof(float);
}

lg_status lg_plan_upload_table(const lg_plan *plan, int node, lg_error *error)
{
    const lg_table *t = &plan->nodes[node].tables[0];
    const size_t bytes = (size_t)t->count * sizeof(float);
    return lg_vk_upload(plan->context->vk, plan->vulkan->tables, lg_plan_table_offset(plan, node),
                        bytes, t->at, bytes, bytes, 1, error);
}

size_t lg_plan_numbers(const lg_plan *plan, const lg_plan_stage *s)
{
    int nodes[LG_CHAIN_LENGTH + 1];
    const int count = lg_stage_nodes(s, nodes);
    size_t words = LG_STAGE_HEADER;
    for (int i = 0; i < count; i++)
        words += (size_t)lg_node_words(plan->graph->nodes[nodes[i]].filter);
    return lg_align_up(words * sizeof(float), 64);
}

static lg_status upload_tables(lg_plan *plan, lg_error *error)
{
    lg_vulkan_plan *v = plan->vulkan;
    const size_t bytes = lg_plan_table_offset(plan, plan->graph->count);
    if (!bytes)
        return LG_OK;
    lg_status status =
        lg_vk_buffer_create(plan->context->vk, bytes, LG_VK_DEVICE, &v->tables, error);
    for (int i = 0; i < plan->graph->count && !status; i++)
        if (plan->nodes[i].table_memory)
            status = lg_plan_upload_table(plan, i, error);
    return status;
}

int lg_plan_figures_before(const lg_plan *plan, int node)
{
    int figures = 0;
    for (int i = 0; i < node; i++)
        figures += plan->graph->nodes[i].figure_count;
    return figures;
}

// Room for the figures, and for what counting needs.
static lg_status prepare_figures(lg_plan *plan, lg_error *error)
{
    const int figures = lg_plan_figures_before(plan, plan->graph->count);
    lg_status status = LG_OK;
    if (figures)
        status = lg_vk_buffer_create(plan->context->vk, (size_t)figures * 16, LG_VK_DEVICE,
                                     &plan->vulkan->previous, error);
    for (int i = 0; i < plan->graph->count && figures && !status; i++)
        status = lg_figure_reserve(plan->context, &plan->nodes[i].shape, error);
    return status;
}

// ---- turns ----------------------------------------------------------------------------------------

lg_status lg_plan_turn_create(const lg_plan *plan, lg_plan_turn *turn, lg_error *error)
{
    lg_vk *vk = plan->context->vk;
    // A plan that measures its inputs alone has no stage, but buffers have a size.
    const size_t bytes = LG_MAX(plan->vulkan->numbers, (size_t)64);
    const size_t stages = (size_t)LG_MAX(plan->stage_count, 1);
    lg_status status = lg_vk_buffer_create(vk, bytes, LG_VK_DEVICE, &turn->numbers, error);
    if (!status)
        status = lg_vk_buffer_create(vk, bytes, LG_VK_UPLOAD, &turn->host, error);
    if (!status)
        status = lg_vk_buffer_create(vk, (2 * stages + 1) * sizeof(uint32_t), LG_VK_READBACK,
                                     &turn->refused, error);
    if (!status)
        status = lg_vk_commands_create(vk, (uint32_t)plan->stage_count + 1, &turn->commands, error);
    return status;
}

void lg_plan_turn_destroy(lg_vk *vk, lg_plan_turn *turn)
{
    lg_vk_commands_destroy(vk, &turn->commands); // waits for them
    lg_vk_buffer_destroy(vk, &turn->numbers);
    lg_vk_buffer_destroy(vk, &turn->host);
    lg_vk_buffer_destroy(vk, &turn->refused);
    lg_free(turn->sent);
    lg_free(turn->recorded.key);
    *turn = (lg_plan_turn){0};
}

// ---- plans ----------------------------------------------------------------------------------------

static void release(lg_plan *plan)
{
    lg_vulkan_plan *v = plan->vulkan;
    lg_vk *vk = plan->context->attached;
    lg_plan_drop_submitted(plan);
    lg_plan_turn_destroy(vk, &v->turn);
    for (int i = 0; v->kernels && i < plan->stage_count; i++) {
        for (int k = 0; k < LG_MAX_SCRATCH; k++)
            lg_vk_buffer_destroy(vk, &v->kernels[i].scratch[k]);
        lg_kept_kernels_free(v->kernels[i].kept);
    }
    lg_vk_buffer_destroy(vk, &v->tables);
    lg_vk_buffer_destroy(vk, &v->previous);
    lg_free(v->kernels);
    lg_free(v);
    plan->vulkan = NULL;
}

static const lg_plan_device device = {
    lg_plan_run_vulkan, lg_plan_update_vulkan, lg_plan_fetch_vulkan,  release,
    lg_plan_why_host,   lg_stream_why_alone,   lg_plan_submit_vulkan, lg_plan_wait_vulkan};

lg_status lg_plan_prepare_vulkan(lg_plan *plan, lg_error *error)
{
    lg_vk *vk = plan->context->vk;
    lg_status status = check_stages(plan, error);
    if (status)
        return status;
    lg_vulkan_plan *v = plan->vulkan = lg_alloc(sizeof *v);
    if (!v)
        return lg_fail_memory(error, sizeof *v, "a plan");
    plan->device = &device;
    v->kernels = lg_alloc_array((size_t)plan->stage_count, sizeof *v->kernels);
    if (!v->kernels)
        status = lg_fail_memory(error, (size_t)plan->stage_count * sizeof *v->kernels, "a plan");
    size_t bytes = 0;
    lg_vk_collect(vk, NULL);
    for (int i = 0; i < plan->stage_count && !status; i++) {
        if (plan->stages[i].source != LG_FILTER_NATIVE)
            status = lg_stage_compile(plan, &plan->stages[i], &v->kernels[i], error);
        v->kernels[i].numbers = bytes;
        bytes += lg_plan_numbers(plan, &plan->stages[i]);
    }
    status = lg_vk_make_collected(vk, status, error);
    v->numbers = bytes;
    if (!status)
        status = lg_plan_turn_create(plan, &v->turn, error);
    if (!status)
        status = upload_tables(plan, error);
    if (!status)
        status = prepare_figures(plan, error);
    if (status)
        lg_plan_release(plan);
    return status;
}

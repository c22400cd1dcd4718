// Percentiles and Otsu's levels of samples that are no bytes, on the device: they are counted, floats
// by rules that follow from their range there, and a kernel finds the samples of the ranks, or the level.
#include "graph/figure_ranks.h"
#include "graph/figure_vulkan.h"
#include "measure/histogram/histogram_push.h"

#include <string.h>

extern const lg_spirv lg_spirv_figure_range, lg_spirv_figure_rules, lg_spirv_figure_ranks,
    lg_spirv_figure_ranks_halves, lg_spirv_figure_ranks_bins;

#define RANKS_GROUP 256
#define RULES_GROUP 32
#define MOST_LAYERS                                                                                \
    16 // a lane adds up the counters of 256 values of all layers, several times: LG_SOFT_TURNS
#define RULES_OFFSET 256

bool lg_figure_ranks_fit(const lg_context *context, const lg_image_params *shape,
                         const lg_figure *figure)
{
    return lg_figure_has_sums(shape) && shape->layers <= MOST_LAYERS &&
           shape->width <= INT32_MAX / 64 &&
           lg_vk_get_limits(context->vk)->max_workgroup_size >= RANKS_GROUP &&
           (!lg_figure_is_of_luma(shape, figure) || shape->type == LG_U16 ||
            lg_figure_luma_fits(context, shape));
}

unsigned lg_figure_class(const lg_figure *figure)
{
    return figure->kind < LG_FIRST_OF_RANKS     ? LG_CLASS_SUMS
           : figure->kind < LG_FIRST_OF_CLASSES ? LG_CLASS_RANKS
                                                : LG_CLASS_LEVELS;
}

static lg_status find_kernels(const lg_figure_recording *r, const lg_spirv *module,
                              uint32_t counters, lg_figure_found *out)
{
    const bool flushes = !lg_vk_get_limits(r->context->vk)->denorm_preserve;
    lg_status status = LG_OK;
    for (uint32_t i = 0; i < LG_COUNT(out->of_class) && !status; i++) {
        const uint32_t constants[] = {RANKS_GROUP, counters, flushes, i};
        if (out->classes >> i & 1)
            status = lg_vk_pipeline_get(r->context->vk, module, constants, LG_COUNT(constants), 0,
                                        &out->of_class[i], r->error);
    }
    return status;
}

// What a kernel finds of counts; `channels` of them, the last one at `table`.
static lg_figure_push push_of(const lg_image_params *shape, const lg_histogram_task *task,
                              const lg_histogram_device *counts)
{
    const uint32_t last = (uint32_t)task->channels - 1;
    return (lg_figure_push){.counters = counts->totals.counters,
                            .copies = counts->totals.copies,
                            .copy_words = counts->totals.copy_words,
                            .layer_words = counts->layer_words,
                            .layers = (uint32_t)shape->layers,
                            .first = counts->table - last * counts->table_words,
                            .words = counts->table_words,
                            .channels = (uint32_t)task->channels,
                            .scale = lg_figure_scale(shape->type)};
}

// ---- integers and halves ------------------------------------------------------------------------

lg_status lg_figure_record_values(const lg_figure_recording *r, const lg_figure_task *t,
                                  lg_figure_found *out)
{
    const bool halves = t->image->shape.type == LG_F16;
    lg_histogram_task task;
    lg_histogram_device counts;
    const lg_status status = lg_figure_record_counts(r, t, &task, &counts);
    if (status)
        return status;
    out->counters = push_of(&t->image->shape, &task, &counts);
    return find_kernels(r, halves ? &lg_spirv_figure_ranks_halves : &lg_spirv_figure_ranks, 65536,
                        out);
}

// ---- floats ---------------------------------------------------------------------------------------

// What is counted of floats: all channels, by rules that the device makes.
static lg_histogram_task task_of(const lg_scan *scan, uint32_t bins)
{
    lg_histogram_task t = {.scan = *scan,
                           .space = LG_SPACE_STORED,
                           .stack = true,
                           .channels = scan->measured,
                           .sources = scan->measured,
                           .layers = 1,
                           .table_size = bins,
                           .sample_scale = 1};
    return t;
}

static lg_status record_range(const lg_figure_recording *r, const lg_histogram_task *task,
                              const lg_device_walk *walk, const lg_vk_buffer *ranges)
{
    const uint32_t constants[] = {RANKS_GROUP, (uint32_t)task->scan.type, (uint32_t)task->channels};
    const lg_figure_range_push push = {.walk = *walk, .ranges = ranges->address};
    const lg_vk_pipeline *pipeline;
    const lg_status status = lg_vk_pipeline_get(r->context->vk, &lg_spirv_figure_range, constants,
                                                LG_COUNT(constants), 0, &pipeline, r->error);
    if (status)
        return status;
    lg_device_walk_reads(r->commands, walk);
    lg_vk_adds(r->commands, push.ranges, RULES_OFFSET);
    lg_vk_dispatch(r->commands, pipeline, &push, sizeof push,
                   lg_device_groups(r->context, (uint64_t)task->scan.height, 8),
                   (uint32_t)task->scan.layers, 1);
    lg_vk_barrier(r->commands);
    return LG_OK;
}

static lg_status record_rules(const lg_figure_recording *r, const lg_histogram_task *task,
                              bool apart, const lg_vk_buffer *ranges)
{
    const uint32_t constants[] = {RULES_GROUP};
    const lg_figure_rules_push push = {.ranges = ranges->address,
                                       .rules = ranges->address + RULES_OFFSET,
                                       .channels = (uint32_t)task->channels,
                                       .bins = task->table_size,
                                       .apart = apart};
    const lg_vk_pipeline *pipeline;
    const lg_status status = lg_vk_pipeline_get(r->context->vk, &lg_spirv_figure_rules, constants,
                                                LG_COUNT(constants), 0, &pipeline, r->error);
    if (status)
        return status;
    lg_vk_reads(r->commands, push.ranges, RULES_OFFSET);
    lg_vk_writes(r->commands, push.rules, sizeof(lg_histogram_rules));
    lg_vk_dispatch(r->commands, pipeline, &push, sizeof push, 1, 1, 1);
    lg_vk_barrier(r->commands);
    return LG_OK;
}

lg_status lg_figure_record_bins(const lg_figure_recording *r, const lg_figure_task *t,
                                lg_figure_found *out)
{
    const bool level = t->figure->kind >= LG_FIRST_OF_CLASSES;
    lg_figure_input in;
    lg_vk_buffer *ranges;
    lg_histogram_device counts;
    lg_device_view mask = {0};
    lg_device_walk walk;
    lg_status status =
        lg_workspace_slot(r->context, LG_SCRATCH_RANGES, RULES_OFFSET + sizeof(lg_histogram_rules),
                          &ranges, r->error);
    if (!status)
        status = lg_figure_open_input(r, t, &in);
    if (!status)
        status = lg_device_walk_open(r->context, &in.scan, in.view, &mask, &walk, r->error);
    if (status)
        return status;
    const lg_histogram_task task = task_of(&in.scan, level ? LG_LEVEL_BINS : LG_RANK_BINS);
    lg_vk_fill(r->commands, ranges, 0, RULES_OFFSET, 0);
    lg_vk_barrier(r->commands);
    status = record_range(r, &task, &walk, ranges);
    if (!status)
        status = record_rules(r, &task, level, ranges);
    if (!status)
        status = lg_histogram_record_ruled(r->context, &task, in.view, &walk,
                                           ranges->address + RULES_OFFSET, r->commands, &counts,
                                           r->error);
    if (status)
        return status;
    lg_vk_barrier(r->commands);
    out->counters = push_of(&in.image->shape, &task, &counts);
    out->counters.ranges = ranges->address;
    return find_kernels(r, &lg_spirv_figure_ranks_bins, task.table_size, out);
}

// ---- figures --------------------------------------------------------------------------------------

void lg_figure_make_of_ranks(const lg_figure_recording *r, const lg_figure_task *t,
                             const lg_figure_found *found, bool last)
{
    lg_figure_push push = found->counters;
    push.to = lg_figure_output_to(r, t);
    push.billionths = t->figure->billionths;
    push.places = lg_figure_places(&t->image->shape, t->figure);
    push.refused = t->refused;
    lg_vk_reads(r->commands, push.counters, 0);
    lg_vk_reads(r->commands, push.ranges, push.ranges ? RULES_OFFSET : 0);
    lg_vk_adds(r->commands, push.refused, 4);
    lg_figure_dispatch(r, t, found->of_class[lg_figure_class(t->figure)], &push, sizeof push,
                       push.channels);
    if (last) {
        lg_vk_fill(r->commands, r->context->workspace->slot[LG_SCRATCH_TOTALS], 0,
                   (size_t)push.copies * push.copy_words * sizeof(uint32_t), 0);
        lg_vk_barrier(r->commands);
    }
}

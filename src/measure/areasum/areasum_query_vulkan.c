// Batches of queries on a Vulkan device.
#include "measure/areasum/areasum_device.h"
#include "measure/areasum/areasum_push.h"

extern const lg_spirv lg_spirv_areasum_corners_u32, lg_spirv_areasum_corners_u64,
    lg_spirv_areasum_corners_f32, lg_spirv_areasum_nodes_u32, lg_spirv_areasum_nodes_u64,
    lg_spirv_areasum_nodes_f32;

#define QUERY_GROUP 128

static void name_uses(const lg_device_boxes *boxes, lg_vk_commands *commands)
{
    lg_vk_reads(commands, boxes->bounds, 0);
    lg_vk_reads(commands, boxes->words, 0);
    lg_vk_writes(commands, boxes->results, 0);
}

static lg_status check_count(const lg_device_boxes *boxes, lg_error *error)
{
    if (boxes->dims > 3 || boxes->count > (UINT32_MAX - QUERY_GROUP) / (size_t)boxes->channels)
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "%zu boxes in %d dimensions are too many for this device", boxes->count,
                       boxes->dims);
    return LG_OK;
}

lg_status lg_area_record_corners(lg_context *context, const lg_device_boxes *boxes,
                                 lg_area_word word, bool wraps, uint64_t table,
                                 lg_vk_commands *commands, lg_error *error)
{
    static const lg_spirv *const modules[] = {&lg_spirv_areasum_corners_u32,
                                              &lg_spirv_areasum_corners_u64,
                                              &lg_spirv_areasum_corners_f32};
    const uint32_t constants[] = {QUERY_GROUP, (uint32_t)boxes->channels, 0,
                                  0,           (uint32_t)boxes->dims,     wraps};
    const lg_vk_pipeline *pipeline;
    lg_status status = check_count(boxes, error);
    if (!status)
        status = lg_vk_pipeline_get(context->vk, modules[word], constants, LG_COUNT(constants), 0,
                                    &pipeline, error);
    if (status)
        return status;
    lg_area_corners_push push = {.table = table, .boxes = boxes->bounds, .results = boxes->results};
    push.width = boxes->extent[0];
    push.height = boxes->dims > 1 ? boxes->extent[1] : 1;
    push.count = (uint32_t)(boxes->count * (size_t)boxes->channels);
    name_uses(boxes, commands);
    lg_vk_reads(commands, table, 0);
    lg_area_dispatch(context, commands, pipeline, &push, sizeof push, &push.first, QUERY_GROUP,
                     (push.count + QUERY_GROUP - 1) / QUERY_GROUP);
    return LG_OK;
}

lg_status lg_area_record_nodes(lg_context *context, const lg_device_boxes *boxes, lg_area_word word,
                               lg_area_op operation, uint64_t blocks, lg_vk_commands *commands,
                               lg_error *error)
{
    static const lg_spirv *const modules[] = {
        &lg_spirv_areasum_nodes_u32, &lg_spirv_areasum_nodes_u64, &lg_spirv_areasum_nodes_f32};
    const bool extremes = operation == LG_AREA_OP_LEAST || operation == LG_AREA_OP_MOST;
    const uint32_t constants[] = {QUERY_GROUP, (uint32_t)boxes->channels, 0,
                                  extremes ? (uint32_t)operation : 0, boxes->dims > 2};
    const lg_vk_pipeline *pipeline;
    lg_status status = check_count(boxes, error);
    if (!status)
        status = lg_vk_pipeline_get(context->vk, modules[word], constants, LG_COUNT(constants), 0,
                                    &pipeline, error);
    if (status)
        return status;
    lg_area_nodes_push push = {.blocks = blocks, .boxes = boxes->bounds, .results = boxes->results};
    push.width = boxes->extent[0];
    push.height = boxes->dims > 1 ? boxes->extent[1] : 1;
    push.dims = (uint32_t)boxes->dims;
    push.count = (uint32_t)(boxes->count * (size_t)boxes->channels);
    while (push.levels_x < 32 && push.width >> push.levels_x)
        push.levels_x++;
    while (push.levels_y < 32 && push.height >> push.levels_y)
        push.levels_y++;
    name_uses(boxes, commands);
    lg_vk_reads(commands, push.blocks, 0);
    lg_area_dispatch(context, commands, pipeline, &push, sizeof push, &push.first, QUERY_GROUP,
                     (push.count + QUERY_GROUP - 1) / QUERY_GROUP);
    return LG_OK;
}

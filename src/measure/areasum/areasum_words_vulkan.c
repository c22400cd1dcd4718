// Tables by way of words on a Vulkan device, and windows of smoothed boxes.
#include "measure/areasum/areasum_device.h"

#include <string.h>

extern const lg_spirv lg_spirv_areasum_words_u32, lg_spirv_areasum_words_u64,
    lg_spirv_areasum_scan_u32, lg_spirv_areasum_scan_u64, lg_spirv_areasum_windows;

#define GROUP     128
#define LOOP_MOST 32768 // turns of a loop on software

static lg_status record_samples(lg_context *context, const lg_device_array *array,
                                const lg_area_words *words, lg_vk_commands *commands,
                                lg_error *error)
{
    const lg_spirv *module =
        words->sum == LG_AREA_U64 ? &lg_spirv_areasum_words_u64 : &lg_spirv_areasum_words_u32;
    const uint32_t constants[] = {GROUP, (uint32_t)array->channels, (uint32_t)array->type,
                                  (uint32_t)words->operation};
    const uint32_t channels = (uint32_t)array->channels;
    const lg_vk_pipeline *pipeline;
    uint64_t above;
    memcpy(&above, &words->above, sizeof above);
    const lg_status status = lg_vk_pipeline_get(context->vk, module, constants, LG_COUNT(constants),
                                                0, &pipeline, error);
    if (status)
        return status;
    lg_area_words_push push = {.data = array->data,
                               .layer_stride = array->layer_stride,
                               .table = words->table,
                               .row_stride = (uint32_t)array->row_stride,
                               .width = array->width * channels,
                               .height = array->height,
                               .layers = array->layers,
                               .table_width = words->length[0] * channels,
                               .table_height = words->length[1],
                               .unit = words->unit,
                               .below = words->below,
                               .split = words->split,
                               .above_low = (uint32_t)above,
                               .above_high = (uint32_t)(above >> 32)};
    push.count = push.table_width * words->length[1] * words->length[2];
    lg_vk_reads(commands, push.data, 0);
    lg_vk_writes(commands, push.table, 0);
    lg_area_dispatch(context, commands, pipeline, &push, sizeof push, &push.first, GROUP,
                     ((uint64_t)push.count + GROUP - 1) / GROUP);
    return LG_OK;
}

static lg_status record_rows(lg_context *context, const lg_area_words *words, int channels,
                             lg_vk_commands *commands, lg_error *error)
{
    const lg_spirv *module =
        words->sum == LG_AREA_U64 ? &lg_spirv_areasum_scan_u64 : &lg_spirv_areasum_scan_u32;
    const uint32_t constants[] = {LG_AREA_SCAN, (uint32_t)channels, 0, 0, (uint32_t)words->times};
    const lg_vk_pipeline *pipeline;
    const lg_status status = lg_vk_pipeline_get(context->vk, module, constants, LG_COUNT(constants),
                                                0, &pipeline, error);
    if (status)
        return status;
    lg_area_scan_push push = {.data = words->table, .entries = words->length[0]};
    lg_vk_writes(commands, push.data, 0);
    lg_area_dispatch(context, commands, pipeline, &push, sizeof push, &push.first, 1,
                     (uint64_t)words->length[1] * words->length[2] * (uint64_t)channels);
    return LG_OK;
}

static lg_status check_size(const lg_context *context, const lg_device_array *array,
                            const lg_area_words *words, lg_error *error)
{
    const lg_vk_limits *limits = lg_vk_get_limits(context->vk);
    const double count =
        (double)words->length[0] * words->length[1] * words->length[2] * (double)array->channels;
    const bool turns = limits->hardware || words->length[0] / LG_AREA_SCAN < LOOP_MOST;
    if (count > UINT32_MAX - GROUP || array->row_stride > UINT32_MAX ||
        limits->max_workgroup_size < LG_AREA_SCAN || !turns)
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "a table of %u x %u x %u entries is too large for this device",
                       words->length[0], words->length[1], words->length[2]);
    return LG_OK;
}

lg_status lg_area_record_words(lg_context *context, const lg_device_array *array,
                               const lg_area_words *words, lg_vk_commands *commands,
                               lg_error *error)
{
    lg_status status = check_size(context, array, words, error);
    if (!status)
        status = record_samples(context, array, words, commands, error);
    if (!status)
        status = record_rows(context, words, array->channels, commands, error);
    uint64_t inner = (uint64_t)words->length[0] * (uint64_t)array->channels;
    const uint64_t all = inner * words->length[1] * words->length[2];
    for (int axis = 1; axis < 3 && !status; axis++) {
        const lg_area_lines_push lines = {.data = words->table,
                                          .outer_stride = inner * words->length[axis],
                                          .step = inner,
                                          .inner = (uint32_t)inner,
                                          .lines = (uint32_t)(all / words->length[axis]),
                                          .count = words->length[axis]};
        for (int n = 0; n < words->times && lines.count > 1 && !status; n++)
            status = lg_area_record_lines(context, words->sum, false, &lines, commands, error);
        inner *= words->length[axis];
    }
    return status;
}

lg_status lg_area_record_windows(lg_context *context, const lg_device_boxes *boxes, int order,
                                 const uint32_t *length, uint64_t table, lg_vk_commands *commands,
                                 lg_error *error)
{
    const uint32_t constants[] = {GROUP, (uint32_t)boxes->channels, 0,
                                  0,     (uint32_t)boxes->dims,     (uint32_t)order};
    const lg_vk_pipeline *pipeline;
    const lg_status status = lg_vk_pipeline_get(context->vk, &lg_spirv_areasum_windows, constants,
                                                LG_COUNT(constants), 0, &pipeline, error);
    if (status)
        return status;
    lg_area_windows_push push = {.table = table,
                                 .boxes = boxes->bounds,
                                 .results = boxes->results,
                                 .length_x = length[0],
                                 .length_y = length[1],
                                 .count = (uint32_t)(boxes->count * (size_t)boxes->channels)};
    lg_vk_reads(commands, boxes->bounds, 0);
    lg_vk_reads(commands, table, 0);
    lg_vk_writes(commands, boxes->results, 0);
    lg_area_dispatch(context, commands, pipeline, &push, sizeof push, &push.first, GROUP,
                     ((uint64_t)push.count + GROUP - 1) / GROUP);
    return LG_OK;
}

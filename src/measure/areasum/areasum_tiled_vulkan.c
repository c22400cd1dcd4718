// Summed-area tables of bytes in tiles, on a Vulkan device.
#include "measure/areasum/areasum_device.h"
#include "measure/areasum/areasum_push.h"

extern const lg_spirv lg_spirv_areasum_tiled;

#define GROUP 128 // threads with as many samples
#define PARTS 8

lg_area_tiled lg_area_tiled_at(const lg_device_array *array, uint64_t address)
{
    lg_area_tiled t = {.inside = address,
                       .tiles_x = (array->width + 2 * LG_TILED_SIDE - 1) / LG_TILED_SIDE,
                       .tiles_y = (array->height + 2 * LG_TILED_SIDE - 1) / LG_TILED_SIDE};
    const uint64_t tiles = (uint64_t)t.tiles_x * t.tiles_y * array->layers;
    const uint64_t samples = tiles * LG_TILED_SIDE * LG_TILED_SIDE * (uint64_t)array->channels;
    t.left = t.inside + 2 * samples;
    t.above = t.left + samples / LG_TILED_SIDE * 4;
    t.bytes = t.above + samples / LG_TILED_SIDE * 4 - address;
    return t;
}

bool lg_area_can_tile(const lg_context *context, const lg_device_array *array)
{
    const lg_vk_limits *limits = lg_vk_get_limits(context->vk);
    const uint64_t samples = (uint64_t)array->width * (uint64_t)array->channels;
    return array->type == LG_U8 && (array->channels == 2 || array->channels == 4) &&
           limits->subgroup_size >= LG_TILED_SIDE * 4 / LG_TILED_HELD &&
           samples <= UINT32_MAX / 4 - LG_TILED_HELD && array->row_stride <= UINT32_MAX &&
           lg_area_tiled_at(array, 0).bytes <= UINT32_MAX;
}

lg_status lg_area_record_tiled(lg_context *context, const lg_device_array *array, uint64_t address,
                               lg_vk_commands *commands, lg_error *error)
{
    const lg_area_tiled t = lg_area_tiled_at(array, address);
    const uint32_t channels = (uint32_t)array->channels,
                   samples = t.tiles_x * LG_TILED_SIDE * channels;
    const lg_area_tiled_push push = {.data = array->data,
                                     .layer_stride = array->layer_stride,
                                     .inside = t.inside,
                                     .left = t.left,
                                     .above = t.above,
                                     .row_stride = (uint32_t)array->row_stride,
                                     .width = array->width,
                                     .height = array->height,
                                     .layers = array->layers,
                                     .tiles_x = t.tiles_x,
                                     .tiles_y = t.tiles_y};
    const uint32_t groups[][2] = {
        {(samples - 1) / (GROUP * LG_TILED_HELD) + 1, LG_MIN(t.tiles_y, 65535)},
        {(t.tiles_y * LG_TILED_SIDE * channels - 1) / LG_TILED_LINES + 1, 1},
        {(samples - 1) / LG_TILED_LINES + 1, 1}};
    const uint32_t parts =
        LG_MIN(lg_vk_get_limits(context->vk)->max_workgroup_size / LG_TILED_LINES, PARTS);
    for (uint32_t pass = LG_TILED_INSIDE; pass <= LG_TILED_ABOVE; pass++) {
        const uint32_t constants[] = {pass == LG_TILED_INSIDE ? GROUP : LG_TILED_LINES * parts,
                                      channels, pass, parts};
        const lg_vk_pipeline *pipeline;
        const lg_status status = lg_vk_pipeline_get(context->vk, &lg_spirv_areasum_tiled, constants,
                                                    LG_COUNT(constants), 0, &pipeline, error);
        if (status)
            return status;
        lg_vk_reads(commands, push.data, 0);
        lg_vk_writes(commands, t.inside, t.bytes);
        lg_vk_dispatch(commands, pipeline, &push, sizeof push, groups[pass][0], groups[pass][1],
                       LG_MIN(array->layers, 65535));
        lg_vk_barrier(commands);
    }
    return LG_OK;
}

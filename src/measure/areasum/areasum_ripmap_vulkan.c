// Summed-area ripmaps of up to three dimensions on a Vulkan device: tiles make the lower levels of the first
// two axes, a few small dispatches what is above them, and one for each of these blocks its layers.
#include "measure/areasum/areasum_device.h"
#include "measure/areasum/areasum_push.h"

#include <stddef.h>

extern const lg_spirv lg_spirv_areasum_ripmap_u32, lg_spirv_areasum_ripmap_u64,
    lg_spirv_areasum_ripmap_f32;

#define BATCH_LEVELS  3
#define FEW_TILES     32768
#define COLUMNS_GROUP 64
#define GROUPS        4 // of lanes

static uint32_t levels_of(uint32_t extent)
{
    uint32_t levels = 1;
    while (levels < 32 && extent >> levels)
        levels++;
    return levels;
}

static uint32_t tile_width(int channels) // elements
{
    return LG_AREA_LANES * (channels == 1 ? 4 : channels == 2 ? 2 : 1);
}

// Levels of axis 0 that a tile adds.
static uint32_t tile_levels(int channels)
{
    return channels == 1 ? 7 : channels == 2 ? 6 : 5;
}

static lg_status stage_pipeline(const lg_context *context, const lg_device_array *array,
                                const lg_area_rule *rule, uint32_t stage, uint32_t batches,
                                const lg_vk_pipeline **out, lg_error *error)
{
    static const lg_spirv *const modules[] = {
        &lg_spirv_areasum_ripmap_u32, &lg_spirv_areasum_ripmap_u64, &lg_spirv_areasum_ripmap_f32};
    const uint32_t lanes =
        LG_MIN(lg_vk_get_limits(context->vk)->subgroup_size, (uint32_t)LG_AREA_LANES);
    // Pipelines of nodes are the same for all types and all additions.
    const bool extremes = rule->operation == LG_AREA_OP_LEAST || rule->operation == LG_AREA_OP_MOST;
    const uint32_t constants[] = {
        stage == LG_RIPMAP_COLUMNS ? COLUMNS_GROUP : LG_AREA_LANES * GROUPS,
        (uint32_t)array->channels,
        stage == LG_RIPMAP_SAMPLES ? (uint32_t)array->type : 0,
        stage == LG_RIPMAP_SAMPLES || extremes ? (uint32_t)rule->operation : 0,
        GROUPS,
        stage,
        rule->tuning.shuffled ? rule->tuning.shuffled : lanes,
        batches,
        array->layers > 1 && stage != LG_RIPMAP_COLUMNS};
    return lg_vk_pipeline_get(context->vk, modules[rule->sum], constants, LG_COUNT(constants), 0,
                              out, error);
}

static lg_status fail_size(const lg_device_array *array, lg_error *error)
{
    return lg_fail(error, LG_ERROR_UNSUPPORTED, "no ripmap of %u x %u x %u elements on this device",
                   array->width, array->height, array->layers);
}

static lg_status record_tiles(lg_context *context, const lg_device_array *array,
                              const lg_area_rule *rule, uint32_t stage, uint32_t batches,
                              lg_area_ripmap_push *push, lg_vk_commands *commands, lg_error *error)
{
    const uint32_t side = tile_width(array->channels);
    const lg_vk_pipeline *pipeline;
    lg_status status = stage_pipeline(context, array, rule, stage, batches, &pipeline, error);
    if (status)
        return status;
    push->tiles_x = ((array->width >> push->base) + side - 1) / side;
    const uint32_t rows = LG_RIPMAP_BATCH * batches;
    const uint64_t tiles = (uint64_t)push->tiles_x * ((array->height + rows - 1) / rows);
    if (tiles > UINT32_MAX)
        return fail_size(array, error);
    push->tiles = (uint32_t)tiles;
    push->layer_groups = (push->tiles - 1) / GROUPS + 1;
    const uint64_t groups = (uint64_t)push->layer_groups * array->layers;
    if (array->layers > 1 && groups > UINT32_MAX / GROUPS)
        return fail_size(array, error);
    lg_vk_reads(commands, push->data, 0);
    lg_vk_reads(commands, push->largest, 16);
    lg_vk_reads(commands, push->blocks, 0);
    lg_vk_writes(commands, rule->words, 0);
    lg_area_dispatch(context, commands, pipeline, push, sizeof *push, &push->first, GROUPS, groups);
    return LG_OK;
}

// Dispatches without a barrier between them, each with columns or blocks of its own. What they read
// lies in blocks too, also where the first of these is the array.
static void name_memory(const lg_area_rule *rule, const lg_area_ripmap_push *push,
                        lg_vk_commands *commands)
{
    lg_vk_reads(commands, push->blocks, 0);
    lg_vk_reads(commands, push->largest, 16);
    lg_vk_adds(commands, rule->words, 0);
}

// Rows of all blocks of a level of axis 1.
static lg_status record_columns(lg_context *context, const lg_device_array *array,
                                const lg_area_rule *rule, lg_area_ripmap_push push,
                                lg_vk_commands *commands, lg_error *error)
{
    const lg_vk_pipeline *pipeline;
    lg_status status = stage_pipeline(context, array, rule, LG_RIPMAP_COLUMNS, 1, &pipeline, error);
    if (status)
        return status;
    const uint32_t words = array->width * (uint32_t)array->channels;
    push.data = 0;
    push.extent = array->height;
    push.levels = push.levels_y;
    push.next_block = push.levels_x;
    push.rows = 1;
    push.first = 0;
    push.layer_groups = ((array->height >> push.base) + LG_RIPMAP_COLUMN - 1) / LG_RIPMAP_COLUMN;
    const uint32_t max = lg_vk_get_limits(context->vk)->max_workgroups[2];
    const uint64_t groups = (uint64_t)push.layer_groups * array->layers;
    for (uint64_t done = 0; done < groups; done += max) {
        push.first_column = (uint32_t)done;
        name_memory(rule, &push, commands);
        lg_vk_dispatch(commands, pipeline, &push, sizeof push,
                       (words + COLUMNS_GROUP - 1) / COLUMNS_GROUP, push.levels_x,
                       (uint32_t)LG_MIN(groups - done, (uint64_t)max));
    }
    lg_vk_barrier(commands);
    return LG_OK;
}

// Layers of all blocks of a level of axis 2; these do not depend on each other.
static lg_status record_layers(lg_context *context, const lg_device_array *array,
                               const lg_area_rule *rule, lg_area_ripmap_push push,
                               lg_vk_commands *commands, lg_error *error)
{
    const lg_vk_pipeline *pipeline;
    lg_status status = stage_pipeline(context, array, rule, LG_RIPMAP_COLUMNS, 1, &pipeline, error);
    if (status)
        return status;
    push.data = 0;
    push.extent = array->layers;
    push.levels = levels_of(array->layers);
    push.next_block = push.levels_x * push.levels_y;
    push.layer_groups = ((array->layers >> push.base) + LG_RIPMAP_COLUMN - 1) / LG_RIPMAP_COLUMN;
    const uint32_t max = lg_vk_get_limits(context->vk)->max_workgroups[0];
    for (uint32_t block = 0; block < push.next_block; block++) {
        push.level_x = block % push.levels_x;
        push.level_y = block / push.levels_x;
        push.rows = array->height >> push.level_y;
        const uint32_t words = (array->width >> push.level_x) * (uint32_t)array->channels;
        const uint32_t groups = (words * push.rows - 1) / COLUMNS_GROUP + 1;
        for (uint32_t done = 0, some; done < groups; done += some) {
            some = LG_MIN(max, groups - done);
            push.first = done * COLUMNS_GROUP;
            name_memory(rule, &push, commands);
            lg_vk_dispatch(commands, pipeline, &push, sizeof push, some, 1, push.layer_groups);
        }
    }
    lg_vk_barrier(commands);
    return LG_OK;
}

static lg_status check_size(const lg_context *context, const lg_device_array *array,
                            lg_error *error)
{
    const lg_vk_limits *limits = lg_vk_get_limits(context->vk);
    const uint64_t words = (uint64_t)array->width * (uint64_t)array->channels;
    if (array->row_stride > UINT32_MAX || words > UINT32_MAX / 8 ||
        array->height > UINT32_MAX / 8 || words / COLUMNS_GROUP >= limits->max_workgroups[0] ||
        (array->layers == 1 &&
         array->height / (LG_RIPMAP_BATCH * LG_RIPMAP_COLUMN) >= limits->max_workgroups[2]))
        return fail_size(array, error);
    // Words of a layer, rows of all layers: indices.
    if (array->layers > 1 && (words * array->height > UINT32_MAX - COLUMNS_GROUP ||
                              (uint64_t)array->height * array->layers > UINT32_MAX ||
                              array->layers / LG_RIPMAP_COLUMN >= limits->max_workgroups[2]))
        return fail_size(array, error);
    return LG_OK;
}

lg_status lg_area_record_ripmap(lg_context *context, const lg_device_array *array,
                                const lg_area_rule *rule, uint64_t blocks, bool write_first,
                                lg_vk_commands *commands, lg_error *error)
{
    lg_area_ripmap_push push = {.data = array->data,
                                .blocks = blocks,
                                .row_stride = (uint32_t)array->row_stride,
                                .width = array->width,
                                .height = array->height,
                                .levels_x = levels_of(array->width),
                                .levels_y = levels_of(array->height),
                                .write_first = write_first,
                                .above = rule->above,
                                .layer_stride = array->layer_stride,
                                .max = rule->max,
                                .fraction = rule->fraction,
                                .largest = rule->largest};
    const uint32_t levels = tile_levels(array->channels);
    // Taller tiles save passes over columns. Small arrays have no tiles to spare, nor words that are not
    // floats registers.
    const uint64_t tiles = ((uint64_t)array->width / tile_width(array->channels) + 1) *
                           (array->height / (2 * LG_RIPMAP_BATCH) + 1) * array->layers;
    const bool tall = rule->tuning.groups ? rule->tuning.groups == 2
                                          : rule->sum == LG_AREA_F32 && tiles >= FEW_TILES;
    const uint32_t batches = tall ? 2 : 1;
    lg_status status = check_size(context, array, error);
    if (!status)
        status =
            record_tiles(context, array, rule, LG_RIPMAP_SAMPLES, batches, &push, commands, error);
    for (push.base = levels; push.base + 1 < push.levels_x && !status; push.base += levels)
        status =
            record_tiles(context, array, rule, LG_RIPMAP_NODES, batches, &push, commands, error);
    for (push.base = BATCH_LEVELS + batches - 1; push.base + 1 < push.levels_y && !status;
         push.base += LG_RIPMAP_COLUMN_LEVELS)
        status = record_columns(context, array, rule, push, commands, error);
    for (push.base = 0; array->layers >> (push.base + 1) && !status;
         push.base += LG_RIPMAP_COLUMN_LEVELS)
        status = record_layers(context, array, rule, push, commands, error);
    return status;
}

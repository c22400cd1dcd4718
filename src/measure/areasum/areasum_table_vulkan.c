// Summed-area tables on a Vulkan device.
#include "device/lookback.h"
#include "device/workspace.h"
#include "measure/areasum/areasum_device.h"
#include "measure/areasum/areasum_push.h"

extern const lg_spirv lg_spirv_areasum_table_u32, lg_spirv_areasum_table_u32_packed,
    lg_spirv_areasum_table_u64, lg_spirv_areasum_table_u64_narrow,
    lg_spirv_areasum_table_u64_packed, lg_spirv_areasum_table_f32, lg_spirv_areasum_lines_u32,
    lg_spirv_areasum_lines_u64, lg_spirv_areasum_lines_f32, lg_spirv_areasum_largest;

#define MOST_GROUPS  (1 << 18) // of one dispatch, so that none runs for long
#define LINES_GROUP  64
#define SCRATCH_MOST ((uint64_t)4 << 30)
#define ADVANCE      128
#define DEPTH        4
#define MOST_DEPTH   16
#define LOOP_MOST    32768     // turns of a loop on software
#define PATIENCE     (1 << 22) // looks back of hardware: seconds

typedef struct table_shape {
    uint32_t width, rows, groups, each, shuffled; // of a tile
    const lg_spirv *module;
    uint32_t tiles_x, tiles_y, tile_rows, advance, depth;
    uint64_t tiles, tickets;
    bool chained;
} table_shape;

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

// How many bits sums within a row of a tile, of up to 128 samples, need: 16, 32, or those of an entry.
static const lg_spirv *module_of(const lg_device_array *array, const lg_area_rule *rule)
{
    const bool value = rule->operation == LG_AREA_OP_SUM, wide = rule->sum == LG_AREA_U64;
    const bool packed = (array->type == LG_U8 && value && !rule->premultiplied) ||
                        rule->operation == LG_AREA_OP_COUNT || rule->operation == LG_AREA_OP_ABOVE;
    if (rule->sum == LG_AREA_F32)
        return &lg_spirv_areasum_table_f32;
    if (packed)
        return wide ? &lg_spirv_areasum_table_u64_packed : &lg_spirv_areasum_table_u32_packed;
    if (array->type == LG_U8 || (array->type == LG_U16 && value))
        return wide ? &lg_spirv_areasum_table_u64_narrow : &lg_spirv_areasum_table_u32;
    return wide ? &lg_spirv_areasum_table_u64 : &lg_spirv_areasum_table_u32;
}

// As many as leave registers enough for several workgroups; fewer where each row has carries of several
// channels.
static uint32_t rows_of_thread(const lg_spirv *module, int channels)
{
    if (module == &lg_spirv_areasum_table_u32_packed)
        return channels > 1 ? 8 : 24;
    if (module == &lg_spirv_areasum_table_u64_packed)
        return channels > 1 ? 8 : 16;
    return module == &lg_spirv_areasum_table_u64 || channels > 1 ? 4 : 8;
}

static lg_status choose_shape(const lg_context *context, const lg_device_array *array,
                              const lg_area_rule *rule, table_shape *s, lg_error *error)
{
    const lg_vk_limits *limits = lg_vk_get_limits(context->vk);
    const lg_area_tuning *asked = &rule->tuning;
    const uint64_t samples = (uint64_t)array->width * (uint64_t)array->channels;
    s->module = module_of(array, rule);
    s->groups = s->each = 8; // by the definition of plain tables of floats
    if (rule->sum != LG_AREA_F32) {
        s->groups = asked->groups ? asked->groups : 8;
        s->each = asked->each ? asked->each : rows_of_thread(s->module, array->channels);
    }
    s->depth = asked->depth ? asked->depth : DEPTH;
    if (array->height == 1) { // a long chain of small tiles
        s->groups = 1;
        s->each = 2;
        s->depth = asked->depth ? asked->depth : MOST_DEPTH;
    }
    while (s->groups > 1 && LG_AREA_LANES * s->groups > limits->max_workgroup_size)
        s->groups /= 2;
    if (rule->sum == LG_AREA_F32 && array->height > 1 && s->groups != 8)
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "plain tables of floats need workgroups of %d, this device has %u at most",
                       8 * LG_AREA_LANES, limits->max_workgroup_size);
    s->shuffled = LG_MIN(asked->shuffled ? asked->shuffled : LG_AREA_LANES, limits->subgroup_size);
    s->shuffled = LG_MIN(s->shuffled, (uint32_t)LG_AREA_LANES);
    s->width = LG_AREA_LANES * (array->channels == 3 ? 3 : 4);
    s->rows = s->each * s->groups;
    const uint64_t tiles_x = divide_up(samples, s->width);
    const uint64_t tile_rows = divide_up(array->height, s->rows) * array->layers;
    s->tiles_x = (uint32_t)tiles_x;
    s->tiles_y = (uint32_t)divide_up(array->height, s->rows);
    s->tile_rows = (uint32_t)tile_rows;
    s->tiles = tiles_x * tile_rows;
    // No more rows side by side than tiles in a row, so that what is above a tile begins before it.
    s->advance = asked->advance ? asked->advance : ADVANCE;
    s->advance = (uint32_t)LG_MIN(LG_MIN(s->advance, tile_rows), tiles_x);
    s->tickets = (divide_up(tile_rows, s->advance) * tiles_x + s->advance - 1) * s->advance;
    s->chained = asked->method ? asked->method == LG_AREA_CHAINED
                               : limits->hardware && !lg_lookback_is_multi_pass(context);
    if (samples * lg_area_word_size(rule->sum) > UINT32_MAX || s->tickets > UINT32_MAX ||
        array->row_stride > UINT32_MAX || s->tiles > UINT32_MAX / s->rows)
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "an array of %u x %u x %u elements is too large for this device's tables",
                       array->width, array->height, array->layers);
    return LG_OK;
}

void lg_area_dispatch(const lg_context *context, lg_vk_commands *commands,
                      const lg_vk_pipeline *pipeline, void *push, uint32_t push_size,
                      uint32_t *first, uint32_t each, uint64_t groups)
{
    const uint32_t max = LG_MIN(lg_vk_get_limits(context->vk)->max_workgroups[0], MOST_GROUPS);
    for (uint64_t done = 0; done < groups; done += max) {
        *first = (uint32_t)done * each;
        if (done)
            lg_vk_uses_again(commands);
        lg_vk_dispatch(commands, pipeline, push, push_size,
                       (uint32_t)LG_MIN(groups - done, (uint64_t)max), 1, 1);
        lg_vk_barrier(commands);
    }
}

// How often a tile looks back before it gives up. Software counts the turns of all loops of an invocation,
// and at the end of its patience leaves the loop that it is in: the tile would go on with a wrong sum, and
// no flag.
static uint32_t patience_of(const lg_context *context, const lg_device_array *array,
                            const table_shape *s)
{
    const uint64_t threads = (uint64_t)LG_AREA_LANES * s->groups;
    const uint64_t chains = divide_up((uint64_t)s->rows * (uint64_t)array->channels, threads) +
                            divide_up(s->width, threads); // of an invocation
    const uint64_t turns = 2 * (uint64_t)s->depth + 2;    // of a look
    return lg_vk_get_limits(context->vk)->hardware ? PATIENCE
                                                   : (uint32_t)(LG_SOFT_TURNS / (chains * turns));
}

static lg_status table_pipeline(const lg_context *context, const lg_device_array *array,
                                const lg_area_rule *rule, const table_shape *s, uint32_t pass,
                                const lg_vk_pipeline **out, lg_error *error)
{
    const uint32_t constants[] = {LG_AREA_LANES * s->groups,
                                  (uint32_t)array->channels,
                                  (uint32_t)array->type,
                                  (uint32_t)rule->operation,
                                  s->groups,
                                  s->depth,
                                  s->shuffled,
                                  pass,
                                  s->each,
                                  rule->premultiplied,
                                  patience_of(context, array, s)};
    return lg_vk_pipeline_get(context->vk, s->module, constants, LG_COUNT(constants), 0, out,
                              error);
}

static lg_status lines_pipeline(const lg_context *context, lg_area_word sum, bool exclusive,
                                const lg_vk_pipeline **out, lg_error *error)
{
    static const lg_spirv *const modules[] = {
        &lg_spirv_areasum_lines_u32, &lg_spirv_areasum_lines_u64, &lg_spirv_areasum_lines_f32};
    const uint32_t constants[] = {LINES_GROUP, 1, 0, 0, exclusive};
    return lg_vk_pipeline_get(context->vk, modules[sum], constants, LG_COUNT(constants), 0, out,
                              error);
}

static lg_status fail_scratch(uint64_t bytes, lg_error *error)
{
    return lg_fail(error, LG_ERROR_UNSUPPORTED,
                   "the carries of this table would take %llu bytes on the device",
                   (unsigned long long)bytes);
}

static void name_uses(const lg_area_table_push *push, lg_vk_commands *commands)
{
    lg_vk_reads(commands, push->data, 0);
    lg_vk_reads(commands, push->largest, 16);
    if (push->gave_up)
        lg_vk_writes(commands, push->gave_up, 4);
    lg_vk_writes(commands, push->table, 0);
}

static lg_status record_chained(lg_context *context, const lg_device_array *array,
                                const lg_area_rule *rule, const table_shape *s,
                                lg_area_table_push *push, lg_vk_commands *commands, lg_error *error)
{
    // A mark and 16 bits a word: twice the size of the sums.
    const uint64_t record =
        2 * lg_area_word_size(rule->sum) * (s->rows * (uint64_t)array->channels + s->width);
    const uint64_t bytes =
        LG_TABLE_HEADER * 4 + (s->tiles_x * s->tiles_y > 1 ? s->tiles * record : 0);
    const lg_vk_pipeline *pipeline;
    lg_vk_buffer *scratch;
    uint64_t gave_up;
    if (bytes > SCRATCH_MOST)
        return fail_scratch(bytes, error);
    lg_status status = table_pipeline(context, array, rule, s, LG_TABLE_CHAINED, &pipeline, error);
    if (!status)
        status = lg_workspace_slot(context, LG_SCRATCH_CARRIES, bytes, &scratch, error);
    if (!status)
        status = lg_lookback_flag(context, &gave_up, error);
    if (status)
        return status;
    push->gave_up = gave_up;
    push->room = (uint32_t)(scratch->size / 16);
    push->carries = scratch->address;
    push->tickets = (uint32_t)s->tickets;
    name_uses(push, commands);
    lg_vk_writes(commands, push->carries, 0);
    lg_area_dispatch(context, commands, pipeline, push, sizeof *push, &push->first, 1, s->tickets);
    return LG_OK;
}

lg_status lg_area_record_lines(lg_context *context, lg_area_word sum, bool exclusive,
                               const lg_area_lines_push *lines, lg_vk_commands *commands,
                               lg_error *error)
{
    lg_area_lines_push push = *lines;
    const lg_vk_pipeline *pipeline;
    if (!lg_vk_get_limits(context->vk)->hardware && push.count > LOOP_MOST)
        return lg_fail(error, LG_ERROR_UNSUPPORTED, "this device cannot add %u sums up in a loop",
                       push.count);
    lg_status status = lines_pipeline(context, sum, exclusive, &pipeline, error);
    if (status)
        return status;
    lg_vk_writes(commands, push.data, 0);
    lg_area_dispatch(context, commands, pipeline, &push, sizeof push, &push.first, LINES_GROUP,
                     divide_up(push.lines, LINES_GROUP));
    return LG_OK;
}

static lg_status record_pass(lg_context *context, const lg_device_array *array,
                             const lg_area_rule *rule, const table_shape *s, uint32_t pass,
                             lg_area_table_push *push, lg_vk_commands *commands, lg_error *error)
{
    const lg_vk_pipeline *pipeline;
    lg_status status = table_pipeline(context, array, rule, s, pass, &pipeline, error);
    if (status)
        return status;
    name_uses(push, commands);
    lg_vk_writes(commands, push->carries, push->column_carries - push->carries);
    lg_vk_writes(commands, push->column_carries, 0);
    lg_area_dispatch(context, commands, pipeline, push, sizeof *push, &push->first, 1, s->tiles);
    return LG_OK;
}

static lg_status record_passes(lg_context *context, const lg_device_array *array,
                               const lg_area_rule *rule, const table_shape *s,
                               lg_area_table_push *push, lg_vk_commands *commands, lg_error *error)
{
    const uint64_t carries = (uint64_t)s->tiles_x * (uint64_t)array->channels,
                   columns = (uint64_t)s->tiles_x * s->width,
                   rows = (uint64_t)s->tile_rows * s->rows;
    const uint64_t row_bytes =
                       lg_align_up((size_t)(rows * carries * lg_area_word_size(rule->sum)), 16),
                   bytes = row_bytes + s->tile_rows * columns * lg_area_word_size(rule->sum);
    const uint64_t lines = rows * (uint64_t)array->channels, down = array->layers * columns;
    lg_vk_buffer *scratch;
    if (bytes > SCRATCH_MOST || LG_MAX(lines, down) > UINT32_MAX - LINES_GROUP)
        return fail_scratch(bytes, error);
    lg_status status = lg_workspace_slot(context, LG_SCRATCH_PARTIALS, bytes, &scratch, error);
    if (status)
        return status;
    push->carries = scratch->address;
    push->column_carries = scratch->address + row_bytes;
    const lg_area_lines_push across = {.data = push->carries,
                                       .outer_stride = carries,
                                       .step = (uint64_t)array->channels,
                                       .inner = (uint32_t)array->channels,
                                       .lines = (uint32_t)lines,
                                       .count = s->tiles_x};
    const lg_area_lines_push downwards = {.data = push->column_carries,
                                          .outer_stride = (uint64_t)s->tiles_y * columns,
                                          .step = columns,
                                          .inner = (uint32_t)columns,
                                          .lines = (uint32_t)down,
                                          .count = s->tiles_y};
    status = record_pass(context, array, rule, s, LG_TABLE_ROW_SUMS, push, commands, error);
    if (!status)
        status = lg_area_record_lines(context, rule->sum, true, &across, commands, error);
    if (!status)
        status = record_pass(context, array, rule, s, LG_TABLE_COLUMN_SUMS, push, commands, error);
    if (!status)
        status = lg_area_record_lines(context, rule->sum, true, &downwards, commands, error);
    return status ? status
                  : record_pass(context, array, rule, s, LG_TABLE_ENTRIES, push, commands, error);
}

lg_status lg_area_record_tables(lg_context *context, const lg_device_array *array,
                                const lg_area_rule *rule, uint64_t table, lg_vk_commands *commands,
                                lg_error *error)
{
    table_shape s;
    lg_status status = choose_shape(context, array, rule, &s, error);
    if (status)
        return status;
    const uint64_t samples = (uint64_t)array->width * (uint64_t)array->channels;
    const uint64_t row = samples * lg_area_word_size(rule->sum);
    lg_area_table_push push = {.data = array->data,
                               .layer_stride = array->layer_stride,
                               .table = table,
                               .table_layer_stride = row * array->height,
                               .largest = rule->largest,
                               .row_stride = (uint32_t)array->row_stride,
                               .table_row = (uint32_t)row,
                               .width = (uint32_t)samples,
                               .height = array->height,
                               .tiles_x = s.tiles_x,
                               .tiles_y = s.tiles_y,
                               .tile_rows = s.tile_rows,
                               .advance = s.advance,
                               .above = rule->above,
                               .fraction = rule->fraction};
    return s.chained ? record_chained(context, array, rule, &s, &push, commands, error)
                     : record_passes(context, array, rule, &s, &push, commands, error);
}

lg_status lg_area_record_axis(lg_context *context, lg_area_word sum, uint64_t table,
                              uint64_t layer_entries, uint32_t layers, lg_vk_commands *commands,
                              lg_error *error)
{
    if (layer_entries > UINT32_MAX - LINES_GROUP)
        return lg_fail(error, LG_ERROR_UNSUPPORTED, "a layer of %llu sums is too large",
                       (unsigned long long)layer_entries);
    const lg_area_lines_push push = {.data = table,
                                     .step = layer_entries,
                                     .inner = (uint32_t)layer_entries,
                                     .lines = (uint32_t)layer_entries,
                                     .count = layers};
    return lg_area_record_lines(context, sum, false, &push, commands, error);
}

lg_status lg_area_record_largest(lg_context *context, const lg_device_array *array, uint64_t result,
                                 lg_vk_commands *commands, lg_error *error)
{
    const uint32_t group = 256, vector = array->type == LG_F32 ? 4 : 8;
    const uint32_t constants[] = {group, (uint32_t)array->channels, (uint32_t)array->type};
    const uint64_t samples = (uint64_t)array->width * (uint64_t)array->channels,
                   rows = (uint64_t)array->height * array->layers;
    const lg_vk_pipeline *pipeline;
    if (samples > UINT32_MAX - group * vector || rows > UINT32_MAX / 2 ||
        array->row_stride > UINT32_MAX)
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "an array of %u x %u x %u elements is too large", array->width,
                       array->height, array->layers);
    lg_status status = lg_vk_pipeline_get(context->vk, &lg_spirv_areasum_largest, constants,
                                          LG_COUNT(constants), 0, &pipeline, error);
    if (status)
        return status;
    const lg_area_largest_push push = {.data = array->data,
                                       .layer_stride = array->layer_stride,
                                       .result = result,
                                       .row_stride = (uint32_t)array->row_stride,
                                       .width = (uint32_t)samples,
                                       .height = array->height,
                                       .rows = (uint32_t)rows};
    // A row has many workgroups where there are few rows. Software gets as many as there may be.
    const lg_vk_limits *limits = lg_vk_get_limits(context->vk);
    const uint32_t max =
        limits->hardware ? lg_device_groups(context, UINT32_MAX, 8) : limits->max_workgroups[0];
    if (!limits->hardware && rows * divide_up(samples, group * vector) / max > LOOP_MOST)
        return lg_fail(error, LG_ERROR_UNSUPPORTED, "too many samples for this device's loops");
    const uint32_t x = (uint32_t)LG_MIN(rows, (uint64_t)max);
    const uint32_t y =
        (uint32_t)LG_MIN(divide_up(samples, (uint64_t)group * vector), (uint64_t)max / x);
    lg_vk_reads(commands, push.data, 0);
    lg_vk_adds(commands, push.result, 16);
    lg_vk_dispatch(commands, pipeline, &push, sizeof push, x, LG_MAX(y, 1u), 1);
    lg_vk_barrier(commands);
    return LG_OK;
}

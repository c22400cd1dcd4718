// Area sums that live on a Vulkan device: building all planes there, and batches of boxes.
#include "measure/areasum/areasum_device.h"

#include "device/lookback.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BOXES_AT_ONCE (1 << 18)
#define MOST_BINS     1024 // each has memory of its own, and devices have a limit of such

typedef struct device_plane {
    lg_vk_buffer *words;  // the table, or all blocks of the ripmap, the first at the end
    lg_vk_buffer *blocks; // of ripmaps: addresses
    size_t bytes;
    lg_area_word word;
} device_plane;

struct lg_area_device {
    lg_context *context;
    lg_vk_commands *commands;
    lg_vk_buffer *largest; // what lg_area_record_largest leaves
    lg_vk_buffer *bounds, *results;
    size_t box_capacity;
    device_plane *planes;
    int plane_count;
};

#define READ_AHEAD 256 // bytes behind the last sample that kernels may read

static void destroy_device(lg_area_device **device)
{
    lg_area_device *d = *device;
    if (!d)
        return;
    lg_vk *vk = d->context->attached;
    for (int i = 0; i < d->plane_count; i++) {
        lg_vk_buffer_destroy(vk, &d->planes[i].words);
        lg_vk_buffer_destroy(vk, &d->planes[i].blocks);
    }
    lg_free(d->planes);
    lg_vk_buffer_destroy(vk, &d->largest);
    lg_vk_buffer_destroy(vk, &d->bounds);
    lg_vk_buffer_destroy(vk, &d->results);
    lg_vk_commands_destroy(vk, &d->commands);
    lg_free(d);
    *device = NULL;
}

bool lg_area_fits_device(const lg_context *context, const lg_areasum *a, const char **why)
{
    *why = a->shape.dims > 3 ? "of the number of axes"
           : a->shape.type == LG_F64 && a->params.kind != LG_AREASUM_TABLE
               ? "a ripmap has samples of f64"
           : a->params.bins > MOST_BINS ? "of the number of bins"
           : a->params.counts_above && a->params.above < INT32_MIN && a->shape.type != LG_F64
               ? "of the value to count above"
           : a->params.precision == LG_AREA_PLAIN && !lg_vk_get_limits(context->vk)->rounding_rte
               ? "the device does not promise to round to nearest"
               : NULL;
    return !*why;
}

// ---- building -------------------------------------------------------------------------------------

static size_t row_bytes(const lg_area_array *array)
{
    return lg_type_size(array->type) * (size_t)array->channels * (size_t)array->extent[0];
}

size_t lg_area_upload_bytes(const lg_area_array *array)
{
    size_t rows = 1;
    for (int d = 1; d < array->dims; d++)
        rows *= (size_t)array->extent[d];
    return lg_align_up(row_bytes(array), 16) * rows + READ_AHEAD;
}

lg_status lg_area_upload(lg_context *context, const lg_area_array *array, lg_vk_buffer *buffer,
                         size_t offset, lg_device_array *out, lg_error *error)
{
    const size_t pixel = lg_type_size(array->type) * (size_t)array->channels;
    const size_t row = row_bytes(array), stride = lg_align_up(row, 16);
    const size_t height = array->dims > 1 ? (size_t)array->extent[1] : 1;
    const size_t layers = array->dims > 2 ? (size_t)array->extent[2] : 1, rows = height * layers;
    void *line = lg_alloc_uninit(row);
    lg_status status = line ? LG_OK : lg_fail_memory(error, row, "a row of an array");
    const bool adjacent = array->stride[0] == (int64_t)pixel || array->extent[0] == 1;
    const size_t at_once = adjacent && array->dims > 1 ? height : 1;
    for (size_t y = 0; y < rows && !status; y += at_once)
        status = lg_vk_upload(
            context->vk, buffer, offset + y * stride, stride, lg_area_line(array, y, line),
            array->dims > 1 ? (size_t)array->stride[1] : row, row, at_once, error);
    lg_free(line);
    *out = (lg_device_array){
        buffer->address + offset,   stride,           stride * height, array->type, array->channels,
        (uint32_t)array->extent[0], (uint32_t)height, (uint32_t)layers};
    return status;
}

lg_status lg_area_submit(lg_context *context, lg_vk_commands *commands, lg_status status,
                         lg_error *error)
{
    if (!status)
        status = lg_vk_end(commands, error);
    if (!status)
        status = lg_pool_report(context->pool, 0, error);
    if (!status)
        status = lg_vk_submit(context->vk, commands, error);
    return status ? status : lg_vk_wait(context->vk, commands, error);
}

static lg_status run(lg_area_device *d, lg_status status, lg_error *error)
{
    return lg_area_submit(d->context, d->commands, status, error);
}

// The bits of the value above which samples count: of the integers or floats next to it.
static uint32_t above_bits(const lg_areasum *a)
{
    const double above = a->params.above;
    uint32_t bits;
    if (a->floats) {
        float f = (float)above; // the largest float that is not above it
        if ((double)f > above)
            f = nextafterf(f, -INFINITY);
        f = f == 0 ? 0 : f; // not -0
        memcpy(&bits, &f, sizeof bits);
        return bits;
    }
    const double whole = fmin(fmax(floor(above), (double)INT32_MIN), (double)INT32_MAX);
    return (uint32_t)(int32_t)whole;
}

static lg_area_rule rule_of(const lg_areasum *a, const lg_area_plane *plane)
{
    const lg_area_device *d = a->device;
    lg_area_rule rule = {.sum = plane->word,
                         .operation = plane->op,
                         .above = above_bits(a),
                         .largest = d->largest->address};
    if (a->floats)
        rule.fraction = lg_area_fraction(a->elements);
    if (plane->op == LG_AREA_OP_BIN) {
        rule.above = plane->first;
        rule.max = plane->last;
    }
    return rule;
}

// f64: its samples become words first.
static lg_status build_words(const lg_areasum *a, const lg_device_array *array, int number,
                             lg_error *error)
{
    lg_area_device *d = a->device;
    const lg_area_plane *plane = &a->planes[number];
    const lg_area_words words = {.sum = plane->word,
                                 .operation = plane->op,
                                 .length = {array->width, array->height, array->layers},
                                 .times = 1,
                                 .unit = plane->exponent,
                                 .below = lg_area_below(a->elements),
                                 .split = lg_area_split(a->elements),
                                 .above = a->params.above,
                                 .table = d->planes[number].words->address};
    lg_vk_begin(d->commands);
    return run(d, lg_area_record_words(d->context, array, &words, d->commands, error), error);
}

static lg_status build_table(const lg_areasum *a, const lg_device_array *array, int number,
                             lg_error *error)
{
    lg_area_device *d = a->device;
    const lg_area_plane *plane = &a->planes[number];
    const lg_area_rule rule = rule_of(a, plane);
    const uint64_t table = d->planes[number].words->address;
    lg_status status;
    do {
        lg_lookback_begin(d->context);
        lg_vk_begin(d->commands);
        status = lg_area_record_tables(d->context, array, &rule, table, d->commands, error);
        if (!status && array->layers > 1)
            status = lg_area_record_axis(d->context, plane->word, table,
                                         (uint64_t)array->width * array->height *
                                             (uint64_t)array->channels,
                                         array->layers, d->commands, error);
        status = run(d, status, error);
    } while (!status && lg_lookback_gave_up(d->context));
    return status;
}

// The block of the elements begins at a multiple of 16 behind the others.
static size_t block_offset(const lg_areasum *a, int number, size_t block)
{
    const lg_area_plane *plane = &a->planes[number];
    const size_t word = lg_area_word_size(plane->word) * (size_t)a->shape.channels;
    return block ? a->block[block] * word : lg_align_up(a->block_elements * word, 16);
}

static uint64_t block_address(const lg_areasum *a, int number, size_t block)
{
    return a->device->planes[number].words->address + block_offset(a, number, block);
}

// Whether samples as they are uploaded are the first block of the first plane, bit for bit.
static bool is_first_block(const lg_areasum *a)
{
    return a->params.kind == LG_AREASUM_RIPMAP && a->params.precision == LG_AREA_PLAIN &&
           a->shape.type == LG_F32 && !a->ignored && row_bytes(&a->shape) % 16 == 0;
}

static lg_status build_ripmap(const lg_areasum *a, const lg_device_array *array, int number,
                              lg_error *error)
{
    lg_area_device *d = a->device;
    lg_area_rule rule = rule_of(a, &a->planes[number]);
    rule.words = d->planes[number].words->address;
    lg_vk_begin(d->commands);
    return run(d,
               lg_area_record_ripmap(d->context, array, &rule, d->planes[number].blocks->address,
                                     !is_first_block(a) || number > 0, d->commands, error),
               error);
}

static lg_status upload_blocks(const lg_areasum *a, int number, lg_error *error)
{
    device_plane *on = &a->device->planes[number];
    lg_vk *vk = a->device->context->vk;
    uint64_t *address = lg_alloc_array(a->blocks, sizeof *address);
    if (!address)
        return lg_fail_memory(error, a->blocks * sizeof *address, "the layout of a ripmap");
    for (size_t i = 0; i < a->blocks; i++)
        address[i] = block_address(a, number, i);
    const size_t bytes = a->blocks * sizeof *address;
    lg_status status = lg_vk_buffer_create(vk, bytes, LG_VK_DEVICE, &on->blocks, error);
    if (!status)
        status = lg_vk_upload(vk, on->blocks, 0, bytes, address, bytes, bytes, 1, error);
    lg_free(address);
    return status;
}

static size_t bytes_of(const lg_areasum *a, int number)
{
    return (size_t)lg_area_plane_bytes(a, &a->planes[number]) + 16 + READ_AHEAD;
}

// Whether the planes of an earlier array have the places that these need.
static bool is_reserved(const lg_context *context, const lg_areasum *a)
{
    const lg_area_device *d = a->device;
    bool same = d && d->context == context && d->plane_count == a->plane_count;
    for (int i = 0; same && i < a->plane_count; i++)
        same = d->planes[i].bytes == bytes_of(a, i) && d->planes[i].word == a->planes[i].word;
    return same;
}

static lg_status reserve(const lg_areasum *a, lg_error *error)
{
    lg_area_device *d = a->device;
    lg_status status = LG_OK;
    for (int i = 0; i < a->plane_count && !status; i++) {
        device_plane *on = &d->planes[i];
        on->bytes = bytes_of(a, i);
        on->word = a->planes[i].word;
        status = lg_vk_buffer_create(d->context->vk, on->bytes, LG_VK_DEVICE, &on->words, error);
        if (!status && a->params.kind == LG_AREASUM_RIPMAP)
            status = upload_blocks(a, i, error);
    }
    return status;
}

static lg_status open_device(lg_context *context, lg_areasum *a, lg_error *error)
{
    lg_area_device *d = lg_alloc(sizeof *d);
    if (!d)
        return lg_fail_memory(error, sizeof *d, "area sums on a device");
    a->device = d;
    a->owner = context;
    d->context = context;
    d->planes = lg_alloc_array((size_t)a->plane_count, sizeof *d->planes);
    if (!d->planes)
        return lg_fail_memory(error, (size_t)a->plane_count * sizeof *d->planes, "area sums");
    d->plane_count = a->plane_count;
    lg_status status = lg_vk_commands_create(context->vk, 0, &d->commands, error);
    if (!status)
        status = lg_vk_buffer_create(context->vk, 16, LG_VK_DEVICE, &d->largest, error);
    return status ? status : reserve(a, error);
}

static lg_status find_largest(const lg_areasum *a, const lg_device_array *array, lg_error *error)
{
    lg_area_device *d = a->device;
    lg_vk_begin(d->commands);
    lg_vk_fill(d->commands, d->largest, 0, 16, 0);
    lg_vk_barrier(d->commands);
    return run(d,
               lg_area_record_largest(d->context, array, d->largest->address, d->commands, error),
               error);
}

// ---- queries --------------------------------------------------------------------------------------

static lg_status reserve_boxes(lg_area_device *d, const lg_areasum *a, size_t count,
                               lg_error *error)
{
    lg_vk *vk = d->context->vk;
    count = LG_MIN(count, (size_t)BOXES_AT_ONCE);
    if (d->box_capacity >= count)
        return LG_OK;
    lg_vk_buffer_destroy(vk, &d->bounds);
    lg_vk_buffer_destroy(vk, &d->results);
    d->box_capacity = 0;
    lg_status status = lg_vk_buffer_create(vk, count * (size_t)a->shape.dims * 2 * sizeof(int32_t),
                                           LG_VK_DEVICE, &d->bounds, error);
    if (!status)
        status = lg_vk_buffer_create(vk, count * (size_t)a->shape.channels * 8, LG_VK_DEVICE,
                                     &d->results, error);
    if (!status)
        d->box_capacity = count;
    return status;
}

static lg_status ask(const lg_areasum *a, int number, size_t count, void *results, lg_error *error)
{
    lg_area_device *d = a->device;
    const lg_area_plane *plane = &a->planes[number];
    lg_device_boxes boxes = {.bounds = d->bounds->address,
                             .results = d->results->address,
                             .count = count,
                             .dims = a->shape.dims,
                             .channels = a->shape.channels};
    for (int i = 0; i < LG_AREA_DIMS; i++)
        boxes.extent[i] = (uint32_t)a->shape.extent[i];
    boxes.words = d->planes[number].words->address;
    lg_vk_begin(d->commands);
    lg_status status =
        a->params.kind == LG_AREASUM_RIPMAP
            ? lg_area_record_nodes(d->context, &boxes, plane->word, plane->op,
                                   d->planes[number].blocks->address, d->commands, error)
            : lg_area_record_corners(d->context, &boxes, plane->word, lg_area_wraps(a, plane),
                                     d->planes[number].words->address, d->commands, error);
    status = run(d, status, error);
    const bool single = plane->word == LG_AREA_F32 && a->params.kind == LG_AREASUM_TABLE;
    const size_t bytes = count * (size_t)a->shape.channels * (single ? 4 : 8);
    return status ? status
                  : lg_vk_download(d->context->vk, results, bytes, d->results, 0, bytes, bytes, 1,
                                   error);
}

static void take(const lg_areasum *a, const lg_area_plane *plane, const uint32_t *results, size_t i,
                 lg_area_state *state)
{
    const uint64_t sum = results[2 * i] | (uint64_t)results[2 * i + 1] << 32;
    float single[2];
    if (plane->word == LG_AREA_F32 && a->params.kind == LG_AREASUM_TABLE) {
        memcpy(single, results + i, sizeof *single);
        state->real = (double)single[0];
        return;
    }
    memcpy(single, results + 2 * i, sizeof single);
    switch (plane->op) {
    case LG_AREA_OP_SUM:
        state->sum = lg_area_is_signed(a) ? (lg_i128)(int64_t)sum : (lg_i128)sum;
        if (plane->word == LG_AREA_F32) {
            state->hi = single[0];
            state->lo = single[1];
        }
        break;
    case LG_AREA_OP_SUM_LOW:
        state->low = (int64_t)sum;
        break;
    case LG_AREA_OP_SQUARES:
    case LG_AREA_OP_SQUARES_TOP:
        state->squares += lg_area_square(a, plane, sum);
        break;
    case LG_AREA_OP_COUNT:
        state->count = sum;
        break;
    case LG_AREA_OP_LEAST:
        state->min = results[2 * i];
        break;
    case LG_AREA_OP_MOST:
        state->max = results[2 * i];
        break;
    default:
        state->above = sum;
    }
}

// The states of some boxes, which the buffers hold.
static lg_status some_states(const lg_areasum *a, lg_area_figure figure, const int32_t *bounds,
                             size_t count, uint32_t *results, lg_area_state *states,
                             lg_error *error)
{
    const size_t channels = (size_t)a->shape.channels;
    const size_t bytes = count * (size_t)a->shape.dims * 2 * sizeof *bounds;
    lg_status status = lg_vk_upload(a->device->context->vk, a->device->bounds, 0, bytes, bounds,
                                    bytes, bytes, 1, error);
    for (size_t i = 0; i < count * channels; i++) {
        states[i] = lg_area_state_empty();
        states[i].count = lg_area_elements(a, bounds + i / channels * 2 * (size_t)a->shape.dims);
    }
    for (int number = 0; number < a->plane_count && !status; number++) {
        if (!lg_area_needs(figure, a->planes[number].op))
            continue;
        status = ask(a, number, count, results, error);
        for (size_t i = 0; i < count * channels && !status; i++)
            take(a, &a->planes[number], results, i, &states[i]);
    }
    return status;
}

static lg_status query_states(const lg_areasum *a, lg_area_figure figure, const int32_t *bounds,
                              size_t count, void *arg, lg_area_states_fn *each, lg_error *error)
{
    const size_t channels = (size_t)a->shape.channels;
    lg_status status = count ? reserve_boxes(a->device, a, count, error) : LG_OK;
    const size_t max = LG_MIN(count, (size_t)BOXES_AT_ONCE) * channels;
    uint32_t *results = lg_alloc_array(max, 8);
    lg_area_state *states = lg_alloc_array(max, sizeof *states);
    if (!status && count && (!results || !states))
        status = lg_fail_memory(error, max * sizeof *states, "the answers of a query");
    for (size_t first = 0; first < count && !status; first += BOXES_AT_ONCE) {
        const size_t some = LG_MIN(count - first, (size_t)BOXES_AT_ONCE);
        status = some_states(a, figure, bounds + first * 2 * (size_t)a->shape.dims, some, results,
                             states, error);
        if (!status)
            each(arg, first, some, states);
    }
    lg_free(results);
    lg_free(states);
    return status;
}

static lg_status query_histograms(const lg_areasum *a, const int32_t *bounds, size_t count,
                                  uint64_t *out, lg_error *error)
{
    const size_t channels = (size_t)a->shape.channels, bins = (size_t)a->params.bins;
    const size_t box = (size_t)a->shape.dims * 2;
    const size_t max = LG_MIN(count, (size_t)BOXES_AT_ONCE) * channels;
    lg_status status = count ? reserve_boxes(a->device, a, count, error) : LG_OK;
    uint64_t *results = lg_alloc_array(max, sizeof *results);
    if (!status && count && !results)
        status = lg_fail_memory(error, max * sizeof *results, "the answers of a query");
    for (size_t first = 0; first < count && !status; first += BOXES_AT_ONCE) {
        const size_t some = LG_MIN(count - first, (size_t)BOXES_AT_ONCE);
        const size_t bytes = some * box * sizeof *bounds;
        status = lg_vk_upload(a->device->context->vk, a->device->bounds, 0, bytes,
                              bounds + first * box, bytes, bytes, 1, error);
        for (size_t bin = 0; bin < bins && !status; bin++) {
            status = ask(a, a->plane_of[LG_AREA_OP_BIN] + (int)bin, some, results, error);
            for (size_t i = 0; i < some * channels && !status; i++)
                out[(first * channels + i) * bins + bin] = results[i];
        }
    }
    lg_free(results);
    return status;
}

// ---- what the others call -------------------------------------------------------------------------

static const lg_area_device_calls calls = {query_states, query_histograms, destroy_device};

lg_status lg_area_build_vulkan(lg_context *context, lg_areasum *a, const lg_area_array *array,
                               lg_error *error)
{
    lg_device_array samples;
    lg_vk_buffer *buffer = NULL;
    lg_status status = LG_OK;
    if (!is_reserved(context, a)) {
        destroy_device(&a->device);
        status = open_device(context, a, error);
    }
    const bool first = is_first_block(a);
    if (!status && !first)
        status = lg_vk_buffer_create(context->vk, lg_area_upload_bytes(array), LG_VK_DEVICE,
                                     &buffer, error);
    if (!status)
        status = lg_area_upload(context, array, first ? a->device->planes[0].words : buffer,
                                first ? block_offset(a, 0, 0) : 0, &samples, error);
    if (!status && a->floats && a->shape.type != LG_F64) // of f64 the host has found it
        status = find_largest(a, &samples, error);
    for (int i = 0; i < a->plane_count && !status; i++)
        status = (a->params.kind == LG_AREASUM_RIPMAP ? build_ripmap
                  : a->shape.type == LG_F64           ? build_words
                                                      : build_table)(a, &samples, i, error);
    lg_vk_buffer_destroy(context->vk, &buffer);
    a->on_device = &calls;
    if (status)
        destroy_device(&a->device);
    return status;
}

// Smoothed boxes on a Vulkan device: the table is made there, and windows are summed up there. The host
// divides, as for boxes of other tables.
#include "measure/areasum/areasum_device.h"
#include "measure/areasum/areasum_smooth.h"

#define WINDOWS_AT_ONCE ((size_t)1 << 18)

struct lg_smooth_device {
    lg_context *context;
    lg_vk_commands *commands;
    lg_vk_buffer *table, *bounds, *results;
    size_t capacity; // windows
};

static void destroy(lg_smooth_device **device)
{
    lg_smooth_device *d = *device;
    if (!d)
        return;
    lg_vk *vk = d->context->attached;
    lg_vk_buffer_destroy(vk, &d->table);
    lg_vk_buffer_destroy(vk, &d->bounds);
    lg_vk_buffer_destroy(vk, &d->results);
    lg_vk_commands_destroy(vk, &d->commands);
    lg_free(d);
    *device = NULL;
}

static lg_status finish(const lg_smooth_device *d, lg_status status, lg_error *error)
{
    return lg_area_submit(d->context, d->commands, status, error);
}

// ---- windows --------------------------------------------------------------------------------------

static lg_status reserve_windows(lg_smooth_device *d, const lg_area_smooth *s, size_t count,
                                 lg_error *error)
{
    lg_vk *vk = d->context->vk;
    if (d->capacity >= count)
        return LG_OK;
    lg_vk_buffer_destroy(vk, &d->bounds);
    lg_vk_buffer_destroy(vk, &d->results);
    d->capacity = 0;
    lg_status status = lg_vk_buffer_create(vk, count * (size_t)s->shape.dims * 2 * sizeof(int32_t),
                                           LG_VK_DEVICE, &d->bounds, error);
    if (!status)
        status = lg_vk_buffer_create(vk, count * (size_t)s->shape.channels * sizeof(uint64_t),
                                     LG_VK_DEVICE, &d->results, error);
    if (!status)
        d->capacity = count;
    return status;
}

static void lengths_of(const lg_area_smooth *s, uint32_t length[3])
{
    for (int d = 0; d < 3; d++)
        length[d] = d < s->shape.dims ? (uint32_t)s->length[d] : 1;
}

static lg_status some_sums(const lg_area_smooth *s, const int32_t *bounds, size_t count,
                           uint64_t *out, lg_error *error)
{
    lg_smooth_device *d = s->device;
    const size_t bytes = count * (size_t)s->shape.dims * 2 * sizeof *bounds,
                 results = count * (size_t)s->shape.channels * sizeof *out;
    const lg_device_boxes boxes = {.bounds = d->bounds->address,
                                   .results = d->results->address,
                                   .count = count,
                                   .dims = s->shape.dims,
                                   .channels = s->shape.channels};
    uint32_t length[3];
    lengths_of(s, length);
    lg_status status =
        lg_vk_upload(d->context->vk, d->bounds, 0, bytes, bounds, bytes, bytes, 1, error);
    if (status)
        return status;
    lg_vk_begin(d->commands);
    status = finish(d,
                    lg_area_record_windows(d->context, &boxes, s->order, length, d->table->address,
                                           d->commands, error),
                    error);
    return status ? status
                  : lg_vk_download(d->context->vk, out, results, d->results, 0, results, results, 1,
                                   error);
}

static lg_status sums(const lg_area_smooth *s, const int32_t *bounds, size_t count, uint64_t *out,
                      lg_error *error)
{
    lg_status status =
        count ? reserve_windows(s->device, s, LG_MIN(count, WINDOWS_AT_ONCE), error) : LG_OK;
    for (size_t first = 0; first < count && !status; first += WINDOWS_AT_ONCE)
        status = some_sums(s, bounds + first * 2 * (size_t)s->shape.dims,
                           LG_MIN(count - first, WINDOWS_AT_ONCE),
                           out + first * (size_t)s->shape.channels, error);
    return status;
}

// ---- building -------------------------------------------------------------------------------------

static const lg_smooth_device_calls calls = {sums, destroy};

static lg_status make_table(const lg_area_smooth *s, const lg_area_array *array, lg_error *error)
{
    lg_smooth_device *d = s->device;
    lg_device_array samples;
    lg_vk_buffer *buffer = NULL;
    lg_area_words words = {.sum = LG_AREA_U64,
                           .operation = LG_AREA_OP_SUM,
                           .times = s->order,
                           .unit = s->unit,
                           .table = d->table->address};
    lengths_of(s, words.length);
    lg_status status = lg_vk_buffer_create(d->context->vk, lg_area_upload_bytes(array),
                                           LG_VK_DEVICE, &buffer, error);
    if (!status)
        status = lg_area_upload(d->context, array, buffer, 0, &samples, error);
    if (!status) {
        lg_vk_begin(d->commands);
        status = finish(d, lg_area_record_words(d->context, &samples, &words, d->commands, error),
                        error);
    }
    lg_vk_buffer_destroy(d->context->vk, &buffer);
    return status;
}

lg_status lg_area_smooth_vulkan(lg_context *context, lg_area_smooth *s, const lg_area_array *array,
                                lg_error *error)
{
    if (array->dims > 3)
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "the device cannot do it because of the number of axes");
    lg_smooth_device *d = lg_alloc(sizeof *d);
    if (!d)
        return lg_fail_memory(error, sizeof *d, "smoothed boxes on a device");
    d->context = context;
    s->device = d;
    s->owner = context;
    s->on_device = &calls;
    lg_status status = lg_vk_commands_create(context->vk, 0, &d->commands, error);
    if (!status)
        status = lg_vk_buffer_create(context->vk,
                                     s->entries * (size_t)s->shape.channels * sizeof(uint64_t),
                                     LG_VK_DEVICE, &d->table, error);
    if (!status)
        status = make_table(s, array, error);
    if (status)
        destroy(&s->device);
    return status;
}

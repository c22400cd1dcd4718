// Host rows to device memory and back, through a ring of staging slices: while the device copies
// one slice, the host fills or empties another.
#include "vulkan/vk_private.h"

#include <string.h>

enum { REGIONS = 1024, JOBS = 16 };
#define THREADED ((size_t)1 << 20) // bytes from which several threads copy

// One slice worth of work: some whole rows, or a part of one long row.
typedef struct copy_step {
    size_t row, rows, column, bytes; // bytes of each row
} copy_step;

typedef struct copy_plan {
    const lg_vk_rows *rows;
    bool upload;
    size_t stride; // of rows in the slice
    size_t rows_per_step, steps_per_row, count;
} copy_plan;

static copy_plan make_plan(const lg_vk_rows *r, bool upload)
{
    copy_plan p = {.rows = r, .upload = upload, .rows_per_step = 1, .steps_per_row = 1};
    p.stride = r->padding ? r->device_row_stride : r->row_bytes;
    if (p.stride <= LG_VK_STAGING_SIZE) {
        p.rows_per_step = LG_VK_STAGING_SIZE / p.stride;
        if (p.stride != r->device_row_stride)
            p.rows_per_step = LG_MIN(p.rows_per_step, (size_t)REGIONS);
        p.count = (r->rows + p.rows_per_step - 1) / p.rows_per_step;
    } else {
        p.steps_per_row = (r->row_bytes + LG_VK_STAGING_SIZE - 1) / LG_VK_STAGING_SIZE;
        p.count = r->rows * p.steps_per_row;
    }
    return p;
}

static copy_step get_step(const copy_plan *p, size_t index)
{
    const lg_vk_rows *r = p->rows;
    copy_step out = {.bytes = r->row_bytes};
    if (p->steps_per_row > 1) {
        out.row = index / p->steps_per_row;
        out.rows = 1;
        out.column = index % p->steps_per_row * LG_VK_STAGING_SIZE;
        out.bytes = LG_MIN(LG_VK_STAGING_SIZE, r->row_bytes - out.column);
    } else {
        out.row = index * p->rows_per_step;
        out.rows = LG_MIN(p->rows_per_step, r->rows - out.row);
    }
    return out;
}

// ---- host side ----------------------------------------------------------------------------------

typedef struct host_copy {
    const copy_plan *plan;
    copy_step step;
    char *slice;
    size_t jobs;
} host_copy;

static char *host_row(const lg_vk_rows *r, size_t row)
{
    return r->host + row / r->rows_per_layer * r->host_layer_stride +
           row % r->rows_per_layer * r->host_row_stride;
}

// Bytes of a device row, from `column` on, between a slice and the host's row.
static void copy_row(const copy_plan *plan, char *host, size_t column, char *slice, size_t bytes)
{
    const size_t packed = plan->rows->packed, pixels = packed ? bytes / (4 * packed) : 0;
    if (packed && plan->upload)
        lg_pad_pixels(host + column / 4 * 3, pixels, 1, packed, slice);
    else if (packed)
        lg_unpad_pixels(slice, pixels, packed, host + column / 4 * 3);
    else if (plan->upload)
        memcpy(slice, host + column, bytes);
    else
        memcpy(host + column, slice, bytes);
}

static void copy_rows(void *arg, size_t index, int worker)
{
    const host_copy *copy = arg;
    const copy_step *p = &copy->step;
    const bool by_rows = p->rows >= copy->jobs; // else by columns
    const size_t all = by_rows ? p->rows : p->bytes;
    const size_t unit = by_rows ? 1 : 16; // of columns: whole pixels
    const size_t units = (all + unit - 1) / unit;
    const size_t from = LG_MIN(units * index / copy->jobs * unit, all);
    const size_t to = LG_MIN(units * (index + 1) / copy->jobs * unit, all);
    const size_t first = by_rows ? from : 0, last = by_rows ? to : p->rows;
    const size_t column = by_rows ? 0 : from, bytes = by_rows ? p->bytes : to - from;
    for (size_t row = first; row < last; row++) {
        char *host = host_row(copy->plan->rows, p->row + row);
        char *slice = copy->slice + row * copy->plan->stride + column;
        copy_row(copy->plan, host, p->column + column, slice, bytes);
    }
}

static void copy_on_host(lg_vk *vk, const copy_plan *plan, const copy_step *p, char *slice)
{
    host_copy copy = {plan, *p, slice, 1};
    if (vk->pool && p->rows * p->bytes >= THREADED)
        copy.jobs = (size_t)LG_MIN(lg_pool_threads(vk->pool), (int)JOBS);
    if (copy.jobs > 1)
        lg_pool_run(vk->pool, copy.jobs, copy_rows, &copy);
    else
        copy_rows(&copy, 0, 0);
}

// ---- device side --------------------------------------------------------------------------------

static void record_step(const copy_plan *plan, const copy_step *p, lg_vk_ring *ring, size_t slot)
{
    const lg_vk_rows *r = plan->rows;
    const size_t slice = ring->buffer->priv->offset + slot * LG_VK_STAGING_SIZE;
    const size_t device =
        r->device->priv->offset + r->device_offset + p->row * r->device_row_stride + p->column;
    const lg_vk_buffer *from = plan->upload ? ring->buffer : r->device;
    const lg_vk_buffer *to = plan->upload ? r->device : ring->buffer;
    VkBufferCopy regions[REGIONS];
    uint32_t count = 1;
    const bool dense = plan->stride == r->device_row_stride || p->rows == 1;
    if (!dense)
        count = (uint32_t)p->rows;
    for (uint32_t i = 0; i < count; i++) {
        const size_t staged = slice + i * plan->stride, there = device + i * r->device_row_stride;
        regions[i].srcOffset = plan->upload ? staged : there;
        regions[i].dstOffset = plan->upload ? there : staged;
        regions[i].size = dense ? (p->rows - 1) * plan->stride + p->bytes : p->bytes;
    }
    lg_vk_copy_regions(ring->commands[slot], from, to, regions, count);
}

static lg_status send_step(lg_vk *vk, const copy_plan *plan, const copy_step *p, lg_vk_ring *ring,
                           size_t slot, lg_error *error)
{
    lg_vk_commands *c = ring->commands[slot];
    lg_vk_begin(c);
    record_step(plan, p, ring, slot);
    lg_status status = lg_vk_end(c, error);
    return status ? status : lg_vk_submit(vk, c, error);
}

// ---- ring ---------------------------------------------------------------------------------------

static lg_status ring_open(lg_vk *vk, bool upload, lg_vk_ring **out, lg_error *error)
{
    lg_vk_ring *ring = &vk->rings[upload ? 0 : 1];
    *out = ring;
    lg_status status = LG_OK;
    if (!ring->buffer)
        status = lg_vk_buffer_create(vk, LG_VK_STAGING_SLICES * LG_VK_STAGING_SIZE,
                                     upload ? LG_VK_UPLOAD : LG_VK_READBACK, &ring->buffer, error);
    for (int i = 0; i < LG_VK_STAGING_SLICES && !status; i++)
        if (!ring->commands[i])
            status = lg_vk_commands_create(vk, 0, &ring->commands[i], error);
    return status;
}

void lg_vk_rings_destroy(lg_vk *vk)
{
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < LG_VK_STAGING_SLICES; j++)
            lg_vk_commands_destroy(vk, &vk->rings[i].commands[j]);
        lg_vk_buffer_destroy(vk, &vk->rings[i].buffer);
    }
}

static lg_status run(lg_vk *vk, const copy_plan *plan, lg_vk_ring *ring, lg_error *error)
{
    lg_status status = LG_OK;
    char *const map = ring->buffer->map;
    // Upload: fill, send. Download: send, and empty each slice when its turn comes round again.
    const size_t lag = plan->upload ? 0 : LG_VK_STAGING_SLICES;
    for (size_t i = 0; i < plan->count + lag && !status; i++) {
        const size_t slot = i % LG_VK_STAGING_SLICES;
        char *slice = map + slot * LG_VK_STAGING_SIZE;
        status = lg_vk_wait(vk, ring->commands[slot], error);
        if (!status && !plan->upload && i >= lag && i - lag < plan->count) {
            const copy_step done = get_step(plan, i - lag);
            copy_on_host(vk, plan, &done, slice);
        }
        if (status || i >= plan->count)
            continue;
        if (vk->pool)
            status = lg_pool_report(vk->pool, (double)i / (double)plan->count, error);
        if (status)
            continue;
        const copy_step next = get_step(plan, i);
        if (plan->upload)
            copy_on_host(vk, plan, &next, slice);
        status = send_step(vk, plan, &next, ring, slot, error);
    }
    // The caller may free its buffer after a failure: nothing of this transfer may still run.
    lg_status waited = lg_vk_wait_value(vk, vk->lanes, vk->lanes->submitted, vk->lanes->work,
                                        status ? NULL : error);
    return status ? status : waited;
}

lg_status lg_vk_transfer(lg_vk *vk, const lg_vk_rows *rows, bool upload, lg_error *error)
{
    if (vk->lost)
        return lg_vk_fail_lost(vk, error);
    if (rows->rows == 0 || rows->row_bytes == 0)
        return LG_OK;
    size_t last, end;
    if (rows->device_row_stride < rows->row_bytes ||
        !lg_size_mul(rows->rows - 1, rows->device_row_stride, &last) ||
        !lg_size_add(last, rows->row_bytes, &last) ||
        !lg_size_add(last, rows->device_offset, &end) || end > rows->device->size)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "%zu rows of %zu bytes, %zu apart from byte %zu, do not fit a device buffer "
                       "of %zu bytes",
                       rows->rows, rows->row_bytes, rows->device_row_stride, rows->device_offset,
                       rows->device->size);
    lg_vk_ring *ring;
    lg_status status = ring_open(vk, upload, &ring, error);
    if (status)
        return status;
    const copy_plan plan = make_plan(rows, upload);
    return run(vk, &plan, ring, error);
}

static lg_vk_rows plain_rows(const lg_vk_buffer *device, size_t offset, size_t row_stride,
                             const void *host, size_t host_stride, size_t row_bytes, size_t rows)
{
    return (lg_vk_rows){
        .host = (char *)(uintptr_t)host,
        .host_row_stride = host_stride,
        .device = device,
        .device_offset = offset,
        .device_row_stride = rows == 1 ? row_bytes : row_stride,
        .row_bytes = row_bytes,
        .rows_per_layer = LG_MAX(rows, (size_t)1),
        .rows = rows,
    };
}

lg_status lg_vk_upload(lg_vk *vk, lg_vk_buffer *to, size_t offset, size_t row_stride,
                       const void *from, size_t from_stride, size_t row_bytes, size_t rows,
                       lg_error *error)
{
    const lg_vk_rows all = plain_rows(to, offset, row_stride, from, from_stride, row_bytes, rows);
    return lg_vk_transfer(vk, &all, true, error);
}

lg_status lg_vk_download(lg_vk *vk, void *to, size_t to_stride, const lg_vk_buffer *from,
                         size_t offset, size_t row_stride, size_t row_bytes, size_t rows,
                         lg_error *error)
{
    lg_vk_rows all = plain_rows(from, offset, row_stride, to, to_stride, row_bytes, rows);
    // Reading a little padding along is cheaper than one region per row.
    all.padding = all.device_row_stride - row_bytes <= 64 && row_stride >= row_bytes;
    return lg_vk_transfer(vk, &all, false, error);
}

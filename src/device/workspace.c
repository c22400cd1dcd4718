#include "device/workspace.h"
#include "kernel/types.h"

#include <string.h>

lg_status lg_workspace_get(lg_context *context, lg_workspace **out, lg_error *error)
{
    if (!context->workspace) {
        lg_workspace *work = lg_alloc(sizeof *work);
        if (!work)
            return lg_fail_memory(error, sizeof *work, "the device workspace");
        lg_status status =
            lg_vk_commands_create(context->vk, LG_TIMESTAMPS, &work->commands, error);
        if (status) {
            lg_free(work);
            return status;
        }
        context->workspace = work;
    }
    *out = context->workspace;
    return LG_OK;
}

void lg_workspace_destroy(lg_context *context)
{
    lg_workspace *work = context->workspace;
    if (!work)
        return;
    for (int i = 0; i < LG_SCRATCH_COUNT; i++)
        lg_vk_buffer_destroy(context->attached, &work->slot[i]);
    lg_vk_commands_destroy(context->attached, &work->commands);
    lg_free(work);
    context->workspace = NULL;
}

static lg_vk_memory memory_of(lg_slot slot)
{
    switch (slot) {
    case LG_SCRATCH_READBACK:
    case LG_SCRATCH_FLAG:
        return LG_VK_READBACK;
    case LG_SCRATCH_PARAMETERS:
        return LG_VK_UPLOAD;
    default:
        return LG_VK_DEVICE;
    }
}

// With commands of its own: the caller may be recording.
static lg_status zero_fill(lg_context *context, lg_vk_buffer *buffer, lg_error *error)
{
    lg_vk_commands *commands = NULL;
    lg_status status = lg_vk_commands_create(context->vk, 0, &commands, error);
    if (status)
        return status;
    lg_vk_begin(commands);
    lg_vk_fill(commands, buffer, 0, buffer->size, 0);
    lg_vk_barrier(commands);
    status = lg_vk_end(commands, error);
    if (!status)
        status = lg_vk_submit(context->vk, commands, error);
    if (!status)
        status = lg_vk_wait(context->vk, commands, error);
    lg_vk_commands_destroy(context->vk, &commands);
    return status;
}

lg_status lg_workspace_slot(lg_context *context, lg_slot slot, size_t size, lg_vk_buffer **out,
                            lg_error *error)
{
    lg_workspace *work = NULL;
    lg_status status = lg_workspace_get(context, &work, error);
    if (status)
        return status;
    if (!work->slot[slot] || work->slot[slot]->size < size) {
        lg_vk_buffer *buffer = NULL;
        status = lg_vk_buffer_create(context->vk, lg_align_up(LG_MAX(size, (size_t)256), 256),
                                     memory_of(slot), &buffer, error);
        if (!status && (slot == LG_SCRATCH_TOTALS || slot == LG_SCRATCH_CARRIES))
            status = zero_fill(context, buffer, error);
        if (status) {
            lg_vk_buffer_destroy(context->vk, &buffer);
            return status;
        }
        lg_vk_buffer_destroy(context->vk, &work->slot[slot]);
        work->slot[slot] = buffer;
    }
    *out = work->slot[slot];
    return LG_OK;
}

lg_status lg_workspace_run(lg_context *context, lg_workspace *work, lg_error *error)
{
    lg_status status = lg_vk_end(work->commands, error);
    if (!status)
        status = lg_pool_report(context->pool, 0, error);
    if (!status)
        status = lg_vk_submit(context->vk, work->commands, error);
    if (!status)
        status = lg_vk_wait(context->vk, work->commands, error);
    if (!status)
        context->report.compute =
            LG_MAX(context->report.compute, 0.0) + lg_vk_elapsed(context->vk, work->commands, 0, 1);
    return status;
}

lg_status lg_workspace_totals(lg_context *context, size_t words, uint32_t copies,
                              lg_device_totals *out, lg_error *error)
{
    lg_vk_buffer *buffer;
    lg_status status =
        lg_workspace_slot(context, LG_SCRATCH_TOTALS, words * copies * 4, &buffer, error);
    if (status)
        return status;
    *out = (lg_device_totals){buffer->address, copies, (uint32_t)words};
    return LG_OK;
}

void lg_workspace_clear_totals(lg_workspace *work, const lg_device_totals *totals)
{
    lg_vk_fill(work->commands, work->slot[LG_SCRATCH_TOTALS], 0,
               (size_t)totals->copies * totals->copy_words * 4, 0);
    lg_vk_barrier(work->commands);
}

void lg_device_totals_adds(lg_vk_commands *commands, const lg_device_totals *totals)
{
    lg_vk_adds(commands, totals->counters, (uint64_t)totals->copies * totals->copy_words * 4);
}

void lg_workspace_record_readback(lg_workspace *work, const lg_vk_buffer *from, size_t size)
{
    lg_vk_barrier(work->commands);
    lg_vk_copy(work->commands, from, 0, work->slot[LG_SCRATCH_READBACK], 0, size);
    lg_vk_barrier(work->commands);
}

lg_status lg_device_view_open(lg_context *context, const lg_image *image, int64_t x, int64_t y,
                              lg_device_view *out, lg_error *error)
{
    lg_device_view view = {0};
    double upload = 0;
    const lg_image_params shape = lg_shape_padded(&image->shape);
    lg_status status = lg_image_check_adjacent(&image->shape, "what this call takes", error);
    if (!status)
        status = lg_image_check_copy(image, error);
    if (status)
        return status;
    status = lg_vk_image(context->vk, image, &view.buffer, &view.row_stride, &view.layer_stride,
                         &view.temporary, &upload, error);
    if (status)
        return status;
    if (view.temporary)
        context->report.upload = LG_MAX(context->report.upload, 0.0) + upload;
    view.first =
        view.buffer->address + (uint64_t)y * view.row_stride + (uint64_t)x * lg_pixel_size(&shape);
    *out = view;
    return LG_OK;
}

void lg_device_view_close(lg_context *context, lg_device_view *view)
{
    if (view->temporary)
        lg_vk_buffer_destroy(context->vk, &view->buffer);
    memset(view, 0, sizeof *view);
}

lg_status lg_device_walk_open(lg_context *context, const lg_scan *scan, const lg_device_view *view,
                              lg_device_view *mask, lg_device_walk *out, lg_error *error)
{
    const size_t pixel = lg_scan_pixel_size(scan), step = (size_t)scan->step;
    lg_device_view over = {0};
    if (scan->mask) {
        lg_status status = lg_device_view_open(context, scan->mask, scan->x, scan->y, &over, error);
        if (status)
            return status;
    }
    // Offsets within 32 taken rows are formed in 32 bits.
    if (view->row_stride * step > INT32_MAX / 32 || over.row_stride * step > INT32_MAX / 32) {
        lg_device_view_close(context, &over);
        return lg_fail(error, LG_ERROR_UNSUPPORTED, "rows too long for the device kernels");
    }
    *mask = over;
    *out = (lg_device_walk){
        .data = view->first,
        .layer_stride = view->layer_stride,
        .mask = over.first,
        .mask_layer_stride = scan->mask && scan->mask->shape.layers > 1 ? over.layer_stride : 0,
        .row_stride = (uint32_t)(view->row_stride * step),
        .mask_row_stride = (uint32_t)(over.row_stride * step),
        .step = (uint32_t)(pixel * step),
        .mask_step = scan->mask ? (uint32_t)step : 0,
        .alpha = scan->alpha,
        .width = (uint32_t)scan->width,
        .height = (uint32_t)scan->height,
    };
    return LG_OK;
}

void lg_device_walk_reads(lg_vk_commands *commands, const lg_device_walk *walk)
{
    lg_vk_reads(commands, walk->data, 0);
    lg_vk_reads(commands, walk->mask, 0);
}

bool lg_vector_rows_init(lg_vector_rows *out, const lg_device_view *view, int64_t width,
                         int64_t height, size_t pixel_size)
{
    const uint64_t row_bytes = (uint64_t)width * pixel_size;
    uint64_t bytes = row_bytes, rows = (uint64_t)height;
    const uint64_t skip = view->first & 15;
    if (view->row_stride % 16 && rows > 1)
        return false;
    if (view->row_stride == row_bytes || rows == 1) {
        bytes *= rows;
        rows = 1;
    }
    const uint64_t vectors = (skip + bytes + 15) / 16;
    if (rows * (view->row_stride / 16) > INT32_MAX || vectors > INT32_MAX)
        return false;
    *out = (lg_vector_rows){
        .data = view->first - skip,
        .layer_stride = view->layer_stride,
        .row_stride = (uint32_t)(view->row_stride / 16),
        .rows = (uint32_t)rows,
        .vectors = (uint32_t)vectors,
        .first_skip = (uint32_t)skip,
        .last_keep = (uint32_t)(skip + bytes - (vectors - 1) * 16),
    };
    return true;
}

uint32_t lg_vector_rows_cut(lg_vector_rows *rows, uint32_t groups)
{
    // Few long rows are cut so that every workgroup gets a part; many are dealt out whole. Of one row each
    // gets as many short parts as any other, so that all workgroups read near each other: on an H200 more
    // than 3 GB that other interfaces share are read at half the speed, or less, where each has one part.
    const uint32_t segments = rows->vectors / LG_SEGMENT_VECTORS + 1;
    const uint32_t turns = (segments + groups - 1) / groups;
    const uint32_t parts = rows->rows == 1 ? groups * turns : groups * 4 / rows->rows;
    rows->segments = LG_MAX(LG_MIN(parts, rows->vectors), 1u);
    return LG_MIN(groups, rows->rows * rows->segments);
}

uint32_t lg_device_groups(const lg_context *context, uint64_t pieces, uint32_t per_unit)
{
    const lg_vk_limits *limits = lg_vk_get_limits(context->vk);
    const uint64_t units = limits->compute_units ? limits->compute_units : 16;
    return (uint32_t)LG_MAX((uint64_t)1, LG_MIN(pieces, units * per_unit));
}

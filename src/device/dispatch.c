#include "device/dispatch.h"

#include <stdio.h>

#include "device/spill.h"
#include "vulkan/vk.h"

// ---- the report ---------------------------------------------------------------------------------

static void name_device(lg_engine_report *report, const lg_device_info *info, const char *fallback)
{
    snprintf(report->device, sizeof report->device, "%s", info->name);
    snprintf(report->driver, sizeof report->driver, "%s", info->driver);
    snprintf(report->fallback, sizeof report->fallback, "%s", fallback);
}

static void forget(lg_engine_report *report)
{
    report->upload = report->compute = report->download = -1;
    report->variant[0] = '\0';
}

void lg_report_cpu(lg_context *context, const char *fallback)
{
    forget(&context->report);
    name_device(&context->report, &context->processor, fallback);
}

// ---- the policy ---------------------------------------------------------------------------------

static bool cpu_can_help(lg_status status)
{
    return status == LG_ERROR_UNSUPPORTED || status == LG_ERROR_DEVICE || status == LG_ERROR_MEMORY;
}

lg_status lg_device_failure(const lg_context *context, const char *name, lg_status status,
                            const lg_error *why, lg_error *error)
{
    if (context->params.strict && cpu_can_help(status))
        return lg_fail(error, LG_ERROR_DEVICE,
                       "%s on %.100s: %.250s. The CPU would do it if that were allowed (strict)",
                       name, context->info.name, why->message);
    if (error)
        *error = *why;
    return status;
}

bool lg_cpu_takes_over(lg_context *context, const char *name, lg_status status, const lg_error *why,
                       lg_status *failure, lg_error *error)
{
    if (!cpu_can_help(status) || context->params.strict) {
        *failure = lg_device_failure(context, name, status, why, error);
        return false;
    }
    const bool lost = lg_vk_lost(context->attached);
    if (!lost || !context->loss_logged)
        lg_log(&context->log, LG_LOG_WARN, "%s on the CPU: %s", name, why->message);
    context->loss_logged = lost;
    return true;
}

lg_status lg_on_cpu(lg_context *context, const lg_backend_row *row, void *task,
                    const char *fallback, lg_error *error)
{
    struct lg_vk *device = context->vk;
    forget(&context->report);
    context->vk = NULL;
    const lg_status status = row->cpu(context, task, error);
    context->vk = device;
    name_device(&context->report, &context->processor,
                fallback); // measuring on the way named it too
    return status;
}

static lg_status on_device(lg_context *context, const lg_backend_row *row, void *task,
                           lg_error *error)
{
    const bool part = context->on_device;
    if (!part)
        forget(&context->report);
    context->on_device = true;
    const lg_status status = row->vulkan(context, task, error);
    context->on_device = part;
    name_device(&context->report, &context->info, "");
    return status;
}

lg_status lg_dispatch(lg_context *context, const lg_backend_row *row, void *task, lg_error *error)
{
    if (!context->vk)
        return lg_on_cpu(context, row, task, "", error);
    // Work of which a part fails is begun anew elsewhere, as a whole.
    if (context->on_device || !row->cpu)
        return on_device(context, row, task, error);
    lg_error why = {LG_OK, ""};
    lg_status status = lg_vk_lost(context->vk) ? lg_vk_fail_lost(context->vk, &why)
                                               : on_device(context, row, task, &why);
    if (status == LG_OK || !lg_cpu_takes_over(context, row->name, status, &why, &status, error))
        return status;
    return lg_on_cpu(context, row, task, why.message, error);
}

// ---- images as the CPU sees them ----------------------------------------------------------------

lg_status lg_host_view_open_empty(const lg_image *of, lg_host_view *out, lg_error *error)
{
    if (of->shape.planes)
        return lg_image_check_adjacent(&of->shape, "what this call takes", error);
    lg_host_view view = {.image = *(const lg_image_private *)of};
    view.image.device = NULL;
    view.image.owns_data = false;
    if (!of->data) {
        size_t bytes;
        lg_status status = lg_image_layout(&view.image.image.shape, &bytes, error);
        if (!status)
            status = lg_block_take(view.image.context, bytes, "the pixels of an image", &view.copy,
                                   error);
        if (status)
            return status;
        view.image.image.data = view.copy;
    }
    *out = view;
    return LG_OK;
}

lg_status lg_host_view_open(const lg_image *of, lg_host_view *out, lg_error *error)
{
    const lg_image_private *from = (const lg_image_private *)of;
    if (!of->data && !from->device && !of->shape.planes)
        return lg_fail(error, LG_ERROR_ARGUMENT, "an image without pixels");
    lg_host_view view;
    lg_status status = lg_host_view_open_empty(of, &view, error);
    if (status)
        return status;
    if (view.copy) {
        lg_image_private there = view.image;
        there.device = from->device;
        status = lg_vk_image_download(from->context->attached, &there, error);
    }
    if (status)
        lg_host_view_close(&view);
    else
        *out = view;
    return status;
}

lg_status lg_host_view_store(const lg_host_view *view, lg_image *to, lg_error *error)
{
    lg_image_private *image = (lg_image_private *)to;
    if (!image->device)
        return LG_OK;
    lg_image_private from = view->image;
    from.device = image->device;
    const lg_status status = lg_vk_image_upload(image->context->attached, &from, error);
    if (!status)
        lg_image_remember(image);
    if (!status || !to->data)
        return status;
    lg_vk_image_release(image->context->attached, image);
    return status == LG_ERROR_CANCELLED ? status : LG_OK;
}

void lg_host_view_close(lg_host_view *view)
{
    lg_block_give(view->image.context, view->copy);
    *view = (lg_host_view){0};
}

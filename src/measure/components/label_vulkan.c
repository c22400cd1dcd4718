// Labelling on a Vulkan device: the forest first, then, with the number of components known, labels and
// figures.
#include "device/spill.h"
#include "device/workspace.h"
#include "measure/components/label_fetch.h"

#include <string.h>

#define LARGEST 4 // where the greatest intensity is, behind the number of components

// What the kernels write, and where the number of components and the greatest intensity come back.
typedef struct label_run {
    lg_context *context;
    const lg_label_task *task;
    lg_label_source source, intensity;
    lg_label_request request;
    lg_workspace *work;
    lg_label_records records;
    lg_vk_buffer *words, *host;
} label_run;

// As it will lie on the device.
static lg_label_source source_of(const lg_image *image)
{
    const lg_image_params *shape = &image->shape;
    const size_t row = lg_align_up((size_t)shape->width * lg_pixel_size(shape), 16);
    return (lg_label_source){.row_stride = row,
                             .layer_stride = row * (size_t)shape->height,
                             .type = shape->type,
                             .width = (uint32_t)shape->width,
                             .height = (uint32_t)shape->height,
                             .layers = (uint32_t)shape->layers};
}

static void start(label_run *r)
{
    const lg_label_task *task = r->task;
    r->source = source_of(task->image);
    r->request = (lg_label_request){.foreground = task->foreground,
                                    .level = task->level,
                                    .connectivity = task->connectivity,
                                    .moments = task->moments};
    if (task->intensity) {
        r->intensity = source_of(task->intensity);
        r->request.intensity = &r->intensity;
    }
}

bool lg_label_fits_device(const lg_context *context, const lg_label_task *task, const char **why)
{
    label_run r = {.task = task};
    start(&r);
    return lg_label_fits_kernels(context, &r.source, &r.request, why);
}

// ---- the two submissions ----------------------------------------------------------------------------

static lg_status submit(label_run *r, lg_status status, lg_error *error)
{
    lg_vk_timestamp(r->work->commands, 1);
    return status ? status : lg_workspace_run(r->context, r->work, error);
}

static void begin(label_run *r)
{
    lg_vk_begin(r->work->commands);
    lg_vk_timestamp(r->work->commands, 0);
}

static lg_status count_components(label_run *r, uint32_t *count, lg_error *error)
{
    begin(r);
    lg_status status =
        lg_label_record_forest(r->context, &r->source, &r->request, r->work->commands, error);
    lg_workspace_record_readback(r->work, r->words, sizeof *count);
    status = submit(r, status, error);
    if (!status)
        *count = *(const uint32_t *)r->host->map;
    return status;
}

static lg_status write_labels(label_run *r, uint32_t *largest, lg_error *error)
{
    begin(r);
    lg_status status =
        lg_label_record_labels(r->context, &r->source, &r->request, r->work->commands, error);
    lg_workspace_record_readback(r->work, r->words, LARGEST + sizeof *largest);
    status = submit(r, status, error);
    if (!status)
        *largest = *(const uint32_t *)((const char *)r->host->map + LARGEST);
    return status;
}

static lg_status run(label_run *r, lg_labels *labels, lg_components *components, lg_error *error)
{
    lg_context *context = r->context;
    uint32_t count = 0, largest = 0;
    lg_status status = lg_workspace_get(context, &r->work, error);
    if (!status)
        status = lg_workspace_slot(context, LG_SCRATCH_RESULTS, 256, &r->words, error);
    if (!status)
        status = lg_workspace_slot(context, LG_SCRATCH_READBACK, 256, &r->host, error);
    if (status)
        return status;
    r->request.count = r->words->address;
    if (r->request.intensity && r->request.intensity->type > LG_U16)
        r->request.largest = r->words->address + LARGEST;
    status = count_components(r, &count, error);
    if (!status && labels)
        labels->count = count;
    if (!status && components) {
        status = lg_components_reserve(components, r->task, count, error);
        if (!status)
            status = lg_label_records_create(context, &r->source, components->shape != NULL, count,
                                             &r->request, &r->records, error);
    }
    if (!status)
        status = write_labels(r, &largest, error);
    if (!status && components)
        status = lg_label_fetch(context, &r->source, &r->request, &r->records, largest, components,
                                error);
    lg_label_records_destroy(context, &r->records);
    return status;
}

// Labels that are written again may be in host memory only.
static lg_status place_labels(label_run *r, lg_labels **labels, lg_error *error)
{
    const lg_image_params *shape = &r->task->image->shape;
    if (!*labels)
        return lg_labels_create_uninit(r->context, shape->width, shape->height, shape->layers, true,
                                       labels, error);
    lg_labels_private *again = lg_labels_internal(*labels);
    lg_status status = LG_OK;
    if (again->device && again->context != r->context)
        lg_vk_buffer_destroy(again->context->attached, &again->device);
    if (!again->device) {
        const size_t pixels = (size_t)shape->width * (size_t)shape->height * (size_t)shape->layers;
        status = lg_vk_buffer_create(r->context->vk, pixels * sizeof(uint32_t), LG_VK_DEVICE,
                                     &again->device, error);
    }
    if (!status) { // they are on the device only now
        lg_block_give(again->context, again->labels.data);
        lg_block_give(again->context, again->scratch);
        again->labels.data = again->scratch = NULL;
        again->scratch_size = 0;
        again->context = r->context;
    }
    return status;
}

static void place(lg_label_source *source, const lg_device_view *view)
{
    source->data = view->first;
    source->row_stride = view->row_stride;
    source->layer_stride = view->layer_stride;
}

lg_status lg_label_vulkan(lg_context *context, const lg_label_task *task, lg_labels **labels,
                          lg_components *components, lg_error *error)
{
    label_run r = {.context = context, .task = task};
    lg_device_view view = {0}, intensity = {0};
    start(&r);
    context->report.compute = -1;
    lg_status status =
        lg_label_check_memory(task, (double)lg_label_device_bytes(&r.source, &r.request), error);
    if (!status && task->want_labels)
        status = place_labels(&r, labels, error);
    if (!status)
        status = lg_device_view_open(context, task->image, 0, 0, &view, error);
    if (!status && task->intensity)
        status = lg_device_view_open(context, task->intensity, 0, 0, &intensity, error);
    if (!status) {
        place(&r.source, &view);
        place(&r.intensity, &intensity);
        if (task->want_labels)
            r.request.labels = lg_labels_internal(*labels)->device->address;
        status = run(&r, task->want_labels ? *labels : NULL, components, error);
    }
    lg_device_view_close(context, &view);
    lg_device_view_close(context, &intensity);
    return status;
}

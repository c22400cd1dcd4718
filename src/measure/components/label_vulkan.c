// Labelling on a Vulkan device: the forest first, then, with the number of components known, labels and
// figures.
#include "device/workspace.h"
#include "measure/components/label_device.h"

#include <string.h>

// What the kernels write, and where the number of components comes back.
typedef struct label_run {
    lg_context *context;
    const lg_label_task *task;
    lg_label_source source, intensity;
    lg_label_request request;
    size_t record_size;
    lg_workspace *work;
    lg_vk_buffer *count, *records, *shapes, *host;
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
    r->record_size = lg_label_record_size(&r->source, &r->request);
}

bool lg_label_fits_device(const lg_context *context, const lg_label_task *task, const char **why)
{
    label_run r = {.task = task};
    start(&r);
    return lg_label_fits_kernels(context, &r.source, &r.request, why);
}

// ---- what comes back --------------------------------------------------------------------------------

static uint64_t sum_of(const uint32_t words[2])
{
    return words[0] | (uint64_t)words[1] << 32;
}

// What records do not hold follows from the one layer that a component has unless it is a volume.
static void take_record(const lg_label_record *r, const lg_label_source *source, bool volume,
                        lg_components *c, size_t i)
{
    const uint32_t row = r->first / source->width, layer = row / source->height;
    const uint64_t x = sum_of(r->x), y = sum_of(r->y), z = layer;
    c->basic[i] = (lg_component_basic){
        .area = r->area,
        .first = r->first,
        .sum = {x, y, volume ? sum_of(r->z) : z * r->area},
        .low = {(int32_t)~r->left, (int32_t)(volume ? ~r->top : row - layer * source->height),
                (int32_t)layer},
        .high = {(int32_t)r->right, (int32_t)r->bottom, (int32_t)(volume ? r->back : layer)}};
    if (c->second)
        c->second[i] = (lg_component_second){.xx = sum_of(r->xx),
                                             .yy = sum_of(r->yy),
                                             .zz = volume ? sum_of(r->zz) : z * z * r->area,
                                             .xy = sum_of(r->xy),
                                             .xz = volume ? sum_of(r->xz) : z * x,
                                             .yz = volume ? sum_of(r->yz) : z * y};
    if (c->intensity) {
        lg_component_intensity *to = &c->intensity[i];
        to->sum = (__int128)sum_of(r->sum);
        to->moment[0] = (__int128)sum_of(r->x_sum);
        to->moment[1] = (__int128)sum_of(r->y_sum);
        to->moment[2] = volume ? (__int128)sum_of(r->z_sum) : to->sum * layer;
        to->squares = sum_of(r->squares);
        to->count = r->area;
        to->min = 65535 - (int32_t)r->low;
        to->max = r->high;
    }
}

static void take_shape(const lg_label_shape_record *r, uint64_t area, lg_component_shape *to)
{
    uint64_t rest = 4 * area;
    for (unsigned i = 1; i < 15; i++) {
        to->windows[i] = r->windows[i - 1];
        rest -= (uint64_t)__builtin_popcount(i) * to->windows[i];
    }
    to->windows[15] = rest / 4;
    for (int i = 0; i < 3; i++)
        to->border[i] = r->border[i];
}

#define RECORDS_AT_ONCE (1 << 16)

typedef struct records_job {
    const label_run *run;
    const char *records;
    const lg_label_shape_record *shapes; // or NULL
    lg_components *components;
} records_job;

static void take_records(void *arg, size_t index, int worker)
{
    const records_job *job = arg;
    const label_run *r = job->run;
    const bool volume = lg_connectivity_is_volume(r->request.connectivity) && r->source.layers > 1;
    const size_t end = LG_MIN((index + 1) * RECORDS_AT_ONCE, (size_t)job->components->count);
    for (size_t i = index * RECORDS_AT_ONCE; i < end; i++) {
        lg_label_record record = {0};
        memcpy(&record, job->records + i * r->record_size, r->record_size);
        take_record(&record, &r->source, volume, job->components, i);
        if (job->shapes)
            take_shape(&job->shapes[i], record.area, &job->components->shape[i]);
    }
}

static lg_status fetch(const label_run *r, lg_vk_buffer *from, size_t bytes, void **out,
                       lg_error *error)
{
    void *to = lg_alloc_uninit(bytes);
    if (!to)
        return lg_fail_memory(error, bytes, "figures of components");
    *out = to;
    return lg_vk_download(r->context->vk, to, bytes, from, 0, bytes, bytes, 1, error);
}

static lg_status fetch_records(const label_run *r, lg_components *components, lg_error *error)
{
    const size_t count = components->count;
    void *records = NULL, *shapes = NULL;
    const double start = lg_time_seconds();
    lg_status status = fetch(r, r->records, count * r->record_size, &records, error);
    if (!status && r->shapes)
        status = fetch(r, r->shapes, count * sizeof(lg_label_shape_record), &shapes, error);
    const records_job job = {r, records, shapes, components};
    if (!status) {
        r->context->report.download =
            LG_MAX(r->context->report.download, 0.0) + lg_time_seconds() - start;
        lg_pool_run(r->context->pool, (count + RECORDS_AT_ONCE - 1) / RECORDS_AT_ONCE, take_records,
                    (void *)(uintptr_t)&job);
    }
    lg_free(records);
    lg_free(shapes);
    return status;
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
    lg_workspace_record_readback(r->work, r->count, sizeof *count);
    status = submit(r, status, error);
    if (!status)
        *count = *(const uint32_t *)r->host->map;
    return status;
}

static lg_status write_labels(label_run *r, lg_error *error)
{
    begin(r);
    return submit(
        r, lg_label_record_labels(r->context, &r->source, &r->request, r->work->commands, error),
        error);
}

static lg_status run(label_run *r, lg_labels *labels, lg_components *components, lg_error *error)
{
    lg_context *context = r->context;
    uint32_t count = 0;
    lg_status status = lg_workspace_get(context, &r->work, error);
    if (!status)
        status = lg_workspace_slot(context, LG_SLOT_RESULTS, 256, &r->count, error);
    if (!status)
        status = lg_workspace_slot(context, LG_SLOT_READBACK, 256, &r->host, error);
    if (status)
        return status;
    r->request.count = r->count->address;
    status = count_components(r, &count, error);
    if (!status && labels)
        labels->count = count;
    if (!status && components) {
        status = lg_components_reserve(components, r->task, count, error);
        if (!status && count > 0)
            status = lg_vk_buffer_create(context->vk, (size_t)count * r->record_size, LG_VK_DEVICE,
                                         &r->records, error);
        if (!status && count > 0 && components->shape)
            status = lg_vk_buffer_create(context->vk, (size_t)count * sizeof(lg_label_shape_record),
                                         LG_VK_DEVICE, &r->shapes, error);
        r->request.figures = r->records ? r->records->address : 0;
        r->request.shapes = r->shapes ? r->shapes->address : 0;
        r->request.capacity = count;
    }
    if (!status)
        status = write_labels(r, error);
    if (!status && r->records)
        status = fetch_records(r, components, error);
    lg_vk_buffer_destroy(context->vk, &r->records);
    lg_vk_buffer_destroy(context->vk, &r->shapes);
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
        lg_vk_buffer_destroy(again->context->vk, &again->device);
    if (!again->device) {
        const size_t pixels = (size_t)shape->width * (size_t)shape->height * (size_t)shape->layers;
        status = lg_vk_buffer_create(r->context->vk, pixels * sizeof(uint32_t), LG_VK_DEVICE,
                                     &again->device, error);
    }
    again->context = r->context;
    if (!status) { // they are on the device only now
        lg_free(again->labels.data);
        again->labels.data = NULL;
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

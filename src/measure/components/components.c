// Labelling: checks, the choice of a backend, holes, and what belongs to labels and components as objects.
#include "measure/components/component_sums.h"

#include "device/dispatch.h"
#include "device/spill.h"
#include "vulkan/vk.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *lg_foreground_name(lg_foreground foreground)
{
    static const char *const names[LG_FOREGROUNDS] = {"nonzero", "above", "values"};
    return (unsigned)foreground < LG_FOREGROUNDS ? names[foreground] : NULL;
}

// ---- labels ---------------------------------------------------------------------------------------

static lg_status new_labels(lg_context *context, int32_t width, int32_t height, int32_t layers,
                            lg_labels_private **out, lg_error *error)
{
    const lg_image_params shape = {
        .width = width, .height = height, .layers = layers, .channels = 1, .type = LG_F32};
    const lg_status status = lg_shape_check(&shape, error);
    if (status)
        return status;
    lg_labels_private *p = lg_alloc(sizeof *p);
    if (!p)
        return lg_fail_memory(error, sizeof *p, "labels");
    p->context = context;
    p->labels = (lg_labels){.width = width, .height = height, .layers = layers};
    p->labels.row_stride = lg_align_up((size_t)width * sizeof(uint32_t), 64);
    p->labels.layer_stride = p->labels.row_stride * (size_t)height;
    *out = p;
    return LG_OK;
}

static lg_status host_memory(lg_labels_private *p, bool zeroed, lg_error *error)
{
    lg_labels *labels = &p->labels;
    void *data = NULL;
    size_t bytes;
    if (!lg_size_mul(labels->layer_stride, (size_t)labels->layers, &bytes) || bytes > SIZE_MAX / 2)
        return lg_fail(error, LG_ERROR_LIMIT, "labels of %d x %d x %d do not fit the address space",
                       labels->width, labels->height, labels->layers);
    const lg_status status =
        (zeroed ? lg_block_take_zeroed : lg_block_take)(p->context, bytes, "labels", &data, error);
    labels->data = data;
    p->limited = p->context->spill != NULL;
    return status;
}

lg_status lg_labels_create_uninit(lg_context *context, int32_t width, int32_t height,
                                  int32_t layers, bool device, lg_labels **out, lg_error *error)
{
    lg_labels_private *p = NULL;
    lg_status status = new_labels(context, width, height, layers, &p, error);
    if (status)
        return status;
    if (device)
        status = lg_vk_buffer_create(
            context->vk, (size_t)width * (size_t)height * (size_t)layers * sizeof(uint32_t),
            LG_VK_DEVICE, &p->device, error);
    else
        status = host_memory(p, false, error);
    if (status) {
        lg_free(p);
        return status;
    }
    *out = &p->labels;
    return LG_OK;
}

lg_status lg_labels_create(lg_context *context, int32_t width, int32_t height, int32_t layers,
                           lg_labels **out, lg_error *error)
{
    lg_labels_private *p = NULL;
    lg_status status = lg_context_check(context, error);
    if (!status && !out)
        status = lg_fail_null(error, "a place for the labels");
    if (!status)
        status = new_labels(context, width, height, layers, &p, error);
    if (status)
        return status;
    status = host_memory(p, true, error);
    if (status) {
        lg_free(p);
        return status;
    }
    *out = &p->labels;
    return LG_OK;
}

// Whether labels may be written by a context, and read from its device.
static lg_status check_labels(const lg_context *context, lg_labels *labels, lg_error *error)
{
    const lg_status status = lg_context_check(context, error);
    if (status)
        return status;
    if (!labels)
        return lg_fail_null(error, "labels");
    const lg_labels_private *p = lg_labels_internal(labels);
    if (p->device && p->context != context)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "the labels are on the device of another context; use that one");
    return LG_OK;
}

lg_status lg_labels_download(lg_context *context, lg_labels *labels, lg_error *error)
{
    lg_status status = check_labels(context, labels, error);
    if (status)
        return status;
    lg_labels_private *p = lg_labels_internal(labels);
    if (!p->device)
        return LG_OK;
    const bool had = labels->data != NULL;
    status = had ? LG_OK : host_memory(p, false, error);
    if (status)
        return status;
    lg_error why = {LG_OK, ""};
    const size_t row = (size_t)labels->width * sizeof(uint32_t);
    status = lg_vk_download(p->context->attached, labels->data, labels->row_stride, p->device, 0,
                            row, row, (size_t)labels->height * (size_t)labels->layers, &why);
    if (!status)
        return LG_OK;
    if (!had) {
        lg_block_give(p->context, labels->data);
        labels->data = NULL;
    }
    return lg_device_failure(context, "labels", status, &why, error);
}

void lg_labels_destroy(lg_labels **labels)
{
    if (!labels || !*labels)
        return;
    lg_labels_private *p = lg_labels_internal(*labels);
    if (p->device)
        lg_vk_buffer_destroy(p->context->attached, &p->device);
    lg_context *const context = p->limited ? p->context : NULL;
    lg_block_give(context, p->labels.data);
    lg_block_give(context, p->scratch);
    lg_free(p);
    *labels = NULL;
}

// ---- components -----------------------------------------------------------------------------------

lg_status lg_components_reserve(lg_components *c, const lg_label_task *task, uint32_t count,
                                lg_error *error)
{
    c->count = count;
    c->basic = lg_alloc_array(count, sizeof *c->basic);
    bool all = c->basic != NULL;
    if (task->moments)
        all &= (c->second = lg_alloc_array(count, sizeof *c->second)) != NULL;
    if (task->intensity)
        all &= (c->intensity = lg_alloc_array(count, sizeof *c->intensity)) != NULL;
    if (task->shape)
        all &= (c->shape = lg_alloc_array(count, sizeof *c->shape)) != NULL;
    return all ? LG_OK
               : lg_fail_memory(error, (size_t)count * sizeof *c->basic, "figures of components");
}

static void drop_figures(lg_components *c)
{
    lg_free(c->basic);
    lg_free(c->second);
    lg_free(c->intensity);
    lg_free(c->shape);
}

void lg_components_destroy(lg_components **components)
{
    if (!components || !*components)
        return;
    lg_components *c = *components;
    drop_figures(c);
    lg_free(c);
    *components = NULL;
}

uint32_t lg_components_count(const lg_components *components)
{
    return components ? components->count : 0;
}

double lg_components_unit(const lg_components *components)
{
    return components ? components->unit : 1;
}

static lg_components *new_components(int32_t width, int32_t height, int32_t layers,
                                     int connectivity)
{
    lg_components *c = lg_alloc(sizeof *c);
    if (c)
        *c = (lg_components){.width = width,
                             .height = height,
                             .layers = layers,
                             .connectivity = connectivity,
                             .unit = 1};
    return c;
}

// ---- checks ---------------------------------------------------------------------------------------

static lg_status check_one_channel(const lg_image *image, const char *what, lg_error *error)
{
    if (lg_image_check_adjacent(&image->shape, what, error))
        return LG_ERROR_ARGUMENT;
    if (image->shape.channels != 1)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "%s of %d channels; one channel is needed: lg_threshold_image makes a "
                       "binary image of colours, the filter convert_channels:to=grey their luma",
                       what, image->shape.channels);
    return LG_OK;
}

static lg_status check_params(const lg_label_params *p, lg_error *error)
{
    const int c = p->connectivity;
    if ((unsigned)p->foreground >= LG_FOREGROUNDS)
        return lg_fail(error, LG_ERROR_ARGUMENT, "unknown foreground %d", (int)p->foreground);
    if (p->foreground == LG_FOREGROUND_ABOVE && !isfinite(p->level))
        return lg_fail(error, LG_ERROR_ARGUMENT, "the level of the foreground is not finite");
    if (c != -1 && c != 4 && c != 8 && !lg_connectivity_is_volume(c))
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "connectivity %d; 4 or 8 in a plane, 6, 18 or 26 in a volume", c);
    if (p->fill_holes && p->foreground == LG_FOREGROUND_VALUES)
        return lg_fail(error, LG_ERROR_ARGUMENT, "holes of a label image cannot be filled");
    return LG_OK;
}

static lg_status check_intensity(const lg_image *intensity, int32_t width, int32_t height,
                                 int32_t layers, lg_error *error)
{
    if (!intensity)
        return LG_OK;
    const lg_image_params *s = &intensity->shape;
    if (s->width != width || s->height != height || s->layers != layers)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "an intensity image of %d x %d x %d for labels of %d x %d x %d", s->width,
                       s->height, s->layers, width, height, layers);
    return check_one_channel(intensity, "an intensity image", error);
}

lg_status lg_label_check_memory(const lg_label_task *task, double bytes, lg_error *error)
{
    if (bytes <= (double)task->memory_limit)
        return LG_OK;
    const double unit = bytes < 1e9 ? 1e6 : 1e9;
    return lg_fail(
        error, LG_ERROR_LIMIT,
        "labelling needs %.4g %s; the limit is %.4g %s: raise it, or take a part of the image",
        bytes / unit, bytes < 1e9 ? "MB" : "GB", (double)task->memory_limit / unit,
        bytes < 1e9 ? "MB" : "GB");
}

// ---- labelling ------------------------------------------------------------------------------------

typedef struct label_work {
    lg_label_task task;
    bool fill_holes;
    lg_labels **labels;
    lg_labels *given; // that are written again; NULL: none
    lg_components *components;
} label_work;

#ifdef LG_HAVE_VULKAN
// What a device has begun is given back.
static void start_again(label_work *w)
{
    if (!w->given)
        lg_labels_destroy(w->labels);
    lg_components *c = w->components;
    if (!c)
        return;
    drop_figures(c);
    *c = (lg_components){.width = c->width,
                         .height = c->height,
                         .layers = c->layers,
                         .connectivity = c->connectivity,
                         .unit = 1};
}

static lg_status label_on_device(lg_context *context, void *arg, lg_error *error)
{
    label_work *w = arg;
    const char *why = NULL;
    if (w->fill_holes)
        return lg_fail(error, LG_ERROR_UNSUPPORTED, "devices do not fill holes");
    if (!lg_label_fits_device(context, &w->task, &why))
        return lg_fail(error, LG_ERROR_UNSUPPORTED, "%s", why ? why : "");
    context->report.upload = context->report.download = -1;
    snprintf(context->report.variant, sizeof context->report.variant, "vulkan-label");
    const lg_status status = lg_label_vulkan(context, &w->task, w->labels, w->components, error);
    if (status)
        start_again(w);
    return status;
}
#endif

static lg_status fill_and_label(lg_context *context, label_work *w, lg_label_task *task,
                                lg_error *error)
{
    if (!w->fill_holes)
        return lg_label_cpu(context, task, w->labels, w->components, error);
    lg_image *filled = NULL;
    lg_status status = lg_label_fill_holes(context, task, &filled, error);
    if (!status) {
        task->image = filled;
        task->foreground = LG_FOREGROUND_NONZERO;
        status = lg_label_cpu(context, task, w->labels, w->components, error);
    }
    lg_image_destroy(&filled);
    return status;
}

static lg_status label_host_pixels(lg_context *context, label_work *w, lg_error *error)
{
    lg_labels_private *again = w->given ? lg_labels_internal(w->given) : NULL;
    lg_label_task task = w->task;
    lg_host_view image = {0}, intensity = {0};
    lg_status status = lg_host_view_open(task.image, &image, error);
    if (!status && task.intensity)
        status = lg_host_view_open(task.intensity, &intensity, error);
    if (!status && again && !again->labels.data)
        status = host_memory(again, false, error);
    if (!status) {
        task.image = &image.image.image;
        task.intensity = task.intensity ? &intensity.image.image : NULL;
        status = fill_and_label(context, w, &task, error);
    }
    if (!status && again && again->device) // the labels are here now
        lg_vk_buffer_destroy(again->context->attached, &again->device);
    lg_host_view_close(&image);
    lg_host_view_close(&intensity);
    return status;
}

static lg_status label_on_cpu(lg_context *context, void *arg, lg_error *error)
{
    const double start = lg_time_seconds();
    const lg_status status = label_host_pixels(context, arg, error);
    context->report.compute = lg_time_seconds() - start;
    snprintf(context->report.variant, sizeof context->report.variant, "cpu-label");
    return status;
}

// The labels as an image, to compare memory: samples of 4 bytes.
static lg_image as_image(const lg_labels *l)
{
    return (lg_image){.shape = {.width = l->width,
                                .height = l->height,
                                .layers = l->layers,
                                .channels = 1,
                                .type = LG_F32,
                                .row_stride = l->row_stride,
                                .layer_stride = l->layer_stride},
                      .data = l->data};
}

static lg_status take_params(const lg_label_params *given, lg_label_params *out, lg_error *error)
{
    const lg_status status =
        lg_params_take(given, &LG_PARAMS_TYPE(lg_label_params, memory_limit), out, error);
    return status ? status : check_params(out, error);
}

// *labels: NULL, or labels that are written again.
static lg_status label(lg_context *context, const lg_image *image, const lg_label_params *params,
                       const lg_image *intensity, bool want_labels, lg_labels **labels,
                       lg_components **components, lg_error *error)
{
    lg_label_params taken = lg_label_params_default();
    const lg_label_params *p = &taken;
    const lg_image_params *s = &image->shape;
    lg_status status = take_params(params, &taken, error);
    if (!status)
        status = check_one_channel(image, "an image", error);
    if (!status)
        status = check_intensity(intensity, s->width, s->height, s->layers, error);
    if (status)
        return status;
    const bool figures = components && p->figures;
    static const lg_backend_row row = {"labels", LG_VULKAN(label_on_device), label_on_cpu};
    label_work work = {.task = {.image = image,
                                .intensity = figures ? intensity : NULL,
                                .foreground = p->foreground,
                                .level = p->level,
                                .connectivity = p->connectivity == -1 ? 8 : p->connectivity,
                                .figures = figures,
                                .moments = figures && p->moments,
                                .shape = figures && p->shape,
                                .want_labels = want_labels,
                                .memory_limit = p->memory_limit},
                       .fill_holes = p->fill_holes,
                       .labels = labels,
                       .given = *labels};
    lg_components *c = NULL;
    if (figures) {
        c = new_components(s->width, s->height, s->layers, work.task.connectivity);
        if (!c)
            return lg_fail_memory(error, sizeof *c, "figures of components");
    }
    work.components = c;
    status = lg_dispatch(context, &row, &work, error);
    if (status)
        lg_components_destroy(&c);
    else if (components)
        *components = c;
    return status;
}

lg_status lg_label_image(lg_context *context, const lg_image *image, const lg_label_params *params,
                         const lg_image *intensity, lg_labels **labels, lg_components **components,
                         lg_error *error)
{
    lg_labels *made = NULL;
    lg_status status = lg_context_check(context, error);
    if (!status && !image)
        status = lg_fail_null(error, "an image");
    if (status)
        return status;
    status = label(context, image, params, intensity, labels != NULL, &made, components, error);
    if (status)
        lg_labels_destroy(&made);
    else if (labels)
        *labels = made;
    return status;
}

lg_status lg_label_update(lg_context *context, const lg_image *image, const lg_label_params *params,
                          const lg_image *intensity, lg_labels *labels, lg_components **components,
                          lg_error *error)
{
    const lg_status status = check_labels(context, labels, error);
    if (status)
        return status;
    if (!image)
        return lg_fail_null(error, "an image");
    const lg_image written = as_image(labels);
    if (lg_images_overlap(&written, image) || (intensity && lg_images_overlap(&written, intensity)))
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "the labels share memory with an image that they are made of");
    const lg_image_params *s = &image->shape;
    if (labels->width != s->width || labels->height != s->height || labels->layers != s->layers)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "labels of %d x %d x %d for an image of %d x %d x %d", labels->width,
                       labels->height, labels->layers, s->width, s->height, s->layers);
    return label(context, image, params, intensity, true, &labels, components, error);
}

lg_status lg_labels_measure(lg_context *context, const lg_labels *labels,
                            const lg_label_params *params, const lg_image *intensity,
                            lg_components **components, lg_error *error)
{
    lg_label_params taken = lg_label_params_default();
    const lg_label_params *p = &taken;
    lg_status status = lg_context_check(context, error);
    if (!status && (!labels || !components))
        status = lg_fail_null(error, "labels, and a place for the components");
    if (!status)
        status = take_params(params, &taken, error);
    if (!status)
        status = check_intensity(intensity, labels->width, labels->height, labels->layers, error);
    if (status)
        return status;
    if (!labels->data)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "the labels are on the device only; download them before measuring");
    lg_host_view view = {0};
    if (intensity)
        status = lg_host_view_open(intensity, &view, error);
    if (status)
        return status;
    const lg_label_task task = {.intensity = intensity ? &view.image.image : NULL,
                                .connectivity = p->connectivity == -1 ? 8 : p->connectivity,
                                .figures = true,
                                .moments = p->moments,
                                .shape = p->shape,
                                .memory_limit = p->memory_limit};
    lg_components *c =
        new_components(labels->width, labels->height, labels->layers, task.connectivity);
    const double start = lg_time_seconds();
    status = c ? lg_label_measure_host(context, &task, labels, c, error)
               : lg_fail_memory(error, sizeof *c, "figures of components");
    lg_host_view_close(&view);
    lg_report_cpu(context, "");
    context->report.compute = lg_time_seconds() - start;
    snprintf(context->report.variant, sizeof context->report.variant, "cpu-label");
    if (status)
        lg_components_destroy(&c);
    else
        *components = c;
    return status;
}

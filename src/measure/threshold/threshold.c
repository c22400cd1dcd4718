// Thresholds of images: measures, finds the levels, binarises.
#include "device/dispatch.h"
#include "device/workspace.h"
#include "measure/histogram/histogram.h"
#include "measure/threshold/threshold_kernels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- histograms the levels come from ----------------------------------------------------------------

// An automatic range is that of all channels: a channel by itself has its own.
static lg_status own_range(const lg_threshold_job *job, const lg_image *image,
                           lg_histogram_params *params, double *only, lg_error *error)
{
    lg_moments m[LG_MAX_CHANNELS];
    const lg_moments_params of = {
        .size = sizeof(lg_moments_params), .select = params->select, .stack = true};
    const lg_status status =
        lg_measure_moments(job->context, image, &of, m, LG_MAX_CHANNELS, error);
    if (status || isnan(m[job->stored - 1].min))
        return status;
    params->automatic_range = false;
    params->lo = m[job->stored - 1].min;
    params->hi = m[job->stored - 1].max;
    *only = params->lo == params->hi ? params->lo : NAN;
    lg_histogram_widen(&params->lo, &params->hi);
    return LG_OK;
}

// bins 0: only the counts per value are wanted. *only: of a binned histogram the value that all
// samples have, NaN where they have several.
static lg_status histogram_of(const lg_threshold_job *job, const lg_image *image,
                              const lg_select *select, int32_t bins, lg_histogram **out,
                              double *only, lg_error *error)
{
    lg_histogram_params params = {
        .size = sizeof(lg_histogram_params),
        .select = *select,
        .stack = job->params->stack,
        .bins = LG_MAX(bins, 1),
        .automatic_range = bins != 0,
        .type_range = bins == 0,
        .space = job->stored > 0 ? LG_SPACE_STORED : LG_SPACE_LUMA,
        .luma = job->params->luma,
    };
    lg_status status = LG_OK;
    *only = NAN;
    if (bins != 0 && job->stored > 0)
        status = own_range(job, image, &params, only, error);
    if (status == LG_OK)
        status = lg_measure_histogram(job->context, image, &params, out, error);
    if (status == LG_OK && params.automatic_range)
        *only = lg_histogram_only_value(*out);
    return status;
}

static const lg_histogram_channel *channel_of(const lg_threshold_job *job, const lg_histogram *h,
                                              int32_t layer)
{
    return &h->channel[layer * h->channels + LG_MAX(job->stored - 1, 0)];
}

void lg_threshold_set_only(lg_threshold *t, double value)
{
    for (int32_t i = 0; i < t->levels && !isnan(value); i++)
        t->level[i] = value;
}

static bool has_values(const lg_threshold_job *job)
{
    const lg_type type = job->scan->type;
    return type <= LG_U16 || (type == LG_F16 && (job->scan->channels < 4 || job->stored > 0));
}

static bool counted_range(const lg_histogram_channel *c, double *lo, double *hi)
{
    *lo = INFINITY;
    *hi = -INFINITY;
    for (uint32_t i = 0; i < c->value_count; i++) {
        const double v = lg_histogram_native_value(c->type, i);
        if (c->values[i] && isfinite(v)) {
            *lo = fmin(*lo, v);
            *hi = fmax(*hi, v);
        }
    }
    return *lo <= *hi;
}

// Level from counts per value, brought into `bins` bins over their own range first.
static lg_status reduced_level(const lg_threshold_params *params,
                               const lg_histogram_channel *values, int32_t bins, lg_threshold *out,
                               lg_error *error)
{
    lg_histogram_channel c = *values;
    lg_histogram_rule rule = {0};
    lg_status status = LG_OK;
    if (!counted_range(values, &c.lo, &c.hi))
        return lg_fail(error, LG_ERROR_DATA, "there is no level: no sample was selected");
    const double only = c.lo == c.hi ? c.lo : NAN;
    if (c.type == LG_F16) {
        lg_histogram_widen(&c.lo, &c.hi);
        status = lg_histogram_set_rule(c.lo, c.hi, bins, &rule, error);
        if (status != LG_OK)
            return status;
    } else {
        bins = LG_MIN(bins, (int32_t)(c.hi - c.lo) + 1);
    }
    c.bins = bins;
    c.counts = lg_alloc_array((size_t)bins, sizeof *c.counts);
    if (!c.counts)
        return lg_fail_memory(error, (size_t)bins * sizeof *c.counts, "a histogram");
    for (uint32_t i = 0; i < c.value_count; i++) {
        if (!c.values[i])
            continue;
        const uint32_t bin = c.type == LG_F16 ? lg_histogram_bin(&rule, (uint32_t)bins,
                                                                 lg_half_to_float((uint16_t)i))
                                              : lg_histogram_integer_bin(&c, i);
        if (bin < (uint32_t)bins) // else NaN or infinite
            c.counts[bin] += c.values[i];
    }
    status = lg_threshold_level(&c, params, out, error);
    if (status == LG_OK)
        lg_threshold_set_only(out, only);
    lg_free(c.counts);
    return status;
}

lg_status lg_threshold_valued(const lg_threshold_params *p, const lg_histogram_channel *c,
                              lg_threshold *out, lg_error *error)
{
    const bool whole =
        p->method == LG_THRESHOLD_MEAN ||
        (p->method == LG_THRESHOLD_OTSU && (p->bins == -1 || p->bins == LG_MAX_BINS));
    if (c->type == LG_U8 || (c->type == LG_U16 && whole))
        return lg_threshold_native(c->values, (int32_t)c->value_count, p, out, error);
    return reduced_level(p, c, p->bins == -1 ? 256 : p->bins, out, error);
}

// All layers from one pass over the samples.
static lg_status valued_levels(const lg_threshold_job *job, lg_threshold *out, lg_error *error)
{
    lg_histogram *histogram = NULL;
    double only;
    lg_status status =
        histogram_of(job, job->image, &job->params->select, 0, &histogram, &only, error);
    for (int32_t i = 0; status == LG_OK && i < histogram->layers; i++)
        status = lg_threshold_valued(job->params, channel_of(job, histogram, i), &out[i], error);
    lg_histogram_destroy(&histogram);
    return status;
}

// ---- floats: a range, and so a pass, for each layer --------------------------------------------------

// One layer as an image of its own, which borrows the pixels on both sides.
typedef struct layer_image {
    lg_image_private image;
    lg_vk_buffer device;
} layer_image;

static void layer_of(const lg_image *image, int32_t layer, layer_image *out)
{
    const lg_image_private *whole = (const lg_image_private *)image;
    *out = (layer_image){.image = *whole};
    if (image->shape.layers == 1)
        return;
    if (image->data)
        out->image.image.data = (uint8_t *)image->data + (size_t)layer * image->shape.layer_stride;
    if (whole->device) {
        out->device = *whole->device;
        out->device.address += (uint64_t)layer * whole->device_layer_stride;
        out->device.size -= (size_t)layer * whole->device_layer_stride;
        out->image.device = &out->device;
    }
    out->image.image.shape.layers = 1;
}

static lg_status binned_level(const lg_threshold_job *job, const lg_image *image,
                              const lg_select *select, lg_threshold *out, lg_error *error)
{
    const int32_t bins = job->params->bins == -1 ? 256 : job->params->bins;
    lg_histogram *histogram = NULL;
    double only;
    lg_status status = histogram_of(job, image, select, bins, &histogram, &only, error);
    if (status == LG_OK)
        status = lg_threshold_level(channel_of(job, histogram, 0), job->params, out, error);
    if (status == LG_OK)
        lg_threshold_set_only(out, only);
    lg_histogram_destroy(&histogram);
    return status;
}

static lg_status binned_levels(const lg_threshold_job *job, lg_threshold *out, lg_error *error)
{
    const lg_select *select = &job->params->select;
    if (job->params->stack || job->scan->layers == 1)
        return binned_level(job, job->image, select, out, error);
    lg_status status = LG_OK;
    for (int32_t i = 0; status == LG_OK && i < job->scan->layers; i++) {
        layer_image image, mask;
        lg_select one = *select;
        layer_of(job->image, i, &image);
        if (select->mask) {
            layer_of(select->mask, i, &mask);
            one.mask = &mask.image.image;
        }
        status = binned_level(job, &image.image.image, &one, &out[i], error);
    }
    return status;
}

// ---- the whole --------------------------------------------------------------------------------------

static lg_status find_levels(const lg_threshold_job *job, lg_threshold *out, lg_error *error)
{
    const int32_t entries = job->params->stack ? 1 : job->scan->layers;
    const bool floats = job->scan->type >= LG_F16;
    if (job->params->method == LG_THRESHOLD_VALUE) {
        for (int32_t i = 0; i < entries; i++)
            out[i] = (lg_threshold){
                .levels = 1, .level = {job->params->value}, .bin = {-1}, .separability = NAN};
        return LG_OK;
    }
    if (job->params->method == LG_THRESHOLD_MEAN && floats)
        return lg_threshold_float_means(job, out, error);
    return has_values(job) ? valued_levels(job, out, error) : binned_levels(job, out, error);
}

lg_status lg_threshold_find(lg_context *context, const lg_image *image, const lg_select *select,
                            lg_luma luma, int channel, lg_threshold *out, lg_error *error)
{
    lg_threshold_params params = lg_threshold_params_default();
    lg_scan scan;
    params.select = select ? *select : params.select;
    params.stack = true;
    params.luma = luma;
    const lg_status status = lg_scan_init(&scan, image, &params.select, error);
    const lg_threshold_job job = {context, image, &scan, &params, channel + 1};
    return status ? status : find_levels(&job, out, error);
}

// The pixels of the output: the region, whatever the selection left out.
static lg_scan output_scan(const lg_threshold_job *job)
{
    const lg_region whole = lg_image_region(&job->image->shape);
    const lg_region *region = job->params->select.region ? job->params->select.region : &whole;
    lg_scan scan = *job->scan;
    scan.width = region->width;
    scan.height = region->height;
    scan.step = 1;
    scan.mask = NULL;
    scan.alpha = -1;
    scan.selective = false;
    return scan;
}

static lg_status binarise(const lg_threshold_job *job, lg_threshold *levels, lg_image **binary,
                          lg_error *error)
{
    const lg_scan scan = output_scan(job);
    const lg_image_params shape = {.width = (int32_t)scan.width,
                                   .height = (int32_t)scan.height,
                                   .layers = scan.layers,
                                   .channels = 1,
                                   .type = LG_U8};
    lg_image *image = NULL;
    lg_status status = binary ? lg_image_create_uninit(job->context, &shape, &image, error) : LG_OK;
    if (status == LG_OK)
        status = lg_threshold_binarise(job->context, &scan, job->params->luma, job->params->stack,
                                       levels, image, error);
    if (status != LG_OK)
        lg_image_destroy(&image);
    else if (binary)
        *binary = image;
    return status;
}

// Counts of an unselected integer image already tell how many pixels pass.
static bool counts_suffice(const lg_threshold_job *job)
{
    return !job->scan->selective && job->scan->step == 1 && job->scan->type <= LG_U16 &&
           job->params->method != LG_THRESHOLD_VALUE;
}

typedef lg_status binarise_fn(const lg_threshold_job *job, lg_threshold *levels, lg_image **binary,
                              lg_error *error);

// The level on the host, from what was measured where the context computes; then the pixels there.
static lg_status general(const lg_threshold_job *job, binarise_fn *write, lg_threshold *levels,
                         lg_image **binary, lg_error *error)
{
    const lg_status status = find_levels(job, levels, error);
    if (status != LG_OK || (!binary && counts_suffice(job)))
        return status;
    return write(job, levels, binary, error);
}

// A job on an image that stands for the caller's.
static lg_status general_on(const lg_threshold_job *job, const lg_image *image, binarise_fn *write,
                            lg_threshold *levels, lg_image **binary, lg_error *error)
{
    lg_scan scan = *job->scan;
    scan.image = image;
    const lg_threshold_job there = {job->context, image, &scan, job->params};
    return general(&there, write, levels, binary, error);
}

typedef struct task {
    lg_threshold_job job;
    lg_threshold *levels;
    size_t entries;
    lg_image **binary;
} task;

#ifdef LG_HAVE_VULKAN
static lg_status binarise_on_device(const lg_threshold_job *job, lg_threshold *levels,
                                    lg_image **binary, lg_error *error)
{
    const lg_scan scan = output_scan(job);
    return lg_threshold_binarise_vulkan(job->context, &scan, job->params->luma, job->params->stack,
                                        levels, binary, error);
}

// The general way passes over the pixels up to three times: they are uploaded once.
static lg_status general_on_device(const lg_threshold_job *job, lg_threshold *levels,
                                   lg_image **binary, lg_error *error)
{
    lg_context *context = job->context;
    lg_engine_report *report = &context->report;
    lg_device_view view;
    report->upload = report->compute = report->download = -1;
    snprintf(report->variant, sizeof report->variant, "device");
    lg_status status = lg_device_view_open(context, job->image, 0, 0, &view, error);
    if (status)
        return status;
    const double upload = report->upload;
    lg_image_private image = *(const lg_image_private *)job->image;
    image.context = context;
    image.device = view.buffer;
    image.device_row_stride = view.row_stride;
    image.device_layer_stride = view.layer_stride;
    status = general_on(job, &image.image, binarise_on_device, levels, binary, error);
    if (view.temporary)
        report->upload = fmax(report->upload, 0) + upload;
    lg_device_view_close(context, &view);
    return status;
}

static lg_status threshold_on_device(lg_context *context, void *arg, lg_error *error)
{
    const task *t = arg;
    lg_error why = {LG_OK, ""};
    const lg_status status =
        lg_threshold_vulkan(context, t->job.scan, t->job.params, t->levels, t->binary, &why);
    if (status == LG_ERROR_UNSUPPORTED)
        return general_on_device(&t->job, t->levels, t->binary, error);
    return status ? lg_fail(error, status, "%s", why.message) : LG_OK;
}
#endif

static lg_status threshold_on_cpu(lg_context *context, void *arg, lg_error *error)
{
    const task *t = arg;
    lg_host_view view;
    lg_engine_report *report = &context->report;
    const double start = lg_time_seconds();
    lg_status status = lg_host_view_open(t->job.image, &view, error);
    if (status)
        return status;
    memset(t->levels, 0, t->entries * sizeof *t->levels); // a device may have begun
    status = general_on(&t->job, &view.image.image, binarise, t->levels, t->binary, error);
    lg_host_view_close(&view);
    report->compute = lg_time_seconds() - start;
    if (!report->variant[0]) // nothing was counted
        snprintf(report->variant, sizeof report->variant, "cpu-%s",
                 lg_cpu_level_name(context->cpu_level));
    return status;
}

lg_status lg_threshold_image(lg_context *context, const lg_image *image,
                             const lg_threshold_params *params, lg_threshold *out, size_t capacity,
                             lg_image **binary, lg_error *error)
{
    lg_threshold_params taken = lg_threshold_params_default();
    lg_status status = lg_context_check(context, error);
    if (!status)
        status = lg_params_take(params, &LG_PARAMS_TYPE(lg_threshold_params, luma), &taken, error);
    if (status)
        return status;
    params = &taken;
    if (!out)
        return lg_fail_null(error, "a place for the levels");
    lg_scan scan;
    status = lg_scan_init(&scan, image, &params->select, error);
    if (status == LG_OK)
        status = lg_threshold_check(params, error);
    if (status != LG_OK)
        return status;
    const size_t entries = params->stack ? 1 : (size_t)scan.layers;
    if (capacity < entries)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "there is room for %zu levels, but %zu are measured: one per layer, or one "
                       "with stack",
                       capacity, entries);
    lg_threshold *levels = lg_alloc_array(entries, sizeof *levels);
    if (!levels)
        return lg_fail_memory(error, entries * sizeof *levels, "the levels of an image");
    static const lg_backend_row row = {"a threshold", LG_VULKAN(threshold_on_device),
                                       threshold_on_cpu};
    task t = {{context, image, &scan, params}, levels, entries, binary};
    status = lg_dispatch(context, &row, &t, error);
    if (status == LG_OK)
        memcpy(out, levels, entries * sizeof *out);
    lg_free(levels);
    return status;
}

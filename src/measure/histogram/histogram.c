// lg_measure_histogram: plan, count on the device of the context, finish.
#include "measure/histogram/histogram.h"

#include "device/dispatch.h"

#include <string.h>

const char *lg_space_name(lg_space space)
{
    static const char *const names[LG_SPACES] = {"stored", "luma", "rgbl",     "linear",   "hsv",
                                                 "hsl",    "lab",  "ycbcr601", "ycbcr709", "yiq",
                                                 "xyz",    "luv",  "lch",      "oklab"};
    return (unsigned)space < LG_SPACES ? names[space] : "unknown";
}

const char *lg_luma_name(lg_luma luma)
{
    static const char *const names[LG_LUMAS] = {"bt709",    "bt601", "bt2020",
                                                "gpuimage", "mean",  "max"};
    return (unsigned)luma < LG_LUMAS ? names[luma] : "unknown";
}

const char *lg_histogram_variant_name(lg_histogram_variant variant)
{
    static const char *const names[LG_HISTOGRAM_VARIANTS] = {
        "auto",       "cpu-single", "cpu-multi",       "cpu-avx512",   "lane-private",
        "replicated", "global",     "partials-device", "partials-host"};
    return (unsigned)variant < LG_HISTOGRAM_VARIANTS ? names[variant] : "unknown";
}

bool lg_histogram_variant_is_cpu(lg_histogram_variant variant)
{
    return variant >= LG_HISTOGRAM_CPU_SINGLE && variant <= LG_HISTOGRAM_CPU_AVX512;
}

bool lg_histogram_variant_is_vulkan(lg_histogram_variant variant)
{
    return variant >= LG_HISTOGRAM_VK_LANE_PRIVATE && variant <= LG_HISTOGRAM_VK_PARTIALS_HOST;
}

void lg_histogram_free_counts(lg_histogram_counts *counts)
{
    lg_free(counts->tables);
    lg_free(counts->outside);
    *counts = (lg_histogram_counts){0};
}

lg_status lg_histogram_allocate_counts(const lg_histogram_task *task, lg_histogram_counts *out,
                                       lg_error *error)
{
    size_t rows = 0, cells = 0, bytes = 0;
    bool fits = lg_size_mul((size_t)task->layers, (size_t)task->channels, &rows) &&
                lg_size_mul(rows, task->table_size, &cells) &&
                lg_size_mul(cells, sizeof *out->tables, &bytes);
    *out = (lg_histogram_counts){0};
    if (fits) {
        out->tables = lg_alloc_aligned(bytes);
        out->outside = lg_alloc_array(rows * LG_OUTSIDE_COUNT, sizeof *out->outside);
    }
    if (out->tables && out->outside)
        return LG_OK;
    lg_histogram_free_counts(out);
    return lg_fail_memory(error, bytes, "the counters of a histogram");
}

static void add_seconds(double *to, double more)
{
    if (more >= 0)
        *to = LG_MAX(*to, 0.0) + more;
}

static lg_status count_with(lg_histogram_backend *backend, lg_context *context,
                            const lg_image *image, const lg_histogram_params *params,
                            lg_histogram_task *task, lg_histogram_counts *counts, lg_error *error)
{
    lg_engine_report *report = &context->report;
    report->upload = report->compute = -1;
    lg_status status = lg_histogram_plan(context, image, params, task, error);
    const double upload = report->upload, compute = report->compute; // of a range that was measured
    if (status == LG_OK)
        status = lg_histogram_allocate_counts(task, counts, error);
    if (status != LG_OK)
        return status;
    status = backend(context, task, counts, error);
    add_seconds(&report->upload, upload);
    add_seconds(&report->compute, compute);
    if (status != LG_OK)
        lg_histogram_free_counts(counts);
    return status;
}

static lg_status finish(lg_status status, const lg_histogram_task *task,
                        lg_histogram_counts *counts, lg_histogram **out, lg_error *error)
{
    if (status != LG_OK)
        return status;
    status = lg_histogram_finish(task, counts, out, error);
    lg_histogram_free_counts(counts);
    return status;
}

lg_status lg_histogram_measure_with(lg_histogram_backend *backend, lg_context *context,
                                    const lg_image *image, const lg_histogram_params *params,
                                    lg_histogram **out, lg_error *error)
{
    lg_histogram_task task;
    lg_histogram_counts counts;
    const lg_status status = count_with(backend, context, image, params, &task, &counts, error);
    return finish(status, &task, &counts, out, error);
}

typedef struct measure_task {
    const lg_image *image;
    const lg_histogram_params *params;
    lg_histogram_task *task;
    lg_histogram_counts *counts;
} measure_task;

// A range that was measured first is a part of the work.
#ifdef LG_HAVE_VULKAN
static lg_status histogram_on_device(lg_context *context, void *arg, lg_error *error)
{
    const measure_task *t = arg;
    return count_with(lg_histogram_vulkan, context, t->image, t->params, t->task, t->counts, error);
}
#endif

static lg_status histogram_on_cpu(lg_context *context, void *arg, lg_error *error)
{
    const measure_task *t = arg;
    lg_host_view view;
    const double start = lg_time_seconds();
    lg_status status = lg_host_view_open(t->image, &view, error);
    if (status)
        return status;
    status = count_with(lg_histogram_cpu, context, &view.image.image, t->params, t->task, t->counts,
                        error);
    lg_host_view_close(&view);
    t->task->scan.image = t->image;
    context->report.compute = lg_time_seconds() - start;
    return status;
}

// What a device cannot do the CPU does, unless a variant of the device was asked for.
lg_status lg_histogram_count(lg_context *context, const lg_image *image,
                             const lg_histogram_params *params, lg_histogram_task *task,
                             lg_histogram_counts *out, lg_error *error)
{
    static const lg_backend_row any = {"a histogram", LG_VULKAN(histogram_on_device),
                                       histogram_on_cpu},
                                device = {"a histogram", LG_VULKAN(histogram_on_device), NULL};
    const lg_histogram_variant variant = params->variant;
    measure_task work = {image, params, task, out};
    if (lg_histogram_variant_is_vulkan(variant) && !context->vk)
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "histogram variant %s runs on Vulkan and this context computes on the CPU; "
                       "use auto or a Vulkan device",
                       lg_histogram_variant_name(variant));
    if (lg_histogram_variant_is_cpu(variant))
        return lg_on_cpu(context, &any, &work, "", error);
    return lg_dispatch(context, lg_histogram_variant_is_vulkan(variant) ? &device : &any, &work,
                       error);
}

lg_status lg_measure_histogram(lg_context *context, const lg_image *image,
                               const lg_histogram_params *params, lg_histogram **out,
                               lg_error *error)
{
    lg_histogram_params taken = lg_histogram_params_default();
    lg_histogram_task task;
    lg_histogram_counts counts;
    lg_status status = lg_context_check(context, error);
    if (!status)
        status =
            lg_params_take(params, &LG_PARAMS_TYPE(lg_histogram_params, variant), &taken, error);
    if (!status && (!image || !out))
        status = lg_fail_null(error, "an image, and a place for the histogram");
    if (!status)
        status = lg_histogram_count(context, image, &taken, &task, &counts, error);
    return finish(status, &task, &counts, out, error);
}

// lg_measure_histogram: plan, count on the device of the context, finish.
#include "measure/histogram/histogram.h"

#include <string.h>

const char *lg_space_name(lg_space space)
{
    static const char *const names[LG_SPACES] = {"stored", "luma", "rgbl", "linear",
                                                 "hsv",    "hsl",  "lab"};
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
        "auto",       "cpu-single", "cpu-multi",       "cpu-avx512",    "lane-private",
        "replicated", "global",     "partials-device", "partials-host", "raster"};
    return (unsigned)variant < LG_HISTOGRAM_VARIANTS ? names[variant] : "unknown";
}

bool lg_histogram_variant_is_cpu(lg_histogram_variant variant)
{
    return variant >= LG_HISTOGRAM_CPU_SINGLE && variant <= LG_HISTOGRAM_CPU_AVX512;
}

bool lg_histogram_variant_is_vulkan(lg_histogram_variant variant)
{
    return variant >= LG_HISTOGRAM_VK_LANE_PRIVATE && variant <= LG_HISTOGRAM_VK_RASTER;
}

static void free_counts(lg_histogram_counts *counts)
{
    lg_free(counts->tables);
    lg_free(counts->rest);
    *counts = (lg_histogram_counts){0};
}

static lg_status allocate_counts(const lg_histogram_task *task, lg_histogram_counts *out,
                                 lg_error *error)
{
    size_t rows = 0, cells = 0, bytes = 0;
    bool fits = lg_size_mul((size_t)task->layers, (size_t)task->channels, &rows) &&
                lg_size_mul(rows, task->table_size, &cells) &&
                lg_size_mul(cells, sizeof *out->tables, &bytes);
    *out = (lg_histogram_counts){0};
    if (fits) {
        out->tables = lg_alloc_aligned(bytes);
        out->rest = lg_alloc_array(rows * LG_RESTS, sizeof *out->rest);
    }
    if (out->tables && out->rest)
        return LG_OK;
    free_counts(out);
    return lg_fail_memory(error, bytes, "the counters of a histogram");
}

lg_status lg_histogram_measure_with(lg_histogram_backend *backend, lg_context *context,
                                    const lg_image *image, const lg_histogram_params *params,
                                    lg_histogram **out, lg_error *error)
{
    lg_histogram_task task;
    lg_histogram_counts counts;
    lg_status status = lg_histogram_plan(context, image, params, &task, error);
    if (status == LG_OK)
        status = allocate_counts(&task, &counts, error);
    if (status != LG_OK)
        return status;
    status = backend(context, &task, &counts, error);
    if (status == LG_OK)
        status = lg_histogram_finish(&task, &counts, out, error);
    free_counts(&counts);
    return status;
}

// On the device where there is one; what it cannot do, the CPU does, unless a variant of the device
// was asked for.
static lg_status count_here(lg_context *context, const lg_histogram_task *task,
                            lg_histogram_counts *counts, lg_error *error)
{
    const lg_histogram_variant variant = task->variant;
    if (lg_histogram_variant_is_vulkan(variant) && !context->vk)
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "histogram variant %s runs on Vulkan and this context computes on the CPU; "
                       "use auto or a Vulkan device",
                       lg_histogram_variant_name(variant));
    if (!context->vk || lg_histogram_variant_is_cpu(variant))
        return lg_histogram_cpu(context, task, counts, error);
    lg_error why = {0};
    lg_status status = lg_histogram_vulkan(context, task, counts, &why);
    const bool can_help = status == LG_ERROR_UNSUPPORTED || status == LG_ERROR_DEVICE;
    if (status == LG_OK || variant != LG_HISTOGRAM_AUTO || !can_help || !task->scan.image->data) {
        if (status != LG_OK && error)
            *error = why;
        return status;
    }
    lg_log(&context->log, LG_LOG_WARN, "histogram counted on the CPU: %s", why.message);
    const size_t rows = (size_t)task->layers * (size_t)task->channels;
    memset(counts->tables, 0, rows * task->table_size * sizeof *counts->tables);
    memset(counts->rest, 0, rows * LG_RESTS * sizeof *counts->rest);
    return lg_histogram_cpu(context, task, counts, error);
}

lg_status lg_measure_histogram(lg_context *context, const lg_image *image,
                               const lg_histogram_params *params, lg_histogram **out,
                               lg_error *error)
{
    const lg_status status = lg_context_check(context, error);
    if (status)
        return status;
    if (!image || !out)
        return lg_fail_null(error, "an image, and a place for the histogram");
    return lg_histogram_measure_with(count_here, context, image, params, out, error);
}

#include "measure/histogram/histogram_device.h"
#include "measure/threshold/threshold.h"
#include "measure/threshold/threshold_push.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

extern const lg_spirv lg_spirv_threshold;

#define THRESHOLD_GROUP 256
#define VALUES          256 // of u8

typedef struct job {
    lg_context *context;
    const lg_threshold_params *params;
    lg_scan whole;          // the output: every pixel of the region
    lg_histogram_task task; // of the selection
    lg_device_view view, mask_view;
    lg_device_walk walk; // of the selection
    lg_histogram_device counts;
    uint32_t method, levels; // levels: layers, or 1
    bool counted;            // the kernel counts the foreground: the output is not the selection
    lg_image_private *binary;
    lg_vk_buffer *results, *host;
    size_t counts_size, results_size;
} job;

static bool device_method(lg_threshold_method method, uint32_t *out)
{
    *out = method == LG_THRESHOLD_OTSU
               ? LG_METHOD_OTSU
               : (method == LG_THRESHOLD_MEAN ? LG_METHOD_MEAN : LG_METHOD_VALUE);
    return method == LG_THRESHOLD_OTSU || method == LG_THRESHOLD_MEAN ||
           method == LG_THRESHOLD_VALUE;
}

// The counts that the level comes from: of the grey values, or of luma.
static lg_status plan_counts(job *j, const lg_image *image, lg_error *error)
{
    const lg_histogram_params params = {.size = sizeof(lg_histogram_params),
                                        .select = j->params->select,
                                        .stack = j->params->stack,
                                        .bins = VALUES,
                                        .type_range = true,
                                        .space = LG_SPACE_LUMA,
                                        .luma = j->params->luma};
    return lg_histogram_plan(j->context, image, &params, &j->task, error);
}

static bool vector_rows(const job *j)
{
    return j->whole.channels != 2 && !j->counted && j->view.first % 16 == 0 &&
           j->view.row_stride % 16 == 0 && j->view.layer_stride % 16 == 0;
}

static lg_status get_pipeline(const job *j, const lg_vk_pipeline **out, lg_error *error)
{
    const uint32_t constants[] = {THRESHOLD_GROUP,
                                  j->method,
                                  (uint32_t)j->whole.channels,
                                  vector_rows(j),
                                  j->params->luma == LG_LUMA_MAX,
                                  j->counted,
                                  j->binary != NULL};
    return lg_vk_pipeline_get(j->context->vk, &lg_spirv_threshold, constants, 7, 0, out, error);
}

// Smallest byte above the level; 256 when there is none.
static uint32_t cut_of(double level)
{
    return LG_MIN(lg_threshold_cut(level).integer, (uint32_t)VALUES);
}

static lg_threshold_push make_push(const job *j)
{
    const uint32_t *w = j->task.luma_weight;
    const lg_histogram_device *c = &j->counts;
    return (lg_threshold_push){
        .data = j->view.first,
        .layer_stride = j->view.layer_stride,
        .mask = j->binary ? j->binary->device->address : 0,
        .mask_layer_stride = j->binary ? j->binary->device_layer_stride : 0,
        .counts = c->totals.counters,
        .results = j->results->address,
        .row_stride = (uint32_t)j->view.row_stride,
        .mask_row_stride = j->binary ? (uint32_t)j->binary->device_row_stride : 0,
        .width = (uint32_t)j->whole.width,
        .height = (uint32_t)j->whole.height,
        .copies = c->totals.copies,
        .copy_words = c->totals.copy_words,
        .layer_words = c->layer_words,
        .table = c->table,
        .layers = j->params->stack ? (uint32_t)j->whole.layers : 1,
        .cut = cut_of(j->params->value),
        .luma_rg = w[0] | w[1] << 16,
        .luma_b = w[2],
    };
}

static void read_back(const job *j, lg_workspace *work)
{
    lg_vk_commands *c = work->commands;
    lg_vk_barrier(c);
    lg_vk_copy(c, work->slot[LG_SCRATCH_TOTALS], 0, j->host, 0, j->counts_size);
    lg_vk_copy(c, j->results, 0, j->host, j->counts_size, j->results_size);
    lg_vk_barrier(c);
    lg_workspace_clear_totals(work, &j->counts.totals);
}

static lg_status record(job *j, lg_workspace *work, lg_error *error)
{
    const lg_vk_pipeline *pipeline = NULL;
    lg_vk_commands *c = work->commands;
    j->results_size = (size_t)j->whole.layers * sizeof(lg_threshold_result);
    lg_status status = get_pipeline(j, &pipeline, error);
    if (!status)
        status =
            lg_workspace_slot(j->context, LG_SCRATCH_RESULTS, j->results_size, &j->results, error);
    if (status)
        return status;
    lg_vk_begin(c);
    lg_vk_fill(c, j->results, 0, j->results_size, 0);
    lg_vk_barrier(c);
    lg_vk_timestamp(c, 0);
    status = lg_histogram_record(j->context, &j->task, &j->view, &j->walk, c, &j->counts, error);
    if (status)
        return status;
    j->counts_size = (size_t)j->counts.totals.copies * j->counts.totals.copy_words * 4;
    status = lg_workspace_slot(j->context, LG_SCRATCH_READBACK, j->counts_size + j->results_size,
                               &j->host, error);
    if (status)
        return status;
    const lg_threshold_push push = make_push(j);
    const uint64_t pieces = (uint64_t)j->whole.width * (uint64_t)j->whole.height / 16384 + 1;
    lg_vk_barrier(c);
    lg_vk_reads(c, push.data, 0);
    lg_vk_writes(c, push.mask, 0);
    lg_vk_reads(c, push.counts, j->counts_size);
    lg_vk_adds(c, push.results, j->results_size);
    lg_vk_dispatch(c, pipeline, &push, sizeof push, lg_device_groups(j->context, pieces, 8),
                   (uint32_t)j->whole.layers, 1);
    lg_vk_timestamp(c, 1);
    read_back(j, work);
    return LG_OK;
}

// Counts of a level, added up over copies (and layers).
static void level_counts(const job *j, uint32_t level, uint64_t *counts)
{
    const uint32_t *words = j->host->map;
    const uint32_t layers = j->params->stack ? (uint32_t)j->whole.layers : 1;
    memset(counts, 0, VALUES * sizeof *counts);
    for (uint32_t copy = 0; copy < j->counts.totals.copies; copy++)
        for (uint32_t layer = level; layer < level + layers; layer++)
            for (uint32_t i = 0; i < VALUES; i++)
                counts[i] += words[(size_t)copy * j->counts.totals.copy_words +
                                   (size_t)layer * j->counts.layer_words + j->counts.table + i];
}

// The figures of a level, which the host derives from the same counts, and whether the device cut there.
static lg_status take_level(const job *j, uint32_t level, lg_threshold *out, lg_error *error)
{
    const uint8_t *after = (const uint8_t *)j->host->map + j->counts_size;
    const lg_threshold_result *results = (const lg_threshold_result *)after;
    uint64_t counts[VALUES];
    level_counts(j, level, counts);
    lg_status status = LG_OK;
    if (j->method == LG_METHOD_VALUE && j->counted) // needs no samples: the selection may be empty
        *out = (lg_threshold){
            .levels = 1, .level = {j->params->value}, .bin = {-1}, .separability = NAN};
    else
        status = lg_threshold_native(counts, VALUES, j->params, out, error);
    if (status)
        return status;
    if (cut_of(out->level[0]) != results[level].cut)
        return lg_fail(
            error, LG_ERROR_UNSUPPORTED,
            "the device cut at %u where the level is %g: the device is not to be trusted",
            results[level].cut, out->level[0]);
    const uint32_t layers = j->params->stack ? (uint32_t)j->whole.layers : 1;
    if (j->counted) {
        out->total = (uint64_t)j->whole.width * (uint64_t)j->whole.height * layers;
        out->foreground = 0;
        for (uint32_t layer = level; layer < level + layers; layer++)
            out->foreground += results[layer].foreground;
    }
    return LG_OK;
}

static lg_status run(job *j, lg_threshold *out, lg_error *error)
{
    lg_workspace *work;
    lg_status status = lg_workspace_get(j->context, &work, error);
    if (!status)
        status = record(j, work, error);
    if (!status)
        status = lg_workspace_run(j->context, work, error);
    lg_threshold *found = lg_alloc_array(j->levels, sizeof *found);
    if (!status && !found)
        status = lg_fail_memory(error, j->levels * sizeof *found, "the levels");
    for (uint32_t i = 0; i < j->levels && !status; i++)
        status = take_level(j, i, &found[i], error);
    if (!status)
        memcpy(out, found, j->levels * sizeof *found);
    lg_free(found);
    return status;
}

static lg_status create_binary(job *j, lg_image **out, lg_error *error)
{
    const lg_image_params shape = {.width = (int32_t)j->whole.width,
                                   .height = (int32_t)j->whole.height,
                                   .layers = j->whole.layers,
                                   .channels = 1,
                                   .type = LG_U8};
    lg_status status = lg_image_create_device(j->context, &shape, out, error);
    j->binary = status ? NULL : (lg_image_private *)*out;
    return status;
}

static lg_status with_views(job *j, const lg_scan *scan, lg_threshold *out, lg_image **binary,
                            lg_error *error)
{
    lg_image *image = NULL;
    lg_status status =
        lg_device_walk_open(j->context, scan, &j->view, &j->mask_view, &j->walk, error);
    if (status)
        return status;
    if (binary)
        status = create_binary(j, &image, error);
    if (!status)
        status = run(j, out, error);
    if (!status && image) {
        const double start = lg_time_seconds();
        status = lg_image_download(j->context, image, error);
        j->context->report.download = lg_time_seconds() - start;
    }
    lg_device_view_close(j->context, &j->mask_view);
    if (status)
        lg_image_destroy(&image);
    else if (binary)
        *binary = image;
    return status;
}

lg_status lg_threshold_vulkan(lg_context *context, const lg_scan *scan,
                              const lg_threshold_params *params, lg_threshold *out,
                              lg_image **binary, lg_error *error)
{
    const lg_vk_limits *limits = lg_vk_get_limits(context->vk);
    job j = {.context = context, .params = params, .whole = *scan};
    if (!device_method(params->method, &j.method) || scan->type != LG_U8 ||
        limits->max_workgroup_size < THRESHOLD_GROUP || scan->image->shape.width > INT32_MAX / 64 ||
        (uint64_t)scan->image->shape.width * (uint64_t)scan->image->shape.height *
                (uint64_t)scan->layers >
            UINT32_MAX ||
        (uint32_t)scan->layers > limits->max_workgroups[1])
        return lg_fail(error, LG_ERROR_UNSUPPORTED, "this threshold is not computed on the device");
    const lg_region region =
        params->select.region ? *params->select.region : lg_image_region(&scan->image->shape);
    j.whole.width = region.width;
    j.whole.height = region.height;
    j.counted = scan->selective || scan->step > 1;
    j.levels = params->stack ? 1 : (uint32_t)scan->layers;
    lg_status status = plan_counts(&j, scan->image, error);
    if (status)
        return status;
    context->report.upload = context->report.compute = context->report.download = -1;
    status = lg_device_view_open(context, scan->image, scan->x, scan->y, &j.view, error);
    if (status)
        return status;
    status = with_views(&j, scan, out, binary, error);
    lg_device_view_close(context, &j.view);
    if (!status)
        snprintf(context->report.variant, sizeof context->report.variant, "device");
    return status;
}

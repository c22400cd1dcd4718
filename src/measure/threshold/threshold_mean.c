// Means of f16 and f32 images as levels: those of the moments, of the grey channel or of luma.
#include "measure/moments/moments.h"
#include "measure/threshold/threshold_kernels.h"

#include <math.h>

static lg_status set_mean(double mean, lg_threshold *out, lg_error *error)
{
    *out = (lg_threshold){.levels = 1, .level = {mean}, .bin = {-1}, .separability = NAN};
    return isnan(mean) ? lg_fail(error, LG_ERROR_DATA,
                                 "the mean is NaN: no sample was selected, or NaN samples are set "
                                 "to propagate")
                       : LG_OK;
}

static lg_status float_means(const lg_threshold_job *job, const lg_image *image,
                             const lg_select *select, lg_threshold *out, lg_error *error)
{
    const size_t channels = (size_t)lg_image_measured_channels(&image->shape);
    const size_t layers = job->params->stack ? 1 : (size_t)job->scan->layers;
    lg_moments *moments = lg_alloc_array(channels * layers, sizeof *moments);
    if (!moments)
        return lg_fail_memory(error, channels * layers * sizeof *moments, "the means of an image");
    const lg_moments_params params = {.select = *select, .stack = job->params->stack};
    lg_status status =
        lg_measure_moments(job->context, image, &params, moments, channels * layers, error);
    for (size_t i = 0; status == LG_OK && i < layers; i++)
        status = set_mean(moments[i * channels].mean, &out[i], error);
    lg_free(moments);
    return status;
}

typedef struct lg_luma_rows {
    const lg_threshold_job *job;
    lg_compare compare;
    const lg_compare_table *table;
    lg_image *luma, *mask;
    uint8_t *scratch; // a row of gathered pixels per worker, NULL for step 1
    size_t scratch_row;
} lg_luma_rows;

static uint8_t *row_of(lg_image *image, int32_t layer, int64_t y)
{
    return (uint8_t *)image->data + (size_t)layer * image->shape.layer_stride +
           (size_t)y * image->shape.row_stride;
}

static void luma_row(void *arg, size_t index, int worker)
{
    const lg_luma_rows *r = arg;
    const lg_scan *scan = r->job->scan;
    const int32_t layer = (int32_t)((int64_t)index / scan->height);
    const int64_t y = (int64_t)index % scan->height;
    uint8_t *scratch = r->scratch ? r->scratch + (size_t)worker * r->scratch_row : NULL;
    const void *pixels = lg_scan_row_dense(scan, layer, y, scratch);
    r->table->luma(&r->compare, pixels, scan->width, (float *)row_of(r->luma, layer, y));
    if (r->mask)
        lg_scan_row_mask(scan, layer, y, row_of(r->mask, layer, y));
}

// The luma of the selected pixels as an image, and what leaves pixels out as a mask.
static lg_status luma_images(lg_luma_rows *r, lg_error *error)
{
    const lg_threshold_job *job = r->job;
    const lg_scan *scan = job->scan;
    lg_image_params shape = {.width = (int32_t)scan->width,
                             .height = (int32_t)scan->height,
                             .layers = scan->layers,
                             .channels = 1,
                             .type = LG_F32};
    lg_status status = lg_image_create(job->context, &shape, &r->luma, error);
    shape.type = LG_U8;
    if (status == LG_OK && scan->selective)
        status = lg_image_create(job->context, &shape, &r->mask, error);
    if (status == LG_OK)
        status = lg_compare_init(job->context, scan, job->params->luma, &r->compare, error);
    if (status == LG_OK && scan->step > 1) {
        r->scratch_row = lg_align_up((size_t)scan->width * lg_pixel_size(&scan->image->shape), 64);
        const size_t bytes = r->scratch_row * (size_t)lg_pool_threads(job->context->pool);
        r->scratch = lg_alloc_aligned(bytes);
        if (!r->scratch)
            status = lg_fail_memory(error, bytes, "rows of pixels");
    }
    return status;
}

static lg_status luma_means_on_cpu(const lg_threshold_job *job, lg_threshold *out, lg_error *error)
{
    lg_luma_rows r = {.job = job, .table = lg_compare_select(job->context)};
    lg_status status = luma_images(&r, error);
    if (status == LG_OK) {
        lg_pool_run(job->context->pool, (size_t)job->scan->height * (size_t)job->scan->layers,
                    luma_row, &r);
        const lg_select select = {.mask = r.mask, .nan = job->params->select.nan, .step = 1};
        status = float_means(job, r.luma, &select, out, error);
    }
    lg_image_destroy(&r.luma);
    lg_image_destroy(&r.mask);
    lg_free(r.scratch);
    return status;
}

// Moments of an image and a mask that only the device has.
static lg_status device_means(const lg_threshold_job *job, const lg_image *luma,
                              const lg_image *mask, lg_threshold *out, lg_error *error)
{
    const size_t layers = job->params->stack ? 1 : (size_t)job->scan->layers;
    const lg_select select = {.nan = job->params->select.nan, .step = 1};
    lg_moments_state *states = lg_alloc_array(layers, sizeof *states);
    lg_scan scan;
    if (!states)
        return lg_fail_memory(error, layers * sizeof *states, "the means of an image");
    lg_status status = lg_scan_init(&scan, luma, &select, error);
    if (status == LG_OK) {
        scan.mask = mask;
        scan.selective = mask != NULL;
        status = lg_moments_vulkan(job->context, &scan, job->params->stack, states, error);
    }
    for (size_t i = 0; status == LG_OK && i < layers; i++) {
        lg_moments figures;
        status = lg_moments_finish(&states[i], scan.nan, &figures, error);
        if (status == LG_OK)
            status = set_mean(figures.mean, &out[i], error);
    }
    lg_free(states);
    return status;
}

static lg_status luma_means_on_device(const lg_threshold_job *job, lg_threshold *out,
                                      lg_error *error)
{
    lg_image *luma = NULL, *mask = NULL;
    lg_status status =
        lg_threshold_luma_vulkan(job->context, job->scan, job->params->luma, &luma, &mask, error);
    const double compute = job->context->report.compute;
    if (status == LG_OK) {
        status = device_means(job, luma, mask, out, error);
        job->context->report.compute = fmax(job->context->report.compute, 0) + compute;
    }
    lg_image_destroy(&luma);
    lg_image_destroy(&mask);
    return status;
}

static lg_status luma_means(const lg_threshold_job *job, lg_threshold *out, lg_error *error)
{
    return job->context->vk ? luma_means_on_device(job, out, error)
                            : luma_means_on_cpu(job, out, error);
}

lg_status lg_threshold_float_means(const lg_threshold_job *job, lg_threshold *out, lg_error *error)
{
    return job->scan->channels == 4
               ? luma_means(job, out, error)
               : float_means(job, job->image, &job->params->select, out, error);
}

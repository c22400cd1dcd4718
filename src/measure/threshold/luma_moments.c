// Moments of the luma of float colours: its image first, and then the moments of that.
#include "measure/threshold/luma_moments.h"

#include "device/dispatch.h"
#include "engine/tile.h"

#include <math.h>

#include "measure/threshold/threshold_kernels.h"

typedef struct lg_luma_rows {
    lg_context *context;
    const lg_scan *scan;
    lg_compare compare;
    const lg_compare_table *table;
    lg_image *luma, *mask;
    size_t scratch_row; // bytes of a row of gathered pixels; 0 in place
} lg_luma_rows;

static uint8_t *row_of(lg_image *image, int32_t layer, int64_t y)
{
    return (uint8_t *)image->data + (size_t)layer * image->shape.layer_stride +
           (size_t)y * image->shape.row_stride;
}

static lg_status luma_row(void *arg, const lg_tile *t)
{
    const lg_luma_rows *r = arg;
    const lg_scan *scan = r->scan;
    const void *pixels = lg_scan_row_dense(scan, t->layer, t->y, t->scratch);
    r->table->luma(&r->compare, pixels, scan->width, (float *)row_of(r->luma, t->layer, t->y));
    if (r->mask)
        lg_scan_row_mask(scan, t->layer, t->y, row_of(r->mask, t->layer, t->y));
    return LG_OK;
}

// The luma of the selected pixels as an image, and what leaves pixels out as a mask.
static lg_status luma_images(lg_luma_rows *r, lg_luma luma, lg_error *error)
{
    const lg_scan *scan = r->scan;
    lg_image_params shape = {.width = (int32_t)scan->width,
                             .height = (int32_t)scan->height,
                             .layers = scan->layers,
                             .channels = 1,
                             .type = LG_F32};
    lg_status status = lg_image_create(r->context, &shape, &r->luma, error);
    shape.type = LG_U8;
    if (status == LG_OK && scan->selective)
        status = lg_image_create(r->context, &shape, &r->mask, error);
    if (status == LG_OK)
        status = lg_compare_init(r->context, scan, luma, &r->compare, error);
    if (!lg_scan_in_place(scan))
        r->scratch_row = (size_t)scan->width * lg_scan_pixel_size(scan);
    return status;
}

static lg_status measure_rows(lg_context *context, const lg_scan *scan, lg_luma luma, bool stack,
                              lg_moments_state *out, lg_error *error)
{
    lg_luma_rows r = {.context = context, .scan = scan, .table = lg_compare_select(context)};
    lg_status status = luma_images(&r, luma, error);
    const lg_tiling rows = {.height = scan->height,
                            .layers = scan->layers,
                            .band = 1,
                            .scratch = r.scratch_row,
                            .what = "rows of pixels",
                            .run = luma_row,
                            .job = &r};
    if (status == LG_OK)
        status = lg_tiling_run(context->pool, &rows, error);
    if (status == LG_OK) {
        lg_scan values;
        const lg_select select = {.mask = r.mask, .nan = scan->nan, .step = 1};
        status = lg_scan_init(&values, r.luma, &select, error);
        if (status == LG_OK)
            status = lg_moments_run(context, &values, stack, out, error);
    }
    lg_image_destroy(&r.luma);
    lg_image_destroy(&r.mask);
    return status;
}

typedef struct task {
    const lg_scan *scan;
    lg_luma luma;
    bool stack;
    lg_moments_state *out;
} task;

static lg_status luma_on_cpu(lg_context *context, void *arg, lg_error *error)
{
    const task *t = arg;
    lg_scan scan = *t->scan;
    lg_host_view view;
    lg_status status = lg_host_view_open(scan.image, &view, error);
    if (status)
        return status;
    scan.image = &view.image.image;
    status = measure_rows(context, &scan, t->luma, t->stack, t->out, error);
    lg_host_view_close(&view);
    return status;
}

#ifdef LG_HAVE_VULKAN
static lg_status luma_on_device(lg_context *context, void *arg, lg_error *error)
{
    const task *t = arg;
    lg_image *image = NULL, *mask = NULL;
    lg_select select = lg_select_default();
    lg_scan values;
    lg_status status = lg_threshold_luma_vulkan(context, t->scan, t->luma, &image, &mask, error);
    const double compute = context->report.compute;
    select.nan = t->scan->nan;
    if (status == LG_OK)
        status = lg_scan_init(&values, image, &select, error);
    if (status == LG_OK) {
        values.mask = mask; // only the device has it
        values.selective = mask != NULL;
        status = lg_moments_vulkan(context, &values, t->stack, t->out, error);
        context->report.compute = fmax(context->report.compute, 0) + compute;
    }
    lg_image_destroy(&image);
    lg_image_destroy(&mask);
    return status;
}
#endif

lg_status lg_luma_moments(lg_context *context, const lg_scan *scan, lg_luma luma, bool stack,
                          lg_moments_state *out, lg_error *error)
{
    static const lg_backend_row row = {"moments of luma", LG_VULKAN(luma_on_device), luma_on_cpu};
    task t = {scan, luma, stack, out};
    return lg_dispatch(context, &row, &t, error);
}

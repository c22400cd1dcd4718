// The foreground of an image in host memory, as bytes.
#include "filter/native/label/label_filter.h"
#include "filter/native/tiles.h"

#include "core/scan.h"

#include <string.h>

#define BAND_PIXELS 65536 // of one job of a thread, about

typedef struct foreground_job {
    const lg_stage_table *stage;
    const lg_image *image;
    const lg_scan *scan; // NULL: all pixels
    lg_image *to;
} foreground_job;

static int is_there(float v)
{
    return v < 0 || v > 0;
}

static void make_row(const foreground_job *job, const lg_pixels *in, int32_t y, uint8_t *to)
{
    _Alignas(64) float samples[4][LG_SPAN];
    float *const planes[4] = {samples[0], samples[1], samples[2], samples[3]};
    for (int32_t x = 0; x < in->width; x += LG_SPAN) {
        const int32_t n = LG_MIN(LG_SPAN, in->width - x);
        job->stage->load(in, x, y, n, planes);
        for (int32_t i = 0; i < n; i++)
            to[x + i] = (uint8_t)(is_there(samples[0][i]) | is_there(samples[1][i]) |
                                  is_there(samples[2][i]));
    }
}

// Leaves what is selected of a row.
static void select_row(const lg_scan *scan, int32_t layer, int64_t y, int32_t width, uint8_t *row)
{
    const size_t left = (size_t)scan->x, end = (size_t)(scan->x + scan->width);
    const bool inside = y >= scan->y && y < scan->y + scan->height;
    memset(row, 0, inside ? left : (size_t)width);
    if (!inside)
        return;
    memset(row + end, 0, (size_t)width - end);
    if (!scan->mask)
        return;
    const lg_image *mask = scan->mask;
    const uint8_t *from = (const uint8_t *)mask->data + (size_t)y * mask->shape.row_stride +
                          (mask->shape.layers == 1 ? 0 : (size_t)layer * mask->shape.layer_stride);
    for (size_t x = left; x < end; x++)
        row[x] = from[x] ? row[x] : 0;
}

static lg_status make_band(void *arg, const lg_tile *t)
{
    const foreground_job *job = arg;
    const lg_image_params *s = &job->to->shape;
    const lg_pixels in = lg_layer_pixels(job->image, t->layer);
    uint8_t *to = (uint8_t *)job->to->data + (size_t)t->layer * s->layer_stride;
    for (int64_t y = t->y; y < t->y_end; y++) {
        uint8_t *row = to + (size_t)y * s->row_stride;
        make_row(job, &in, (int32_t)y, row);
        if (job->scan)
            select_row(job->scan, (int32_t)t->layer, y, s->width, row);
    }
    return LG_OK;
}

lg_status lg_foreground_make(lg_context *context, const lg_image *image, const lg_select *select,
                             lg_image **made, lg_error *error)
{
    *made = NULL;
    const lg_image_params *s = &image->shape;
    lg_scan scan;
    if (!select && s->channels == 1)
        return LG_OK;
    const lg_image_params bytes = {
        .width = s->width, .height = s->height, .layers = s->layers, .channels = 1, .type = LG_U8};
    lg_status status = select ? lg_scan_init(&scan, image, select, error) : LG_OK;
    if (!status)
        status = lg_image_create_uninit(context, &bytes, made, error);
    if (status)
        return status;
    foreground_job job = {lg_stage_get(context->cpu_level), image, select ? &scan : NULL, *made};
    lg_tiling tiling = lg_image_tiling(s);
    tiling.band = LG_MAX(1, BAND_PIXELS / s->width);
    tiling.run = make_band;
    tiling.job = &job;
    return lg_tiling_run(context->pool, &tiling, error);
}

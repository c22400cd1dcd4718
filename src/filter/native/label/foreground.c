// The foreground of an image in host memory, as bytes.
#include "filter/native/label/label_filter.h"
#include "filter/native/tiles.h"

#define BAND_PIXELS 65536 // of one job of a thread, about

typedef struct foreground_job {
    const lg_stage_table *stage;
    const lg_image *image;
    lg_image *to;
    int32_t rows; // of a band
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

static void make_band(void *arg, size_t index, int worker)
{
    const foreground_job *job = arg;
    const lg_image_params *s = &job->to->shape;
    const int64_t height = s->height, all = height * s->layers;
    const int64_t first = (int64_t)index * job->rows, end = LG_MIN(first + job->rows, all);
    for (int64_t row = first; row < end; row++) {
        const int32_t y = (int32_t)(row % height), z = (int32_t)(row / height);
        const lg_pixels in = lg_layer_pixels(job->image, z);
        make_row(job, &in, y,
                 (uint8_t *)job->to->data + (size_t)z * s->layer_stride +
                     (size_t)y * s->row_stride);
    }
}

lg_status lg_foreground_make(lg_context *context, const lg_image *image, lg_image **made,
                             lg_error *error)
{
    *made = NULL;
    const lg_image_params *s = &image->shape;
    if (s->channels == 1)
        return LG_OK;
    const lg_image_params bytes = {
        .width = s->width, .height = s->height, .layers = s->layers, .channels = 1, .type = LG_U8};
    const lg_status status = lg_image_create_uninit(context, &bytes, made, error);
    if (status)
        return status;
    foreground_job job = {lg_stage_get(context->cpu_level), image, *made,
                          LG_MAX(1, BAND_PIXELS / s->width)};
    const size_t rows = (size_t)s->height * (size_t)s->layers, band = (size_t)job.rows;
    lg_pool_run(context->pool, (rows + band - 1) / band, make_band, &job);
    return LG_OK;
}

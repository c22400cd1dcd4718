#include "filter/native/tiles.h"

lg_pixels lg_layer_pixels(const lg_image *image, int32_t layer)
{
    const lg_image_params *s = &image->shape;
    return (lg_pixels){.data = (char *)image->data + (size_t)layer * s->layer_stride,
                       .row_stride = s->row_stride,
                       .width = s->width,
                       .height = s->height,
                       .channels = s->channels,
                       .type = s->type,
                       .alpha = s->alpha};
}

void lg_pixel_tiles_cut(lg_pixel_tiles *tiles, const lg_native_call *call, int64_t rows,
                        int64_t bytes, int64_t min, int64_t band, lg_border border)
{
    const lg_image_params *s = &call->out->shape;
    const int64_t width = s->width, height = s->height;
    const int64_t pixel = (int64_t)lg_pixel_size(&call->in[0]->shape);
    int64_t strip = LG_MAX(bytes / (rows * pixel), LG_MAX(min, 256));
    strip = border == LG_BORDER_WRAP ? width : LG_MIN(strip, width);
    const int64_t strips = (width + strip - 1) / strip; // of about one width
    tiles->strip = (int32_t)(strips == 1 ? width : ((width + strips - 1) / strips + 63) / 64 * 64);
    const int64_t jobs = 2 * (int64_t)lg_pool_threads(call->context->pool);
    const int64_t even = (height + jobs - 1) / jobs;
    tiles->band = (int32_t)LG_MIN(LG_MAX(LG_MAX(even, band), 16), height);
}

typedef struct tiles_run {
    const lg_native_call *call;
    const lg_pixel_tiles *tiles;
} tiles_run;

static lg_status run_tile(void *arg, const lg_tile *t)
{
    const tiles_run *r = arg;
    const lg_pixel_tile tile = {.in = lg_layer_pixels(r->call->in[0], t->layer),
                                .out = lg_layer_pixels(r->call->out, t->layer),
                                .x = (int32_t)t->x,
                                .x_end = (int32_t)t->x_end,
                                .y = (int32_t)(r->call->first + t->y),
                                .y_end = (int32_t)(r->call->first + t->y_end)};
    r->tiles->run(r->tiles->job, &tile, t->scratch);
    return LG_OK;
}

lg_tiling lg_image_tiling(const lg_image_params *shape)
{
    return (lg_tiling){.width = shape->width, .height = shape->height, .layers = shape->layers};
}

lg_status lg_pixel_tiles_run(const lg_native_call *call, const lg_pixel_tiles *tiles)
{
    tiles_run r = {call, tiles};
    lg_tiling t = lg_image_tiling(&call->out->shape);
    if (call->end)
        t.height = call->end - call->first;
    t.strip = tiles->strip;
    t.band = tiles->band;
    t.scratch = tiles->scratch;
    t.what = call->filter->name;
    t.run = run_tile;
    t.job = &r;
    return lg_tiling_run(call->context->pool, &t, call->error);
}

static lg_status run_rows(void *arg, const lg_tile *t)
{
    const lg_row_pass *p = arg;
    p->run(p->job, p->first + t->y, p->first + t->y_end, t->scratch);
    return LG_OK;
}

lg_status lg_rows_run(lg_context *context, const lg_row_pass *pass, lg_error *error)
{
    lg_row_pass p = *pass;
    const lg_tiling tiling = {.height = p.rows,
                              .band = p.band,
                              .scratch = p.scratch,
                              .memory = p.memory,
                              .what = p.what,
                              .run = run_rows,
                              .job = &p};
    return lg_tiling_run(context->pool, &tiling, error);
}

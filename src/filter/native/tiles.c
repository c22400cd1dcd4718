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

void lg_tiles_cut(lg_tiles *tiles, const lg_native_call *call, int64_t rows, int64_t bytes,
                  int64_t least, int64_t band, lg_border border)
{
    const lg_image_params *s = &call->out->shape;
    const int64_t width = s->width, height = s->height;
    const int64_t pixel = (int64_t)lg_pixel_size(&call->in[0]->shape);
    int64_t strip = LG_MAX(bytes / (rows * pixel), LG_MAX(least, 256));
    strip = border == LG_BORDER_WRAP ? width : LG_MIN(strip, width);
    const int64_t strips = (width + strip - 1) / strip; // of about one width
    tiles->strip = (int32_t)(strips == 1 ? width : ((width + strips - 1) / strips + 63) / 64 * 64);
    const int64_t jobs = 2 * (int64_t)lg_pool_threads(call->context->pool);
    const int64_t even = (height + jobs - 1) / jobs;
    tiles->band = (int32_t)LG_MIN(LG_MAX(LG_MAX(even, band), 16), height);
}

typedef struct tiles_run {
    const lg_native_call *call;
    const lg_tiles *tiles;
    size_t strips, bands;
    char *scratch;
} tiles_run;

static void run_tile(void *arg, size_t index, int worker)
{
    const tiles_run *r = arg;
    const lg_tiles *t = r->tiles;
    const size_t in_layer = r->strips * r->bands;
    const int32_t layer = (int32_t)(index / in_layer);
    lg_tile tile = {.in = lg_layer_pixels(r->call->in[0], layer),
                    .out = lg_layer_pixels(r->call->out, layer),
                    .x = (int32_t)(index % in_layer % r->strips) * t->strip,
                    .y = (int32_t)(index % in_layer / r->strips) * t->band};
    tile.x_end = LG_MIN(tile.x + t->strip, tile.out.width);
    tile.y_end = LG_MIN(tile.y + t->band, tile.out.height);
    t->run(t->job, &tile, r->scratch + (size_t)worker * t->scratch);
}

lg_status lg_tiles_run(const lg_native_call *call, const lg_tiles *tiles)
{
    const lg_image_params *s = &call->out->shape;
    lg_pool *pool = call->context->pool;
    lg_tiles t = *tiles;
    t.scratch = lg_align_up(t.scratch, 64);
    tiles_run r = {.call = call, .tiles = &t};
    r.strips = (size_t)((s->width + t.strip - 1) / t.strip);
    r.bands = (size_t)((s->height + t.band - 1) / t.band);
    const size_t bytes = LG_MAX(t.scratch, 64) * (size_t)lg_pool_threads(pool);
    r.scratch = lg_alloc_uninit(bytes);
    if (!r.scratch)
        return lg_fail_memory(call->error, bytes, call->filter->name);
    lg_pool_run(pool, r.strips * r.bands * (size_t)s->layers, run_tile, &r);
    lg_free(r.scratch);
    return LG_OK;
}

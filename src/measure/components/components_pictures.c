// Labels as pictures: in colours, as outlines over an image, as samples of 16 bits.
#include "measure/components/component_sums.h"

#include "device/dispatch.h"
#include "engine/tile.h"

#include <math.h>
#include <string.h>

// ---- colours ------------------------------------------------------------------------------------

// Hues go round by the golden ratio, which keeps any few numbers in a row far apart; brightness by threes and
// saturation by twos tell apart those that come near: 8 or 13 later.
void lg_label_color(uint32_t label, uint8_t color[3])
{
    static const uint32_t brightness[3] = {255, 220, 185}, saturation[2] = {215, 140};
    if (label == 0) {
        memset(color, 0, 3);
        return;
    }
    const uint32_t hue = (uint32_t)((uint64_t)(label * UINT32_C(0x9e3779b9)) * 1536 >> 32);
    const uint32_t v = brightness[label % 3], s = saturation[label / 3 % 2];
    for (uint32_t i = 0; i < 3; i++) {
        // Distance from the channel's own hue on a circle of 1536: full up to 256, none from 512 on.
        const uint32_t away = (hue + 1536 - 512 * i) % 1536;
        const uint32_t near = LG_MIN(away, 1536 - away);
        const uint32_t full = near <= 256 ? 255 : near >= 512 ? 0 : 255 - (near - 256) * 255 / 256;
        color[i] = (uint8_t)(v * (255 * 255 - s * (255 - full)) / (255 * 255));
    }
}

// ---- common -------------------------------------------------------------------------------------

static const uint32_t *label_row(const lg_labels *l, int32_t layer, int32_t y)
{
    return (const uint32_t *)(const void *)((const uint8_t *)l->data +
                                            (size_t)layer * l->layer_stride +
                                            (size_t)y * l->row_stride);
}

static void *image_row(const lg_image *image, int32_t layer, int32_t y)
{
    return (uint8_t *)image->data + (size_t)layer * image->shape.layer_stride +
           (size_t)y * image->shape.row_stride;
}

typedef struct picture {
    const lg_labels *labels;
    const lg_image *image; // below the outlines
    lg_image *out;
    lg_overlay_params overlay;
    double low[LG_MAX_THREADS], high[LG_MAX_THREADS]; // of the samples, by worker
    double offset, scale;                             // samples to bytes
} picture;

// An image of the size of the labels, which are in host memory then.
static lg_status new_picture(lg_context *context, lg_labels *labels, int channels, lg_type type,
                             lg_image **out, lg_error *error)
{
    const lg_status checked = lg_labels_download(context, labels, error);
    if (checked)
        return checked;
    const lg_image_params shape = {.width = labels->width,
                                   .height = labels->height,
                                   .layers = labels->layers,
                                   .channels = channels,
                                   .type = type,
                                   .alpha = channels == 4 ? LG_ALPHA_OPAQUE : LG_ALPHA_NONE};
    return lg_image_create(context, &shape, out, error);
}

// A tile is a row of a layer; its halo are the rows beside it.
static lg_status each_row(lg_context *context, lg_tile_fn *run, picture *p, lg_error *error)
{
    const lg_tiling rows = {.height = p->labels->height,
                            .layers = p->labels->layers,
                            .band = 1,
                            .halo = 1,
                            .run = run,
                            .job = p};
    return lg_tiling_run(context->pool, &rows, error);
}

// The picture is the caller's when all rows are there.
static lg_status hand_over(picture *p, lg_status status, lg_image **out)
{
    if (status)
        lg_image_destroy(&p->out);
    else
        *out = p->out;
    return status;
}

static lg_status color_row(void *arg, const lg_tile *t)
{
    const picture *p = arg;
    const uint32_t *row = label_row(p->labels, t->layer, (int32_t)t->y);
    uint8_t *to = image_row(p->out, t->layer, (int32_t)t->y);
    for (int32_t x = 0; x < p->labels->width; x++)
        if (row[x])
            lg_label_color(row[x], to + 4 * (size_t)x);
    return LG_OK;
}

lg_status lg_labels_colors(lg_context *context, lg_labels *labels, lg_image **out, lg_error *error)
{
    if (!out)
        return lg_fail_null(error, "a place for the picture");
    picture p = {.labels = labels};
    lg_status status = new_picture(context, labels, 4, LG_U8, &p.out, error);
    if (!status)
        status = each_row(context, color_row, &p, error);
    return hand_over(&p, status, out);
}

static lg_status sample_row(void *arg, const lg_tile *t)
{
    const picture *p = arg;
    const uint32_t *row = label_row(p->labels, t->layer, (int32_t)t->y);
    uint16_t *to = image_row(p->out, t->layer, (int32_t)t->y);
    for (int32_t x = 0; x < p->labels->width; x++)
        to[x] = (uint16_t)row[x];
    return LG_OK;
}

lg_status lg_labels_image(lg_context *context, lg_labels *labels, lg_image **out, lg_error *error)
{
    if (!labels || !out)
        return lg_fail_null(error, "labels, and a place for the picture");
    picture p = {.labels = labels};
    if (labels->count > UINT16_MAX)
        return lg_fail(error, LG_ERROR_LIMIT,
                       "%u components do not fit samples of 16 bits (65535); u32 TIFF and NPY hold "
                       "them",
                       labels->count);
    lg_status status = new_picture(context, labels, 1, LG_U16, &p.out, error);
    if (!status)
        status = each_row(context, sample_row, &p, error);
    return hand_over(&p, status, out);
}

// ---- outlines -----------------------------------------------------------------------------------

static int colors_of(const lg_image_params *shape)
{
    return shape->channels == 4 ? 3 : 1;
}

static lg_status range_row(void *arg, const lg_tile *t)
{
    picture *p = arg;
    const lg_image_params *shape = &p->image->shape;
    const void *row = image_row(p->image, t->layer, (int32_t)t->y);
    double low = p->low[t->worker], high = p->high[t->worker];
    for (int32_t x = 0; x < shape->width; x++)
        for (int c = 0; c < colors_of(shape); c++) {
            const double v =
                lg_sample_at(row, shape->type, (size_t)x * (size_t)shape->channels + (size_t)c);
            if (isfinite(v)) {
                low = v < low ? v : low;
                high = v > high ? v : high;
            }
        }
    p->low[t->worker] = low;
    p->high[t->worker] = high;
    return LG_OK;
}

static lg_status find_range(lg_context *context, picture *p, lg_error *error)
{
    p->offset = 0;
    p->scale = 1;
    if (p->image->shape.type == LG_U8)
        return LG_OK;
    for (int i = 0; i < LG_MAX_THREADS; i++) {
        p->low[i] = INFINITY;
        p->high[i] = -INFINITY;
    }
    const bool known = !isnan(p->overlay.low) && !isnan(p->overlay.high);
    const lg_status status = known ? LG_OK : each_row(context, range_row, p, error);
    double low = known ? p->overlay.low : INFINITY, high = known ? p->overlay.high : -INFINITY;
    for (int i = 0; i < LG_MAX_THREADS; i++) {
        low = fmin(low, p->low[i]);
        high = fmax(high, p->high[i]);
    }
    p->offset = low <= high ? low : 0;
    p->scale = low < high ? 255 / (high - low) : 0;
    return status;
}

static uint8_t byte_of(const picture *p, double v)
{
    const double scaled = (v - p->offset) * p->scale;
    return scaled > 0 ? (uint8_t)fmin(scaled + 0.5, 255) : 0; // NaN is black
}

static lg_status overlay_row(void *arg, const lg_tile *t)
{
    const picture *p = arg;
    const lg_labels *l = p->labels;
    const lg_image_params *shape = &p->image->shape;
    const int32_t layer = t->layer, y = (int32_t)t->y;
    const uint32_t *row = label_row(l, layer, y);
    const uint32_t *above = label_row(l, layer, (int32_t)t->from);
    const uint32_t *below = label_row(l, layer, (int32_t)t->to - 1);
    const void *from = image_row(p->image, layer, y);
    uint8_t *to = image_row(p->out, layer, y);
    for (int32_t x = 0; x < l->width; x++, to += 4) {
        const uint32_t v = row[x];
        const uint32_t left = row[x > 0 ? x - 1 : x], right = row[x < l->width - 1 ? x + 1 : x];
        if (v && (v != left || v != right || v != above[x] || v != below[x])) {
            if (p->overlay.distinct)
                lg_label_color(v, to);
            else
                memcpy(to, p->overlay.color, 3);
            continue;
        }
        for (int c = 0; c < 3; c++) {
            const int at = colors_of(shape) == 3 ? c : 0;
            to[c] = byte_of(p, lg_sample_at(from, shape->type,
                                            (size_t)x * (size_t)shape->channels + (size_t)at));
        }
    }
    return LG_OK;
}

lg_status lg_labels_overlay(lg_context *context, lg_labels *labels, const lg_image *image,
                            const lg_overlay_params *params, lg_image **out, lg_error *error)
{
    if (!labels || !image || !out)
        return lg_fail_null(error, "labels, an image, and a place for the picture");
    const lg_image_params *s = &image->shape;
    picture p = {.labels = labels, .image = image, .overlay = lg_overlay_params_default()};
    lg_status status =
        lg_params_take(params, &LG_PARAMS_TYPE(lg_overlay_params, color), &p.overlay, error);
    if (status)
        return status;
    if (s->width != labels->width || s->height != labels->height || s->layers != labels->layers)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "labels of %d x %d x %d over an image of %d x %d x %d", labels->width,
                       labels->height, labels->layers, s->width, s->height, s->layers);
    lg_host_view view;
    status = lg_host_view_open(image, &view, error);
    if (status != LG_OK)
        return status;
    p.image = &view.image.image;
    status = new_picture(context, labels, 4, LG_U8, &p.out, error);
    if (!status)
        status = find_range(context, &p, error);
    if (!status)
        status = each_row(context, overlay_row, &p, error);
    lg_host_view_close(&view);
    return hand_over(&p, status, out);
}

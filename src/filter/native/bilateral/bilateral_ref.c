// The definition of bilateral, plainly: every weight of every pixel.
#include "filter/native/bilateral/bilateral.h"
#include "filter/native/bilateral/bilateral_weight.h"
#include "filter/native/planes.h"

typedef struct bilateral_ref {
    lg_pixels in, out;
    lg_bilateral b;
} bilateral_ref;

static void load(const bilateral_ref *r, int64_t x, int64_t y, float planes[4])
{
    const int64_t column = lg_border_index(x, r->in.width, r->b.border);
    const int64_t row = lg_border_index(y, r->in.height, r->b.border);
    for (int p = 0; p < 4; p++)
        planes[p] = 0;
    if (column < 0 || row < 0)
        return;
    if (!r->b.bytes) {
        lg_planes_load(lg_stage_get(LG_CPU_BASE), &r->in, column, row, 1, planes, 1);
        return;
    }
    const uint8_t *from = (const uint8_t *)r->in.data + (size_t)row * r->in.row_stride +
                          (size_t)(column * r->in.channels);
    for (int p = 0; p < r->b.planes; p++)
        planes[p] = from[p];
}

static void pixel(const bilateral_ref *r, int64_t x, int64_t y)
{
    const lg_bilateral *b = &r->b;
    float centre[4], other[4], sum[4], weights = 1;
    load(r, x, y, centre);
    for (int p = 0; p < 4; p++)
        sum[p] = centre[p];
    for (int k = 0; k < 2 * b->count; k++) {
        const lg_bilateral_tap *tap = &b->taps[k / 2];
        const int sign = k % 2 ? -1 : 1;
        load(r, x + sign * tap->x, y + sign * tap->y, other);
        float square = 0;
        for (int p = 0; p < b->distance; p++) {
            const float d = centre[p] - other[p];
            square = square + d * d;
            if (p == 0 && b->distance == 2)
                square = square * b->first;
        }
        const float weight = bilateral_weight(square * b->factor) * tap->weight;
        for (int p = 0; p < b->planes; p++)
            sum[p] = sum[p] + other[p] * weight;
        weights = weights + weight;
    }
    for (int p = 0; p < b->planes; p++)
        sum[p] = lg_div(sum[p], weights) * b->unit;
    if (!b->rounded) {
        lg_planes_store(lg_stage_get(LG_CPU_BASE), &r->in, &r->out, x, y, 1, sum, 1);
        return;
    }
    uint8_t *to =
        (uint8_t *)r->out.data + (size_t)y * r->out.row_stride + (size_t)(x * r->out.channels);
    for (int c = 0; c < r->out.channels; c++)
        to[c] = c < b->planes ? (uint8_t)(int)(sum[c] + 0.5f) : 255;
}

lg_status lg_bilateral_ref(const lg_native_call *call)
{
    bilateral_ref r = {.in = lg_layer_pixels(call->in[0], 0), .out = lg_layer_pixels(call->out, 0)};
    const lg_status status =
        lg_bilateral_create(call->filter, call->values, &r.in, &r.out, &r.b, call->error);
    for (int32_t z = 0; z < call->out->shape.layers && !status; z++) {
        r.in = lg_layer_pixels(call->in[0], z);
        r.out = lg_layer_pixels(call->out, z);
        for (int64_t y = 0; y < r.in.height; y++)
            for (int64_t x = 0; x < r.in.width; x++)
                pixel(&r, x, y);
    }
    lg_bilateral_destroy(&r.b);
    return status;
}

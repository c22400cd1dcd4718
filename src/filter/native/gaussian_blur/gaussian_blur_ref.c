// The definition of gaussian_blur, plainly: one step after the other over a whole image. The weights are
// shared.
#include "filter/native/gaussian_blur/gaussian_blur.h"
#include "filter/native/planes.h"

#include <string.h>

typedef lg_gaussian_plane plane;

static size_t at_of(const plane *p, int64_t x, int64_t y)
{
    return (size_t)(y * p->width + x);
}

// One step along an axis: weights 1/4, 1/2, 1/4 at a distance. Where it reaches beyond the plane, 0 is
// as good as anything: that far from the image nothing is looked at again.
static void smooth(plane *p, int64_t apart, bool across)
{
    plane from = *p;
    const size_t count = (size_t)(p->width * p->height);
    from.floats = lg_alloc_array(count, sizeof *from.floats);
    from.whole = lg_alloc_array(count, sizeof *from.whole);
    memcpy(from.floats, p->floats, count * sizeof *from.floats);
    memcpy(from.whole, p->whole, count * sizeof *from.whole);
    const int64_t dx = across ? apart : 0, dy = across ? 0 : apart;
    for (int64_t y = dy; y < p->height - dy; y++)
        for (int64_t x = dx; x < p->width - dx; x++) {
            const size_t a = at_of(p, x - dx, y - dy), b = at_of(p, x, y);
            const size_t c = at_of(p, x + dx, y + dy);
            p->floats[b] = (from.floats[a] + from.floats[c] + 2 * from.floats[b]) / 4;
            p->whole[b] = (from.whole[a] + from.whole[c] + 2 * from.whole[b] + 2) / 4;
        }
    lg_free(from.floats);
    lg_free(from.whole);
}

typedef struct weighted {
    float value; // from the ends of the window to its centre
    int64_t sum;
} weighted;

static weighted weigh(const plane *p, const lg_gaussian *g, int64_t x, int64_t y, bool across)
{
    weighted w = {0, 0};
    for (int k = g->taps; k >= 0; k--) {
        const int64_t d = (int64_t)k << g->levels, dx = across ? d : 0, dy = across ? 0 : d;
        const size_t a = at_of(p, x - dx, y - dy), b = at_of(p, x + dx, y + dy);
        const float product = (k ? p->floats[a] + p->floats[b] : p->floats[a]) * g->floats[k];
        w.value = k == g->taps ? product : w.value + product;
        w.sum += (int64_t)(k ? p->whole[a] + p->whole[b] : p->whole[a]) * g->whole[k];
    }
    return w;
}

void lg_gaussian_blur_plane_ref(plane *p, const lg_gaussian *g, lg_border border, int64_t width,
                                int64_t height, int64_t *sums, float *values)
{
    const int64_t r = g->radius, unit = (int64_t)1 << g->shift;
    for (int k = 0; k < 2 * g->levels; k++)
        smooth(p, (int64_t)1 << (k / 2), false);
    plane columns = *p;
    columns.floats = lg_alloc_array((size_t)(p->width * p->height), sizeof *columns.floats);
    columns.whole = lg_alloc_array((size_t)(p->width * p->height), sizeof *columns.whole);
    for (int64_t y = r; y < r + height; y++)
        for (int64_t x = -r; x < width + r; x++) {
            const int64_t from = lg_border_index(x, width, border);
            const size_t at = at_of(p, x + r, y);
            if (from < 0)
                continue;
            const weighted w = weigh(p, g, from + r, y, false);
            columns.floats[at] = w.value;
            columns.whole[at] = (int32_t)((w.sum + unit / 2) / unit);
        }
    for (int k = 0; k < 2 * g->levels; k++)
        smooth(&columns, (int64_t)1 << (k / 2), true);
    for (int64_t y = 0; y < height; y++)
        for (int64_t x = 0; x < width; x++) {
            const weighted w = weigh(&columns, g, x + r, y + r, true);
            sums[y * width + x] = w.sum;
            values[y * width + x] = w.value;
        }
    lg_free(columns.floats);
    lg_free(columns.whole);
}

typedef struct gaussian_ref {
    lg_pixels in, out;
    lg_border border;
    lg_gaussian g;
    bool bytes;
} gaussian_ref;

// Plane `index` as loaded, colour times alpha; bytes as they are, times 64.
static void load_plane(const gaussian_ref *r, int index, plane *p)
{
    const int64_t radius = r->g.radius;
    for (int64_t y = -radius; y < r->in.height + radius; y++)
        for (int64_t x = -radius; x < r->in.width + radius; x++) {
            const int64_t column = lg_border_index(x, r->in.width, r->border);
            const int64_t row = lg_border_index(y, r->in.height, r->border);
            const size_t at = at_of(p, x + radius, y + radius);
            float planes[4] = {0};
            p->floats[at] = 0;
            p->whole[at] = 0;
            if (column < 0 || row < 0)
                continue;
            lg_planes_load(lg_stage_get(LG_CPU_BASE), &r->in, column, row, 1, planes, 1);
            p->floats[at] = planes[index];
            if (r->bytes)
                p->whole[at] =
                    64 * ((const uint8_t *)r->in.data)[(size_t)row * r->in.row_stride +
                                                       (size_t)(column * r->in.channels + index)];
        }
}

static void store_pixel(const gaussian_ref *r, int64_t x, int64_t y, int64_t *const *sums,
                        float *const *values)
{
    const int given = lg_plane_count(&r->in);
    const int64_t unit = (int64_t)1 << (r->g.shift + 6);
    const size_t at = (size_t)(y * r->in.width + x);
    float result[4];
    for (int k = 0; k < given; k++)
        result[k] =
            r->bytes ? (float)sums[k][at] * (float)(1 / (255 * (double)unit)) : values[k][at];
    if (r->bytes && lg_pixels_same_kind(&r->in, &r->out)) {
        uint8_t *to =
            (uint8_t *)r->out.data + (size_t)y * r->out.row_stride + (size_t)(x * r->out.channels);
        for (int c = 0; c < r->out.channels; c++)
            to[c] = (uint8_t)(c < given ? (sums[c][at] + unit / 2) / unit : 255);
    } else {
        lg_planes_store(lg_stage_get(LG_CPU_BASE), &r->in, &r->out, x, y, 1, result, 1);
    }
}

static void blur_layer(const gaussian_ref *r)
{
    const int64_t radius = r->g.radius, width = r->in.width, height = r->in.height;
    plane p = {.width = width + 2 * radius, .height = height + 2 * radius};
    p.floats = lg_alloc_array((size_t)(p.width * p.height), sizeof *p.floats);
    p.whole = lg_alloc_array((size_t)(p.width * p.height), sizeof *p.whole);
    int64_t *sums[4] = {0};
    float *values[4] = {0};
    for (int k = 0; k < lg_plane_count(&r->in); k++) {
        sums[k] = lg_alloc_array((size_t)(width * height), sizeof *sums[k]);
        values[k] = lg_alloc_array((size_t)(width * height), sizeof *values[k]);
        load_plane(r, k, &p);
        lg_gaussian_blur_plane_ref(&p, &r->g, r->border, width, height, sums[k], values[k]);
    }
    for (int64_t y = 0; y < height; y++)
        for (int64_t x = 0; x < width; x++)
            store_pixel(r, x, y, sums, values);
    for (int k = 0; k < 4; k++) {
        lg_free(sums[k]);
        lg_free(values[k]);
    }
    lg_free(p.floats);
    lg_free(p.whole);
}

lg_status lg_gaussian_blur_ref(const lg_native_call *call)
{
    gaussian_ref r = {.border = (lg_border)lg_native_value(call->filter, call->values, "border")};
    const lg_status status = lg_gaussian_create(
        lg_native_value(call->filter, call->values, "sigma"),
        (int)lg_native_value(call->filter, call->values, "radius"),
        (lg_gaussian_rule)lg_native_value(call->filter, call->values, "rule"), &r.g, call->error);
    for (int32_t z = 0; z < call->out->shape.layers && !status; z++) {
        r.in = lg_layer_pixels(call->in[0], z);
        r.out = lg_layer_pixels(call->out, z);
        r.bytes = r.in.type == LG_U8 && !lg_pixels_have_alpha(&r.in);
        blur_layer(&r);
    }
    lg_gaussian_destroy(&r.g);
    return status;
}

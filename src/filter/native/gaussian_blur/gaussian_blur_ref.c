// The definition of gaussian_blur, plainly: every tap of every pixel. The weights are shared.
#include "filter/native/gaussian_blur/gaussian_blur.h"
#include "filter/native/planes.h"

typedef struct gaussian_ref {
    lg_pixels in, out;
    lg_border border;
    lg_gaussian g;
    float *planes; // of the whole layer, 4 per pixel: as loaded, colour times alpha
} gaussian_ref;

// One column of the first pass over bytes: 6 bits behind the point.
static int64_t column_bytes(const gaussian_ref *r, int64_t x, int64_t y, int channel)
{
    const int64_t column = lg_border_index(x, r->in.width, r->border);
    int64_t sum = 0;
    for (int k = -r->g.radius; column >= 0 && k <= r->g.radius; k++) {
        const int64_t row = lg_border_index(y + k, r->in.height, r->border);
        if (row >= 0)
            sum += (int64_t)r->g.whole[k + r->g.radius] *
                   ((const uint8_t *)r->in.data)[(size_t)row * r->in.row_stride +
                                                 (size_t)(column * r->in.channels + channel)];
    }
    const int64_t unit = (int64_t)1 << (r->g.shift - 6);
    return (sum + unit / 2) / unit;
}

static void byte_pixel(const gaussian_ref *r, int64_t x, int64_t y)
{
    const int given = lg_plane_count(&r->in);
    const int64_t unit = (int64_t)1 << (r->g.shift + 6);
    float values[4];
    uint8_t *to =
        (uint8_t *)r->out.data + (size_t)y * r->out.row_stride + (size_t)(x * r->out.channels);
    const bool same = lg_pixels_same_kind(&r->in, &r->out);
    for (int c = 0; c < r->in.channels; c++) {
        int64_t sum = 0;
        for (int k = -r->g.radius; k <= r->g.radius; k++)
            sum += r->g.whole[k + r->g.radius] * column_bytes(r, x + k, y, c);
        if (same)
            to[c] = (uint8_t)(c < given ? (sum + unit / 2) / unit : 255);
        values[c] = (float)sum * (float)(1 / (255 * (double)unit));
    }
    if (!same)
        lg_planes_store(lg_stage_get(LG_CPU_BASE), &r->in, &r->out, x, y, 1, values, 1);
}

static float row_float(const gaussian_ref *r, int64_t x, int64_t y, int plane);

static float sample(const gaussian_ref *r, int64_t x, int64_t y, int plane, bool across)
{
    if (across) {
        const int64_t column = lg_border_index(x, r->in.width, r->border);
        return column < 0 ? 0 : row_float(r, column, y, plane);
    }
    const int64_t row = lg_border_index(y, r->in.height, r->border);
    return row < 0 ? 0 : r->planes[4 * (row * r->in.width + x) + plane];
}

// From the ends of the window to its centre.
static float weighted(const gaussian_ref *r, int64_t x, int64_t y, int plane, bool across)
{
    float sum = 0;
    for (int k = r->g.radius; k >= 0; k--) {
        const int64_t dx = across ? k : 0, dy = across ? 0 : k;
        float s = sample(r, x - dx, y - dy, plane, across);
        if (k)
            s = s + sample(r, x + dx, y + dy, plane, across);
        s = s * r->g.floats[k];
        sum = k == r->g.radius ? s : sum + s;
    }
    return sum;
}

static float row_float(const gaussian_ref *r, int64_t x, int64_t y, int plane)
{
    return weighted(r, x, y, plane, false);
}

static void float_pixel(const gaussian_ref *r, int64_t x, int64_t y)
{
    float values[4];
    for (int k = 0; k < lg_plane_count(&r->in); k++)
        values[k] = weighted(r, x, y, k, true);
    lg_planes_store(lg_stage_get(LG_CPU_BASE), &r->in, &r->out, x, y, 1, values, 1);
}

static lg_status load(gaussian_ref *r, lg_error *error)
{
    const size_t pixels = (size_t)r->in.width * (size_t)r->in.height;
    lg_free(r->planes);
    r->planes = lg_alloc_array(pixels, 4 * sizeof *r->planes);
    if (!r->planes)
        return lg_fail_memory(error, pixels * 16, "the reference of gaussian_blur");
    for (size_t i = 0; i < pixels; i++)
        lg_planes_load(lg_stage_get(LG_CPU_BASE), &r->in, (int64_t)(i % (size_t)r->in.width),
                       (int64_t)(i / (size_t)r->in.width), 1, r->planes + 4 * i, 1);
    return LG_OK;
}

lg_status lg_gaussian_blur_ref(const lg_native_call *call)
{
    gaussian_ref r = {.border = (lg_border)lg_native_value(call->filter, call->values, "border")};
    lg_status status = lg_gaussian_create(
        lg_native_value(call->filter, call->values, "sigma"),
        (int)lg_native_value(call->filter, call->values, "radius"),
        (int)lg_native_value(call->filter, call->values, "rule"), &r.g, call->error);
    for (int32_t z = 0; z < call->out->shape.layers && !status; z++) {
        r.in = lg_layer_pixels(call->in[0], z);
        r.out = lg_layer_pixels(call->out, z);
        const bool bytes = r.in.type == LG_U8 && !lg_pixels_have_alpha(&r.in);
        status = bytes ? LG_OK : load(&r, call->error);
        for (int64_t y = 0; y < r.in.height && !status; y++)
            for (int64_t x = 0; x < r.in.width; x++)
                (bytes ? byte_pixel : float_pixel)(&r, x, y);
    }
    lg_free(r.planes);
    lg_gaussian_destroy(&r.g);
    return status;
}

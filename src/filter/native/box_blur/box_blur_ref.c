// The definition of box_blur, plainly: every window by itself.
#include "filter/native/box_blur/box_blur.h"
#include "filter/native/planes.h"

typedef struct box_ref {
    lg_pixels in, out;
    lg_border border;
    lg_window_side down, along;
    float *planes; // of the whole layer, 4 per pixel: as loaded, colour times alpha
} box_ref;

static uint64_t sample(const lg_pixels *p, int64_t x, int64_t y, int channel)
{
    const char *at = p->data + (size_t)y * p->row_stride;
    const size_t i = (size_t)(x * p->channels + channel);
    return p->type == LG_U8 ? ((const uint8_t *)at)[i] : ((const uint16_t *)at)[i];
}

static uint64_t window_sum(const box_ref *r, int64_t x, int64_t y, int channel)
{
    uint64_t sum = 0;
    for (int64_t j = y - r->down.before; j <= y + r->down.after; j++)
        for (int64_t i = x - r->along.before; i <= x + r->along.after; i++) {
            const int64_t column = lg_border_index(i, r->in.width, r->border);
            const int64_t row = lg_border_index(j, r->in.height, r->border);
            if (column >= 0 && row >= 0)
                sum += sample(&r->in, column, row, channel);
        }
    return sum;
}

static void put_integer(const lg_pixels *p, int64_t x, int64_t y, int channel, uint64_t value)
{
    char *at = p->data + (size_t)y * p->row_stride;
    const size_t i = (size_t)(x * p->channels + channel);
    if (p->type == LG_U8)
        ((uint8_t *)at)[i] = (uint8_t)value;
    else
        ((uint16_t *)at)[i] = (uint16_t)value;
}

static void store(const box_ref *r, int64_t x, int64_t y, const float *values)
{
    lg_planes_store(lg_stage_get(LG_CPU_BASE), &r->in, &r->out, x, y, 1, values, 1);
}

static void integer_pixel(const box_ref *r, int64_t x, int64_t y)
{
    const bool same = r->in.type == r->out.type && r->in.channels == r->out.channels &&
                      r->in.alpha == r->out.alpha;
    const uint64_t n = (uint64_t)lg_window_size(r->down) * (uint64_t)lg_window_size(r->along);
    const uint64_t largest = r->in.type == LG_U8 ? 255 : 65535;
    const int given = lg_plane_count(&r->in);
    const float scale = (float)(1.0 / (double)(n * largest));
    float values[4];
    for (int c = 0; c < r->in.channels; c++) {
        const uint64_t sum = window_sum(r, x, y, c);
        if (same)
            put_integer(&r->out, x, y, c, c < given ? (2 * sum + n) / (2 * n) : largest);
        else
            values[c] = (float)sum * scale;
    }
    if (!same)
        store(r, x, y, values);
}

// The sum of 2^level samples of a plane, from (x, y) on along one axis; along x each is a window of
// a column.
static float axis(const box_ref *r, int64_t x, int64_t y, int plane, bool along_x);

static float doubled(const box_ref *r, int64_t x, int64_t y, int plane, bool along_x, int level)
{
    if (level > 0) {
        const int64_t step = (int64_t)1 << (level - 1);
        return doubled(r, x, y, plane, along_x, level - 1) + doubled(r, along_x ? x + step : x,
                                                                     along_x ? y : y + step, plane,
                                                                     along_x, level - 1);
    }
    if (along_x) {
        const int64_t column = lg_border_index(x, r->in.width, r->border);
        return column < 0 ? 0 : axis(r, column, y - r->down.before, plane, false);
    }
    const int64_t row = lg_border_index(y, r->in.height, r->border);
    return row < 0 ? 0 : r->planes[4 * (row * r->in.width + x) + plane];
}

// The window of samples from (x, y) on: one doubled sum for each bit of its size, the
// largest first along the axis, added from the smallest on.
static float axis(const box_ref *r, int64_t x, int64_t y, int plane, bool along_x)
{
    const int size = lg_window_size(along_x ? r->along : r->down);
    bool begun = false;
    float sum = 0;
    for (int level = 0; size >> level; level++) {
        if (!(size >> level & 1))
            continue;
        const int64_t at = size - (size & ((2 << level) - 1));
        const float part =
            doubled(r, along_x ? x + at : x, along_x ? y : y + at, plane, along_x, level);
        sum = begun ? sum + part : part;
        begun = true;
    }
    return sum;
}

static void float_pixel(const box_ref *r, int64_t x, int64_t y)
{
    const double size = (double)lg_window_size(r->down) * lg_window_size(r->along);
    float values[4];
    for (int k = 0; k < lg_plane_count(&r->in); k++)
        values[k] = axis(r, x - r->along.before, y, k, true) * (float)(1 / size);
    store(r, x, y, values);
}

static lg_status load(box_ref *r, lg_error *error)
{
    const size_t pixels = (size_t)r->in.width * (size_t)r->in.height;
    lg_free(r->planes);
    r->planes = lg_alloc_array(pixels, 4 * sizeof *r->planes);
    if (!r->planes)
        return lg_fail_memory(error, pixels * 4 * sizeof *r->planes, "the reference of box_blur");
    for (size_t i = 0; i < pixels; i++)
        lg_planes_load(lg_stage_get(LG_CPU_BASE), &r->in, (int64_t)(i % (size_t)r->in.width),
                       (int64_t)(i / (size_t)r->in.width), 1, r->planes + 4 * i, 1);
    return LG_OK;
}

lg_status lg_box_blur_ref(const lg_native_call *call)
{
    box_ref r = {.border = (lg_border)lg_native_value(call->filter, call->values, "border"),
                 .down = lg_window_side_get(call->filter, call->values, "height"),
                 .along = lg_window_side_get(call->filter, call->values, "width")};
    lg_status status = LG_OK;
    for (int32_t z = 0; z < call->out->shape.layers && !status; z++) {
        r.in = lg_layer_pixels(call->in[0], z);
        r.out = lg_layer_pixels(call->out, z);
        const bool integers = r.in.type <= LG_U16 && !lg_pixels_have_alpha(&r.in);
        status = integers ? LG_OK : load(&r, call->error);
        for (int64_t y = 0; y < r.in.height && !status; y++)
            for (int64_t x = 0; x < r.in.width; x++)
                (integers ? integer_pixel : float_pixel)(&r, x, y);
    }
    lg_free(r.planes);
    return status;
}

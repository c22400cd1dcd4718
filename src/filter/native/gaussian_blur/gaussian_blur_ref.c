// The definition of gaussian_blur, plainly: one step after the other over whole images. The weights are
// shared.
#include "filter/native/gaussian_blur/gaussian_blur.h"
#include "filter/native/planes.h"

typedef lg_gaussian_plane plane;

static plane make_plane(int64_t x, int64_t y, int64_t width, int64_t height)
{
    plane p = {.x = x, .y = y, .width = width, .height = height};
    p.floats = lg_alloc_array((size_t)(width * height), sizeof *p.floats);
    p.whole = lg_alloc_array((size_t)(width * height), sizeof *p.whole);
    return p;
}

void lg_gaussian_plane_free(plane *p)
{
    lg_free(p->floats);
    lg_free(p->whole);
}

static size_t at_of(const plane *p, int64_t x, int64_t y)
{
    return (size_t)((y - p->y) * p->width + x - p->x);
}

// ---- levels, along one axis ---------------------------------------------------------------------

static float smooth_float(float a, float b, float c)
{
    return (a + c + 2 * b) / 4;
}

// `half` is 2: halves go up, or 1: halves go down.
static int32_t smooth_whole(int32_t a, int32_t b, int32_t c, int half)
{
    return (a + c + 2 * b + half) / 4;
}

static int64_t half_below(int64_t v)
{
    return v < 0 ? -((1 - v) / 2) : v / 2;
}

// 1/4, 1/2, 1/4 twice, and every second sample.
static plane halve(plane *p, bool across)
{
    const int64_t first = half_below((across ? p->x : p->y) + 3);
    const int64_t last = half_below((across ? p->x + p->width : p->y + p->height) - 3);
    const int64_t w = across ? last - first + 1 : p->width;
    const int64_t h = across ? p->height : last - first + 1;
    plane half = make_plane(across ? first : p->x, across ? p->y : first, w, h);
    for (int64_t y = half.y; y < half.y + h; y++)
        for (int64_t x = half.x; x < half.x + w; x++) {
            float v[5];
            int32_t n[5];
            for (int k = 0; k < 5; k++) {
                const size_t i = across ? at_of(p, 2 * x - 2 + k, y) : at_of(p, x, 2 * y - 2 + k);
                v[k] = p->floats[i], n[k] = p->whole[i];
            }
            half.floats[at_of(&half, x, y)] =
                smooth_float(smooth_float(v[0], v[1], v[2]), smooth_float(v[1], v[2], v[3]),
                             smooth_float(v[2], v[3], v[4]));
            half.whole[at_of(&half, x, y)] =
                smooth_whole(smooth_whole(n[0], n[1], n[2], 2), smooth_whole(n[1], n[2], n[3], 2),
                             smooth_whole(n[2], n[3], n[4], 2), 1);
        }
    lg_gaussian_plane_free(p);
    return half;
}

// Twice as many samples. Halves go down along rows, up along columns. With `last`, whole ones are not
// rounded to 64ths: they are in 256ths.
static plane expand(plane *p, bool across, bool last)
{
    // From 2 (first + 1) to 2 (end - 2), where three samples are there.
    const int64_t x0 = across ? 2 * p->x + 2 : p->x, y0 = across ? p->y : 2 * p->y + 2;
    plane out = make_plane(x0, y0, across ? 2 * p->width - 4 : p->width,
                           across ? p->height : 2 * p->height - 4);
    for (int64_t y = y0; y < y0 + out.height; y++)
        for (int64_t x = x0; x < x0 + out.width; x++) {
            const int64_t i = across ? x : y;
            const int64_t middle = (i - (i & 1)) / 2;
            size_t near[3];
            for (int k = 0; k < 3; k++)
                near[k] = across ? at_of(p, middle - 1 + k, y) : at_of(p, x, middle - 1 + k);
            const float *v = p->floats;
            const int32_t *n = p->whole;
            const int32_t ends = (n[near[0]] + n[near[2]] + !across) / 2;
            const int32_t sum =
                i & 1 ? 2 * (n[near[1]] + n[near[2]]) : ends + 3 * n[near[1]]; // 256ths
            out.floats[at_of(&out, x, y)] = i & 1 ? (v[near[1]] + v[near[2]]) / 2
                                                  : (v[near[0]] + v[near[2]] + 6 * v[near[1]]) / 8;
            out.whole[at_of(&out, x, y)] = last ? sum : (sum + 2 - across) / 4;
        }
    lg_gaussian_plane_free(p);
    return out;
}

// ---- weights ------------------------------------------------------------------------------------

typedef struct weighted {
    float value; // from the ends of the window to its centre
    int64_t sum;
} weighted;

static weighted weigh_at(const plane *p, const lg_gaussian *g, int64_t x, int64_t y, bool across)
{
    weighted w = {0, 0};
    for (int k = g->taps; k >= 0; k--) {
        const int64_t dx = across ? k : 0, dy = across ? 0 : k;
        const size_t a = at_of(p, x - dx, y - dy), b = at_of(p, x + dx, y + dy);
        const float product = (k ? p->floats[a] + p->floats[b] : p->floats[a]) * g->floats[k];
        w.value = k == g->taps ? product : w.value + product;
        w.sum += (int64_t)(k ? p->whole[a] + p->whole[b] : p->whole[a]) * g->whole[k];
    }
    return w;
}

// With `last`, whole samples are not rounded.
static plane weigh(plane *p, const lg_gaussian *g, bool across, bool last)
{
    const int64_t unit = (int64_t)1 << g->shift, t = g->taps;
    plane out =
        make_plane(across ? p->x + t : p->x, across ? p->y : p->y + t,
                   across ? p->width - 2 * t : p->width, across ? p->height : p->height - 2 * t);
    for (int64_t y = out.y; y < out.y + out.height; y++)
        for (int64_t x = out.x; x < out.x + out.width; x++) {
            const weighted w = weigh_at(p, g, x, y, across);
            out.floats[at_of(&out, x, y)] = w.value;
            out.whole[at_of(&out, x, y)] = (int32_t)(last ? w.sum : (w.sum + unit / 2) / unit);
        }
    lg_gaussian_plane_free(p);
    return out;
}

plane lg_gaussian_plane_make(const lg_gaussian *g, int64_t width, int64_t height)
{
    const int64_t m = g->radius + ((int64_t)4 << g->levels);
    return make_plane(-m, -m, width + 2 * m, height + 2 * m);
}

void lg_gaussian_plane_blur(plane *p, const lg_gaussian *g)
{
    const bool levels = g->levels > 0;
    for (int k = 0; k < 2 * g->levels; k++)
        *p = halve(p, k % 2);
    *p = weigh(p, g, false, false);
    *p = weigh(p, g, true, !levels);
    for (int k = 1; k <= g->levels; k++) {
        *p = expand(p, true, false);
        *p = expand(p, false, k == g->levels);
    }
}

int64_t lg_gaussian_plane_sum(const plane *p, int64_t x, int64_t y)
{
    return p->whole[at_of(p, x, y)];
}

float lg_gaussian_plane_value(const plane *p, int64_t x, int64_t y)
{
    return p->floats[at_of(p, x, y)];
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
    for (int64_t y = p->y; y < p->y + p->height; y++)
        for (int64_t x = p->x; x < p->x + p->width; x++) {
            const int64_t column = lg_border_index(x, r->in.width, r->border);
            const int64_t row = lg_border_index(y, r->in.height, r->border);
            const size_t at = at_of(p, x, y);
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

static void store_pixel(const gaussian_ref *r, int64_t x, int64_t y, const plane *p)
{
    const int given = lg_plane_count(&r->in);
    const int64_t unit = lg_gaussian_unit(&r->g);
    float result[4];
    for (int k = 0; k < given; k++)
        result[k] =
            r->bytes ? (float)lg_gaussian_plane_sum(p + k, x, y) * (float)(1 / (255 * (double)unit))
                     : lg_gaussian_plane_value(p + k, x, y);
    if (r->bytes && lg_pixels_same_kind(&r->in, &r->out)) {
        uint8_t *to =
            (uint8_t *)r->out.data + (size_t)y * r->out.row_stride + (size_t)(x * r->out.channels);
        for (int c = 0; c < r->out.channels; c++)
            to[c] =
                (uint8_t)(c < given ? (lg_gaussian_plane_sum(p + c, x, y) + unit / 2) / unit : 255);
    } else {
        lg_planes_store(lg_stage_get(LG_CPU_BASE), &r->in, &r->out, x, y, 1, result, 1);
    }
}

static void blur_layer(const gaussian_ref *r)
{
    plane p[4];
    const int count = lg_plane_count(&r->in);
    for (int k = 0; k < count; k++) {
        p[k] = lg_gaussian_plane_make(&r->g, r->in.width, r->in.height);
        load_plane(r, k, p + k);
        lg_gaussian_plane_blur(p + k, &r->g);
    }
    for (int64_t y = 0; y < r->in.height; y++)
        for (int64_t x = 0; x < r->in.width; x++)
            store_pixel(r, x, y, p);
    for (int k = 0; k < count; k++)
        lg_gaussian_plane_free(p + k);
}

lg_status lg_gaussian_blur_ref(const lg_native_call *call)
{
    gaussian_ref r = {.border = (lg_border)lg_native_value(call->filter, call->values, "border")};
    const lg_status status = lg_gaussian_create_of(call->filter, call->values, &r.g, call->error);
    for (int32_t z = 0; z < call->out->shape.layers && !status; z++) {
        r.in = lg_layer_pixels(call->in[0], z);
        r.out = lg_layer_pixels(call->out, z);
        r.bytes = r.in.type == LG_U8 && !lg_pixels_have_alpha(&r.in);
        blur_layer(&r);
    }
    lg_gaussian_destroy(&r.g);
    return status;
}

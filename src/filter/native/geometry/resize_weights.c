// The weights of resized images.
#include "filter/native/geometry/resize.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static double sinc(double x)
{
    return x == 0 ? 1 : sin(pi * x) / (pi * x);
}

static double kernel_at(lg_resize_method method, double x)
{
    x = fabs(x);
    switch (method) {
    case LG_RESIZE_BILINEAR:
        return x < 1 ? 1 - x : 0;
    case LG_RESIZE_BICUBIC: // Keys with a = -1/2
        return x < 1 ? (1.5 * x - 2.5) * x * x + 1 : x < 2 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : 0;
    default:
        return x < 3 ? sinc(x) * sinc(x / 3) : 0;
    }
}

static double radius_of(lg_resize_method method)
{
    return method == LG_RESIZE_BILINEAR ? 1 : method == LG_RESIZE_BICUBIC ? 2 : 3;
}

typedef struct span {
    int32_t first, end;
} span;

typedef struct axis_rule {
    lg_resize_method method;
    lg_resize_range part;
    int32_t size, count;
    double stretch; // of the kernel
    int bits;
} axis_rule;

// The place of an output's centre; `at` 0 and 1 are its edges.
static double place_of(const axis_rule *a, int32_t i, double at)
{
    return a->part.from + (2 * (double)i + 2 * at) * a->part.length / (2 * (double)a->count);
}

static span span_of(const axis_rule *a, int32_t i)
{
    double low, high;
    if (a->method == LG_RESIZE_AREA) {
        low = floor(place_of(a, i, 0));
        high = ceil(place_of(a, i, 1));
    } else {
        const double reach = radius_of(a->method) * a->stretch, middle = place_of(a, i, 0.5);
        low = floor(middle - reach + 0.5);
        high = floor(middle + reach + 0.5);
    }
    span s = {(int32_t)fmin(fmax(low, 0), a->size - 1), (int32_t)fmin(high, a->size)};
    s.end = LG_MAX(s.end, s.first + 1);
    return s;
}

static double weight_at(const axis_rule *a, int32_t i, int32_t pixel)
{
    if (a->method == LG_RESIZE_AREA) {
        const double low = fmax(place_of(a, i, 0), pixel),
                     high = fmin(place_of(a, i, 1), pixel + 1.0);
        return fmax(high - low, 0);
    }
    return kernel_at(a->method, (pixel + 0.5 - place_of(a, i, 0.5)) / a->stretch);
}

// Whole weights of which every sum of the first few is rounded to nearest: then the sum of all is exact.
static void round_weights(const double *raw, int32_t count, int bits, int32_t *weights)
{
    double all = 0, sum = 0;
    int64_t before = 0;
    for (int32_t k = 0; k < count; k++)
        all += raw[k];
    for (int32_t k = 0; k < count; k++) {
        sum += raw[k];
        const double part = k == count - 1 ? 1 : sum / all;
        const int64_t up_to = (int64_t)floor(ldexp(part, bits) + 0.5);
        weights[k] = (int32_t)(up_to - before);
        before = up_to;
    }
}

// Weights of 0 at both ends are left out.
static void trim(lg_resize_axis *axis, int32_t i)
{
    int32_t *w = axis->weights + (size_t)i * (size_t)axis->taps, count = axis->tap_count[i], k = 0;
    while (w[count - 1] == 0)
        count--;
    while (w[k] == 0)
        k++;
    memmove(w, w + k, (size_t)(count - k) * sizeof *w);
    memset(w + count - k, 0, (size_t)(axis->taps - (count - k)) * sizeof *w);
    axis->first[i] += k;
    axis->tap_count[i] = count - k;
}

static lg_status open_axis(lg_resize_axis *axis, const axis_rule *a, lg_error *error)
{
    *axis = (lg_resize_axis){.size = a->size, .count = a->count};
    for (int32_t i = 0; i < a->count; i++) {
        const span s = span_of(a, i);
        axis->taps = LG_MAX(axis->taps, s.end - s.first);
    }
    const size_t count = (size_t)a->count;
    size_t all;
    if (!lg_size_mul(count, (size_t)axis->taps, &all) || all > SIZE_MAX / 8)
        return lg_fail(error, LG_ERROR_LIMIT, "resize: too many weights");
    axis->first = lg_alloc_array(3 * count + all, sizeof *axis->first);
    axis->floats = lg_alloc_array(all, sizeof *axis->floats);
    if (!axis->first || !axis->floats)
        return lg_fail_memory(error, (3 * count + 2 * all) * sizeof *axis->first,
                              "the weights of a resized image");
    axis->tap_count = axis->first + count;
    axis->from = axis->tap_count + count;
    axis->weights = axis->from + count;
    return LG_OK;
}

// Outputs that are one input begin behind their neighbours.
static void find_kept(lg_resize_axis *axis)
{
    int32_t from = axis->size, end = 0;
    for (int32_t i = axis->count - 1; i >= 0; i--)
        axis->from[i] = from = LG_MIN(from, axis->first[i]);
    for (int32_t i = 0; i < axis->count; i++) {
        end = LG_MAX(end, axis->first[i] + axis->tap_count[i]);
        axis->kept = LG_MAX(axis->kept, end - axis->from[i]);
    }
}

static lg_status weigh_axis(lg_resize_axis *axis, const axis_rule *a, lg_error *error)
{
    const lg_status status = open_axis(axis, a, error);
    if (status)
        return status;
    double *raw = lg_alloc_array((size_t)axis->taps, sizeof *raw);
    if (!raw)
        return lg_fail_memory(error, (size_t)axis->taps * sizeof *raw, "weights");
    int32_t taps = 1;
    for (int32_t i = 0; i < a->count; i++) {
        const span s = span_of(a, i);
        axis->first[i] = s.first;
        axis->tap_count[i] = s.end - s.first;
        for (int32_t k = 0; k < axis->tap_count[i]; k++)
            raw[k] = weight_at(a, i, s.first + k);
        round_weights(raw, axis->tap_count[i], a->bits,
                      axis->weights + (size_t)i * (size_t)axis->taps);
        trim(axis, i);
        taps = LG_MAX(taps, axis->tap_count[i]);
    }
    lg_free(raw);
    for (int32_t i = 0; i < a->count; i++) // closer together, without what was trimmed everywhere
        memmove(axis->weights + (size_t)i * (size_t)taps,
                axis->weights + (size_t)i * (size_t)axis->taps, (size_t)taps * sizeof(int32_t));
    axis->taps = taps;
    for (size_t k = 0; k < (size_t)a->count * (size_t)taps; k++)
        axis->floats[k] = (float)ldexp(axis->weights[k], -a->bits);
    find_kept(axis);
    return LG_OK;
}

static lg_status weigh(lg_resize *r, int bits, lg_error *error)
{
    lg_status status = LG_OK;
    for (int k = 0; k < 2 && !status; k++) {
        const double ratio = r->part[k].length / r->axis[k].count;
        const axis_rule a = {.method = r->method,
                             .part = r->part[k],
                             .size = r->axis[k].size,
                             .count = r->axis[k].count,
                             .stretch = r->antialias ? fmax(ratio, 1) : 1,
                             .bits = bits};
        status = weigh_axis(&r->axis[k], &a, error);
    }
    return status;
}

// Whether sums of bytes fit 16 bits behind the first pass, and 32 in the second.
static bool fits_bytes(const lg_resize_axis *axis)
{
    bool fits = axis->taps <= LG_RESIZE_BYTE_TAPS;
    for (int32_t i = 0; i < axis->count && fits; i++) {
        int32_t all = 0;
        for (int32_t k = 0; k < axis->taps; k++)
            all += abs(axis->weights[(size_t)i * (size_t)axis->taps + (size_t)k]);
        fits = all <= 2 << LG_RESIZE_BYTE_BITS;
    }
    return fits;
}

bool lg_resize_mixes_bytes(const lg_resize *r, const lg_image_params *in,
                           const lg_image_params *out)
{
    const bool alpha = in->channels > 1 && in->alpha >= LG_ALPHA_STRAIGHT;
    return in->type == LG_U8 && lg_rearrange_copies(in, out) && !alpha && !r->linear;
}

static void close_lists(lg_resize *r)
{
    for (int k = 0; k < 2; k++) {
        lg_free(r->axis[k].first);
        lg_free(r->axis[k].floats);
        r->axis[k].first = NULL;
        r->axis[k].floats = NULL;
    }
}

static lg_status weigh_both(lg_resize *r, const lg_image_params *in, const lg_image_params *out,
                            lg_error *error)
{
    r->bytes = lg_resize_mixes_bytes(r, in, out);
    if (r->bytes) {
        const lg_status status = weigh(r, LG_RESIZE_BYTE_BITS, error);
        if (status || (fits_bytes(&r->axis[0]) && fits_bytes(&r->axis[1])))
            return status;
        close_lists(r);
    }
    r->bytes = false;
    return weigh(r, LG_RESIZE_BITS, error);
}

void lg_resize_drop(void *kept)
{
    close_lists(kept);
    lg_free(kept);
}

static bool is_same(const lg_resize *a, const lg_resize *b)
{
    bool same = a->method == b->method && a->antialias == b->antialias && a->linear == b->linear;
    for (int k = 0; k < 2; k++)
        same = same && a->axis[k].size == b->axis[k].size && a->axis[k].count == b->axis[k].count &&
               a->part[k].from == b->part[k].from && a->part[k].length == b->part[k].length;
    return same;
}

lg_status lg_resize_weigh(lg_resize *r, const lg_image_params *in, const lg_image_params *out,
                          void **kept, lg_error *error)
{
    if (*kept && !is_same(*kept, r)) {
        lg_resize_drop(*kept);
        *kept = NULL;
    }
    if (!*kept) {
        lg_resize *made = lg_alloc(sizeof *made);
        if (!made)
            return lg_fail_memory(error, sizeof *made, "the weights of a resized image");
        *made = *r;
        const lg_status status = weigh_both(made, in, out, error);
        if (status) {
            lg_resize_drop(made);
            return status;
        }
        *kept = made;
    }
    *r = *(const lg_resize *)*kept;
    return LG_OK;
}

void lg_resize_reach(const lg_resize_axis *axis, int32_t x, int32_t x_end, int32_t *first,
                     int32_t *end)
{
    *first = axis->size;
    *end = 0;
    for (; x < x_end; x++) {
        *first = LG_MIN(*first, axis->first[x]);
        *end = LG_MAX(*end, axis->first[x] + axis->tap_count[x]);
    }
}

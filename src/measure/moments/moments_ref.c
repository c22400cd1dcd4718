// Moments, the plain way: the tree of a leaf in docs/definitions.md as a recursion over single samples,
// and sums of 1024 bits above.
#include "measure/moments/moments.h"

#include <math.h>

// Where a leaf looks its samples up.
typedef struct leaf_view {
    const lg_scan *scan;
    int32_t layer;
    int channel;
    int64_t x, y; // first taken pixel of the leaf
    int64_t width, height;
    int32_t k;
} leaf_view;

static const uint8_t *pixel(const lg_image *image, int32_t layer, int64_t x, int64_t y)
{
    return (const uint8_t *)image->data + (size_t)layer * image->shape.layer_stride +
           (size_t)y * image->shape.row_stride + (size_t)x * lg_pixel_size(&image->shape);
}

static double sample_value(lg_type type, const uint8_t *at)
{
    uint16_t u16;
    float f32;
    switch (type) {
    case LG_U8:
        return *at;
    case LG_U16:
        memcpy(&u16, at, sizeof u16);
        return u16;
    case LG_F16:
        memcpy(&u16, at, sizeof u16);
        return lg_half_to_float(u16);
    default:
        memcpy(&f32, at, sizeof f32);
        return f32;
    }
}

// Taken pixel (x, y) of the selection; false when the mask or alpha leaves it out.
static bool fetch(const lg_scan *s, int32_t layer, int64_t x, int64_t y, int channel, double *value)
{
    const int64_t px = s->x + x * s->step, py = s->y + y * s->step;
    const uint8_t *at = pixel(s->image, layer, px, py);
    const size_t size = lg_type_size(s->type);
    if (s->mask && *pixel(s->mask, s->mask->shape.layers == 1 ? 0 : layer, px, py) == 0)
        return false;
    if (s->alpha >= 0 && sample_value(s->type, at + (size_t)s->alpha * size) == 0.0)
        return false;
    *value = sample_value(s->type, at + (size_t)channel * size);
    return true;
}

static bool is_finite(double v)
{
    return v - v == 0.0;
}

// A sample that enters the sums, scaled; n = 0 when there is none.
static lg_leaf_node one(const leaf_view *v, int64_t x, int64_t y)
{
    double value;
    if (x >= v->width || y >= v->height ||
        !fetch(v->scan, v->layer, v->x + x, v->y + y, v->channel, &value) || !is_finite(value))
        return lg_leaf_empty();
    const float f = (float)value;
    return lg_leaf_single(v->k == 0 || v->k == LG_SCALE_ZERO ? f : lg_leaf_scaled(f, v->k));
}

// n * x - p for p = n * x rounded: exact in double.
static float product_error(lg_uint n, float x, float p)
{
    return (float)((double)n * (double)x - (double)p);
}

// The formulas of definitions.md, for the two cases apart.
static lg_leaf_node merge(lg_leaf_node a, lg_leaf_node b)
{
    if (a.n == 0)
        return b;
    if (b.n == 0)
        return a;
    lg_leaf_node r = {.n = a.n + b.n, .hi = a.hi + b.hi};
    // The error of the sum, exact in double: the larger part first.
    const double large = fabsf(a.hi) < fabsf(b.hi) ? b.hi : a.hi;
    const double small = fabsf(a.hi) < fabsf(b.hi) ? a.hi : b.hi;
    r.lo = (float)(large - (double)r.hi + small) + (a.lo + b.lo);
    const float rab = 1.0f / (float)r.n;
    if (a.n == b.n) {
        const float d = (a.hi - b.hi) + (a.lo - b.lo);
        r.m2 = (a.m2 + b.m2) + (d * d) * rab;
        return r;
    }
    const float na = (float)a.n, nb = (float)b.n, p = nb * a.hi, q = na * b.hi;
    const float d = (p - q) + ((product_error(b.n, a.hi, p) - product_error(a.n, b.hi, q)) +
                               (nb * a.lo - na * b.lo));
    r.m2 = (a.m2 + b.m2) + ((d * (1.0f / nb)) * (d * (1.0f / na))) * rab;
    return r;
}

static lg_leaf_node column(const leaf_view *v, int64_t x, int64_t y, int64_t rows)
{
    if (rows > 2)
        return merge(column(v, x, y, rows / 2), column(v, x, y + rows / 2, rows / 2));
    const lg_leaf_node a = one(v, x, y), b = one(v, x, y + 1);
    if (!a.n || !b.n)
        return merge(a, b);
    const float sum = a.hi + b.hi, difference = a.hi - b.hi;
    return (lg_leaf_node){.n = 2,
                          .hi = sum,
                          .lo = ((a.hi + a.hi) - sum) - difference,
                          .m2 = (difference * difference) * 0.5f};
}

static lg_leaf_node columns(const leaf_view *v, int64_t x, int64_t count)
{
    if (count == 1)
        return column(v, x, 0, LG_LEAF_HEIGHT);
    return merge(columns(v, x, count / 2), columns(v, x + count / 2, count / 2));
}

typedef struct totals {
    uint64_t n, nans, pinfs, ninfs;
    float min, max;
    lg_wide positive, negative, squares; // in units of 2^-199 and 2^-398
} totals;

static void add_at(lg_wide *to, lg_u128 value, int bit)
{
    const lg_wide power = lg_wide_of((lg_u128)1 << bit % 64), at = lg_wide_move(&power, bit / 64);
    const lg_wide term = lg_wide_scale(&at, value);
    *to = lg_wide_add(*to, &term);
}

// A leaf's sum in units of 2^(e - 50), e the exponent of its largest magnitude, and its sum of squares
// in units of 2^(2 e - 100), both without their fractions.
static void add_leaf(totals *t, lg_leaf_node node, int k, float largest)
{
    const int e = ilogb((double)largest), shift = 50 - e + k;
    const __int128 sum =
        (__int128)trunc(ldexp(node.hi, shift)) + (__int128)trunc(ldexp(node.lo, shift));
    const lg_u128 magnitude = (lg_u128)(sum < 0 ? -sum : sum);
    const lg_u128 m2 = (lg_u128)trunc(ldexp(node.m2, 2 * shift));
    add_at(sum < 0 ? &t->negative : &t->positive, magnitude, e - 50 + 199);
    add_at(&t->squares, magnitude * magnitude / node.n + m2, 2 * e - 100 + 398);
}

static void leaf(leaf_view v, totals *t)
{
    float largest = 0;
    double value;
    for (int64_t y = 0; y < v.height; y++) {
        for (int64_t x = 0; x < v.width; x++) {
            if (!fetch(v.scan, v.layer, v.x + x, v.y + y, v.channel, &value))
                continue;
            const float f = (float)value;
            if (value != value) {
                t->nans++;
            } else if (!is_finite(value)) {
                t->pinfs += value > 0;
                t->ninfs += value < 0;
            } else {
                t->n++;
                t->min = f < t->min ? f : t->min;
                t->max = f > t->max ? f : t->max;
                largest = fabsf(f) > largest ? fabsf(f) : largest;
            }
        }
    }
    v.k = lg_leaf_scale(lg_bits(largest));
    if (largest > 0)
        add_leaf(t, columns(&v, 0, LG_LEAF_WIDTH), v.k, largest);
}

static lg_float_sums floats(const lg_scan *s, int channel, int64_t first, int64_t count)
{
    totals t = {.min = INFINITY, .max = -INFINITY};
    for (int64_t layer = first; layer < first + count; layer++) {
        for (int64_t y = 0; y < s->height; y += LG_LEAF_HEIGHT) {
            for (int64_t x = 0; x < s->width; x += LG_LEAF_WIDTH)
                leaf((leaf_view){.scan = s,
                                 .layer = (int32_t)layer,
                                 .channel = channel,
                                 .x = x,
                                 .y = y,
                                 .width = LG_MIN(s->width - x, LG_LEAF_WIDTH),
                                 .height = LG_MIN(s->height - y, LG_LEAF_HEIGHT)},
                     &t);
        }
    }
    lg_float_sums r = {t.n, t.nans, t.pinfs, t.ninfs, t.min + 0.0f, t.max + 0.0f, {0}, {0}};
    lg_wide top = lg_wide_of(1), sum; // two's complement: positive + (2^960 - negative), cut off
    top = lg_wide_move(&top, 15);
    sum = lg_wide_distance(&top, &t.negative);
    sum = lg_wide_add(sum, &t.positive);
    memcpy(r.sum, sum.limb, sizeof r.sum);
    memcpy(r.squares, t.squares.limb, sizeof r.squares);
    return r;
}

static lg_integer_moments integers(const lg_scan *s, int channel, int64_t first, int64_t count)
{
    lg_integer_moments r = lg_moments_state_empty(s->type).integers;
    for (int64_t layer = first; layer < first + count; layer++) {
        for (int64_t y = 0; y < s->height; y++) {
            for (int64_t x = 0; x < s->width; x++) {
                double value;
                if (!fetch(s, (int32_t)layer, x, y, channel, &value))
                    continue;
                const uint32_t v = (uint32_t)value;
                r.n++;
                r.sum += v;
                r.squares += (uint64_t)v * v;
                r.min = LG_MIN(r.min, v);
                r.max = LG_MAX(r.max, v);
            }
        }
    }
    return r;
}

lg_status lg_moments_ref(const lg_scan *scan, bool stack, lg_moments_state *out, lg_error *error)
{
    if (!scan->image->data)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "the image has no host pixels; download it before measuring on the CPU");
    const int64_t count = stack ? scan->layers : 1;
    for (int64_t first = 0; first < scan->layers; first += count) {
        for (int c = 0; c < scan->measured; c++) {
            lg_moments_state state = lg_moments_state_empty(scan->type);
            if (state.integer)
                state.integers = integers(scan, c, first, count);
            else
                state.floats = floats(scan, c, first, count);
            out[(first / count) * scan->measured + c] = state;
        }
    }
    return LG_OK;
}

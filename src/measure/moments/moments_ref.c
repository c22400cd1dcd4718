// Moments, the plain way: sample by sample, with sums of 1024 bits.
#include "measure/moments/moments.h"

#include <math.h>

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

// Samples in units of 2^-149, the magnitudes of negative ones apart; their
// squares in units of 2^-298.
typedef struct totals {
    uint64_t n, nans, pinfs, ninfs;
    float min, max;
    lg_u1024 positive, negative, squares;
} totals;

static void add_at(lg_u1024 *to, lg_u128 value, int bit)
{
    const lg_u1024 power = lg_u1024_of((lg_u128)1 << bit % 64),
                   at = lg_u1024_move(&power, bit / 64);
    const lg_u1024 term = lg_u1024_scale(&at, value);
    *to = lg_u1024_add(*to, &term);
}

static void add_finite(totals *t, double value)
{
    const int lowest =
        LG_MAX(value == 0 ? 0 : ilogb(value), -126) - 23; // bit of a float's significand
    const lg_u128 significand = (lg_u128)ldexp(fabs(value), -lowest);
    t->n++;
    t->min = fminf(t->min, (float)value);
    t->max = fmaxf(t->max, (float)value);
    add_at(value < 0 ? &t->negative : &t->positive, significand, lowest + 149);
    add_at(&t->squares, significand * significand, 2 * (lowest + 149));
}

static void add_sample(totals *t, double value)
{
    if (isnan(value))
        t->nans++;
    else if (!isinf(value))
        add_finite(t, value);
    else if (value > 0)
        t->pinfs++;
    else
        t->ninfs++;
}

static lg_float_sums floats(const lg_scan *s, int channel, int64_t first, int64_t count)
{
    totals t = {.min = INFINITY, .max = -INFINITY};
    double value;
    for (int64_t layer = first; layer < first + count; layer++) {
        for (int64_t y = 0; y < s->height; y++) {
            for (int64_t x = 0; x < s->width; x++) {
                if (fetch(s, (int32_t)layer, x, y, channel, &value))
                    add_sample(&t, value);
            }
        }
    }
    lg_float_sums r = {t.n, t.nans, t.pinfs, t.ninfs, t.min + 0.0f, t.max + 0.0f, {0}, {0}};
    lg_u1024 top = lg_u1024_of(1), sum; // two's complement: positive + (2^960 - negative), cut off
    top = lg_u1024_move(&top, 15);
    sum = lg_u1024_distance(&top, &t.negative);
    sum = lg_u1024_add(sum, &t.positive);
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

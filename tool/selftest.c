#include "selftest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Odd sizes: single pixels, single rows and columns, beyond one vector, beyond one
// workgroup.
static const struct {
    int width, height, layers, channels;
    lg_alpha alpha;
    bool select;
} cases[] = {
    {1, 1, 1, 1, LG_ALPHA_NONE, false},       {1, 37, 1, 4, LG_ALPHA_OPAQUE, false},
    {131, 1, 1, 2, LG_ALPHA_STRAIGHT, false}, {127, 33, 3, 1, LG_ALPHA_NONE, false},
    {257, 65, 1, 4, LG_ALPHA_STRAIGHT, true}, {129, 97, 2, 4, LG_ALPHA_OPAQUE, true},
    {300, 70, 1, 1, LG_ALPHA_NONE, true},     {1031, 67, 1, 1, LG_ALPHA_NONE, false},
};

int lg_selftest_cases(void)
{
    return (int)(sizeof cases / sizeof cases[0]);
}

static uint64_t next(uint64_t *state) // xorshift64*
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1du;
}

// Mostly ordinary values around an offset, now and then what breaks careless code.
static float make_f32(uint64_t *state)
{
    static const float odd[] = {0.0f,     -0.0f, 1e-42f,   -1e-40f,   3.0e18f,
                                -2.5e17f, NAN,   INFINITY, -INFINITY, 1.0f};
    uint64_t bits = next(state) >> 20;
    if (bits % 61 == 0)
        return odd[bits / 61 % 10];
    return 1000.0f + (float)(bits & 0xffff) * 0x1p-10f;
}

static uint16_t make_f16(uint64_t *state)
{
    uint64_t bits = next(state) >> 30;
    return (uint16_t)(bits % 29 == 0 ? bits >> 8 : 0x3000 + (bits >> 8 & 0x0fff));
}

static void fill(lg_selftest_case *c, uint64_t *state, size_t samples)
{
    for (size_t i = 0; i < samples; i++) {
        // Two humps, so that thresholds have something to find.
        uint32_t hump = (uint32_t)(next(state) >> 40);
        uint32_t value = (hump & 1 ? 40 : 160) + (hump >> 1 & 63) + (hump >> 9 & 1 ? 17 : 0);
        switch (c->shape.type) {
        case LG_U8:
            ((uint8_t *)c->data)[i] = (uint8_t)value;
            break;
        case LG_U16:
            ((uint16_t *)c->data)[i] = (uint16_t)(value * 256 + (hump >> 12 & 255));
            break;
        case LG_F16:
            ((uint16_t *)c->data)[i] = make_f16(state);
            break;
        default:
            ((float *)c->data)[i] = make_f32(state);
        }
    }
}

bool lg_selftest_make(int index, lg_type type, lg_selftest_case *out)
{
    uint64_t state = 0x9e3779b97f4a7c15u * (uint64_t)(index * LG_TYPES + (int)type + 1);
    *out = (lg_selftest_case){.shape = {.width = cases[index].width,
                                        .height = cases[index].height,
                                        .layers = cases[index].layers,
                                        .channels = cases[index].channels,
                                        .type = type,
                                        .alpha = cases[index].alpha},
                              .select = cases[index].select,
                              .upload = index % 2 == 1,
                              .variants = index == 3 || index == 4,
                              .areas = index == 3 || (index == 5 && type == LG_U8),
                              .step = cases[index].select && index % 2 ? 2 : 1};
    lg_image_params *shape = &out->shape;
    size_t pixels = (size_t)shape->width * (size_t)shape->height;
    size_t samples = pixels * (size_t)shape->channels * (size_t)shape->layers;
    shape->row_stride = (size_t)shape->width * (size_t)shape->channels * lg_type_size(type);
    shape->layer_stride = shape->row_stride * (size_t)shape->height;
    out->data = calloc(samples, lg_type_size(type));
    out->mask = calloc(pixels, 1);
    out->region = (lg_region){0, 0, shape->width, shape->height};
    if (!out->data || !out->mask) {
        lg_selftest_free(out);
        return false;
    }
    fill(out, &state, samples);
    for (size_t i = 0; i < pixels; i++)
        out->mask[i] = next(&state) >> 62 ? 1 : 0;
    if (out->select)
        out->region = (lg_region){3, 2, shape->width - 8, shape->height - 5};
    return true;
}

void lg_selftest_free(lg_selftest_case *c)
{
    free(c->data);
    free(c->mask);
    *c = (lg_selftest_case){0};
}

static double half_value(uint16_t half)
{
    int exponent = half >> 10 & 31, mantissa = half & 1023;
    double value = exponent == 31 ? (mantissa ? NAN : INFINITY)
                   : exponent     ? ldexp(1024 + mantissa, exponent - 25)
                                  : ldexp(mantissa, -24);
    return half >> 15 ? -value : value;
}

double lg_selftest_sample(const lg_selftest_case *c, int layer, int64_t x, int64_t y, int channel)
{
    const lg_image_params *s = &c->shape;
    size_t at = (((size_t)layer * (size_t)s->height + (size_t)y) * (size_t)s->width + (size_t)x) *
                    (size_t)s->channels +
                (size_t)channel;
    switch (s->type) {
    case LG_U8:
        return ((const uint8_t *)c->data)[at];
    case LG_U16:
        return ((const uint16_t *)c->data)[at];
    case LG_F16:
        return half_value(((const uint16_t *)c->data)[at]);
    default:
        return (double)((const float *)c->data)[at];
    }
}

bool lg_selftest_takes(const lg_selftest_case *c, int64_t x, int64_t y)
{
    const lg_region *r = &c->region;
    if (x < r->x || y < r->y || x >= r->x + r->width || y >= r->y + r->height)
        return false;
    if ((x - r->x) % c->step || (y - r->y) % c->step)
        return false;
    return !c->select || c->mask[y * c->shape.width + x] != 0;
}

#define EACH_TAKEN(c, x, y)                                                                        \
    for (int64_t y = 0; y < (c)->shape.height; y++)                                                \
        for (int64_t x = 0; x < (c)->shape.width; x++)                                             \
            if (lg_selftest_takes(c, x, y))

static bool channel_moments_right(const lg_selftest_case *c, int layer, int channel,
                                  const lg_moments *m)
{
    uint64_t count = 0, nans = 0, infinities = 0;
    long double sum = 0, deviations = 0, magnitude = 0;
    double min = INFINITY, max = -INFINITY;
    EACH_TAKEN(c, x, y)
    {
        double value = lg_selftest_sample(c, layer, x, y, channel);
        nans += isnan(value) ? 1 : 0;
        infinities += isinf(value) ? 1 : 0;
        if (!isfinite(value))
            continue;
        count++;
        sum += value;
        magnitude += fabs(value);
        min = value < min ? value : min;
        max = value > max ? value : max;
    }
    if (m->count != count || m->nan_count != nans || m->inf_count != infinities)
        return false;
    if (count == 0)
        return isnan(m->mean) && isnan(m->variance);
    long double mean = sum / (long double)count;
    EACH_TAKEN(c, x, y)
    {
        double value = lg_selftest_sample(c, layer, x, y, channel);
        if (isfinite(value))
            deviations += (value - mean) * (value - mean);
    }
    long double variance = deviations / (long double)count;
    bool integer = c->shape.type == LG_U8 || c->shape.type == LG_U16;
    if (integer && (!m->exact || m->sum_hi != 0 || (long double)m->sum_lo != sum))
        return false;
    // Sums are exact, so that what is left is the rounding of this oracle and of the quotients.
    const long double slack = 0x1p-50L * magnitude / (long double)count;
    return m->min == min && m->max == max && fabsl(m->mean - mean) <= slack &&
           fabsl(m->variance - variance) <= 0x1p-45L * (variance + 0x1p-60L);
}

bool lg_selftest_moments_right(const lg_selftest_case *c, const lg_moments *out)
{
    int channels = lg_image_measured_channels(&c->shape);
    for (int layer = 0; layer < c->shape.layers; layer++)
        for (int channel = 0; channel < channels; channel++)
            if (!channel_moments_right(c, layer, channel, &out[layer * channels + channel]))
                return false;
    return true;
}

static bool channel_histogram_right(const lg_selftest_case *c, int layer, int channel,
                                    const lg_histogram_channel *h)
{
    uint64_t nans = 0, infinities = 0, below = 0, above = 0;
    bool integer = c->shape.type == LG_U8 || c->shape.type == LG_U16, good = true;
    uint64_t *counts = calloc((size_t)h->bins, sizeof *counts);
    if (!counts)
        return false;
    EACH_TAKEN(c, x, y)
    {
        double value = lg_selftest_sample(c, layer, x, y, channel);
        nans += isnan(value) ? 1 : 0;
        infinities += isinf(value) ? 1 : 0;
        if (!isfinite(value))
            continue;
        below += value < h->lo ? 1 : 0;
        above += value > h->hi ? 1 : 0;
        if (value < h->lo || value > h->hi)
            continue;
        double position =
            integer
                ? floor((value - h->lo) * h->bins / (h->hi - h->lo + 1))
                : (double)(((float)value - (float)h->lo) * ((float)(h->bins / (h->hi - h->lo))));
        int32_t bin = (int32_t)position;
        counts[bin < h->bins ? bin : h->bins - 1]++;
    }
    for (int32_t i = 0; i < h->bins; i++)
        good &= counts[i] == h->counts[i];
    free(counts);
    return good && nans == h->nan_count && infinities == h->inf_count && below == h->below &&
           above == h->above;
}

bool lg_selftest_histogram_right(const lg_selftest_case *c, const lg_histogram *h)
{
    if (h->layers != c->shape.layers || h->channels != lg_image_measured_channels(&c->shape))
        return false;
    for (int layer = 0; layer < h->layers; layer++)
        for (int channel = 0; channel < h->channels; channel++)
            if (!channel_histogram_right(c, layer, channel,
                                         &h->channel[layer * h->channels + channel]))
                return false;
    return true;
}

// The level is the library's; that every output pixel follows from it is checked here, for images
// of one channel (brightness of colour has a formula of its own).
bool lg_selftest_threshold_right(const lg_selftest_case *c, const lg_threshold *results,
                                 const lg_image *binary)
{
    const lg_region *r = &c->region;
    if (binary->shape.width != r->width || binary->shape.height != r->height ||
        binary->shape.layers != c->shape.layers)
        return false;
    for (int layer = 0; layer < c->shape.layers && c->shape.channels == 1; layer++)
        for (int64_t y = 0; y < r->height; y++) {
            const uint8_t *row = (const uint8_t *)binary->data +
                                 (size_t)layer * binary->shape.layer_stride +
                                 (size_t)y * binary->shape.row_stride;
            for (int64_t x = 0; x < r->width; x++) {
                double value = lg_selftest_sample(c, layer, r->x + x, r->y + y, 0);
                if (row[x] != (value > results[layer].level[0] ? 255 : 0))
                    return false;
            }
        }
    return true;
}

bool lg_selftest_same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

bool lg_selftest_moments_same(const lg_moments *a, const lg_moments *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (a[i].count != b[i].count || a[i].nan_count != b[i].nan_count ||
            a[i].inf_count != b[i].inf_count || !lg_selftest_same(a[i].min, b[i].min) ||
            !lg_selftest_same(a[i].max, b[i].max) || !lg_selftest_same(a[i].sum, b[i].sum) ||
            !lg_selftest_same(a[i].mean, b[i].mean) ||
            !lg_selftest_same(a[i].variance, b[i].variance) || a[i].exact != b[i].exact ||
            a[i].sum_hi != b[i].sum_hi || a[i].sum_lo != b[i].sum_lo)
            return false;
    return true;
}

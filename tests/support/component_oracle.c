#include "component_oracle.h"
#include "check.h"
#include "samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint32_t label_at(const flood *f, int32_t x, int32_t y, int32_t z)
{
    if (x < 0 || y < 0 || x >= f->width || y >= f->height)
        return 0;
    return f->label[((size_t)z * (size_t)f->height + (size_t)y) * (size_t)f->width + (size_t)x];
}

// The unit by trial: the smallest power of two such that all samples of components are at most 2^40 units and
// below it.
static double unit_of(const flood *f, const lg_image *image)
{
    double max = 0;
    for (int32_t z = 0; z < image->shape.layers; z++)
        for (int32_t y = 0; y < image->shape.height; y++)
            for (int32_t x = 0; x < image->shape.width; x++) {
                const double v = fabs(sample_stored(image, x, y, z, 0));
                if (isfinite(v) && v > max && label_at(f, x, y, z))
                    max = v;
            }
    if (image->shape.type <= LG_U16 || max == 0)
        return 1;
    double unit = 0x1p-300;
    while (max >= unit * 0x1p40)
        unit *= 2;
    return unit;
}

static void add_second(lg_component_second *s, int32_t x, int32_t y, int32_t z)
{
    s->xx += (lg_u128)((int64_t)x * x);
    s->yy += (lg_u128)((int64_t)y * y);
    s->zz += (lg_u128)((int64_t)z * z);
    s->xy += (lg_u128)((int64_t)x * y);
    s->xz += (lg_u128)((int64_t)x * z);
    s->yz += (lg_u128)((int64_t)y * z);
}

static void add_intensity(lg_component_intensity *n, double unit, double v, const int32_t *at)
{
    if (!isfinite(v))
        return;
    if (v == 0)
        v = 0; // zeros have no sign
    const double scaled = v / unit, below = floor(scaled), rest = scaled - below;
    int64_t units = (int64_t)below;
    if (rest > 0.5 || (rest == 0.5 && units % 2 != 0))
        units++;
    n->sum += units;
    n->squares += (lg_u128)((__int128)units * units);
    for (int k = 0; k < 3; k++)
        n->moment[k] += (__int128)units * at[k];
    if (n->count == 0 || v < n->min)
        n->min = v;
    if (n->count == 0 || v > n->max)
        n->max = v;
    n->count++;
}

static bool on_border(const flood *f, uint32_t v, int32_t x, int32_t y, int32_t z)
{
    return label_at(f, x, y, z) == v &&
           (label_at(f, x - 1, y, z) != v || label_at(f, x + 1, y, z) != v ||
            label_at(f, x, y - 1, z) != v || label_at(f, x, y + 1, z) != v);
}

static void add_border(lg_component_shape *s, const flood *f, uint32_t v, int32_t x, int32_t y,
                       int32_t z)
{
    static const int weights[3][3] = {{10, 2, 10}, {2, 1, 2}, {10, 2, 10}};
    if (!on_border(f, v, x, y, z))
        return;
    int sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (on_border(f, v, x + dx, y + dy, z))
                sum += weights[dy + 1][dx + 1];
    switch (sum) {
    case 5:
    case 7:
    case 15:
    case 17:
    case 25:
    case 27:
        s->border[0]++;
        break;
    case 21:
    case 33:
        s->border[1]++;
        break;
    case 13:
    case 23:
        s->border[2]++;
        break;
    default:
        break;
    }
}

// The window whose lower right pixel is at x and y, for each component that has a pixel in it.
static void add_windows(lg_component_shape *shape, const flood *f, int32_t x, int32_t y, int32_t z)
{
    uint32_t v[4];
    for (int k = 0; k < 4; k++)
        v[k] = label_at(f, x - 1 + k % 2, y - 1 + k / 2, z);
    for (int k = 0; k < 4; k++) {
        int which = 0;
        bool first = v[k] != 0;
        for (int i = 0; i < 4; i++) {
            which += v[i] == v[k] ? 1 << i : 0;
            first &= i >= k || v[i] != v[k];
        }
        if (first)
            shape[v[k] - 1].windows[which]++;
    }
}

static void add_down(lg_component_shape *s, const flood *f, uint32_t v, int32_t x, int32_t y,
                     int32_t z)
{
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (z + 1 == f->layers || label_at(f, x + dx, y + dy, z + 1) != v)
                s->down[3 * dy + dx + 4]++;
}

static void *array_of(bool wanted, const flood *f, size_t size)
{
    void *array = wanted ? calloc(f->count ? f->count : 1, size) : NULL;
    NEED(array || !wanted, "figures of %u components", f->count);
    return array;
}

lg_components component_oracle(const flood *f, const lg_label_params *params,
                               const lg_image *intensity)
{
    lg_components c = {.count = f->count,
                       .unit = intensity ? unit_of(f, intensity) : 1,
                       .basic = array_of(true, f, sizeof *c.basic),
                       .second = array_of(params->moments, f, sizeof *c.second),
                       .intensity = array_of(intensity != NULL, f, sizeof *c.intensity),
                       .shape = array_of(params->shape, f, sizeof *c.shape)};
    memcpy(c.basic, f->basic, f->count * sizeof *c.basic);
    for (int32_t z = 0; z < f->layers; z++)
        for (int32_t y = 0; y <= f->height; y++)
            for (int32_t x = 0; x <= f->width; x++) {
                const uint32_t v = y < f->height ? label_at(f, x, y, z) : 0;
                const int32_t at[3] = {x, y, z};
                if (v && c.second)
                    add_second(&c.second[v - 1], x, y, z);
                if (v && c.intensity)
                    add_intensity(&c.intensity[v - 1], c.unit, sample_stored(intensity, x, y, z, 0),
                                  at);
                if (v && c.shape)
                    add_border(&c.shape[v - 1], f, v, x, y, z);
                if (v && c.shape && params->connectivity > 0 && params->connectivity != 4 &&
                    params->connectivity != 8 && f->layers > 1)
                    add_down(&c.shape[v - 1], f, v, x, y, z);
                if (c.shape)
                    add_windows(c.shape, f, x, y, z);
            }
    return c;
}

void component_oracle_free(lg_components *components)
{
    free(components->basic);
    free(components->second);
    free(components->intensity);
    free(components->shape);
}

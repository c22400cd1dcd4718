#include "samples.h"
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EACH_SAMPLE(s)                                                                             \
    for (int32_t z = 0; z < (s)->layers; z++)                                                      \
        for (int32_t y = 0; y < (s)->height; y++)                                                  \
            for (int32_t x = 0; x < (s)->width; x++)                                               \
                for (int c = 0; c < (s)->channels; c++)

static uint8_t *row_at(const lg_image *image, int64_t y, int64_t layer)
{
    const lg_image_params *s = &image->shape;
    return (uint8_t *)image->data + (size_t)layer * s->layer_stride + (size_t)y * s->row_stride;
}

static void *sample_at(const lg_image *image, int64_t x, int64_t y, int64_t layer, int c)
{
    const lg_image_params *s = &image->shape;
    return row_at(image, y, layer) + (size_t)(x * s->channels + c) * lg_type_size(s->type);
}

double sample_stored(const lg_image *image, int64_t x, int64_t y, int64_t layer, int channel)
{
    const void *at = sample_at(image, x, y, layer, channel);
    switch (image->shape.type) {
    case LG_U8:
        return *(const uint8_t *)at;
    case LG_U16:
        return *(const uint16_t *)at;
    case LG_F16:
        return (double)lg_half_to_float(*(const uint16_t *)at);
    default:
        return (double)*(const float *)at;
    }
}

// Of integers; 1 for floats.
static double largest_of(const lg_image *image)
{
    const lg_type type = image->shape.type;
    return type == LG_U8 ? 255 : type == LG_U16 ? 65535 : 1;
}

double sample_get(const lg_image *image, int64_t x, int64_t y, int64_t layer, int channel)
{
    return sample_stored(image, x, y, layer, channel) / largest_of(image);
}

bool sample_is_visible(const lg_image *image, int64_t x, int64_t y, int64_t layer)
{
    const lg_image_params *s = &image->shape;
    const bool data = s->alpha == LG_ALPHA_NONE;
    const bool alpha =
        s->alpha != LG_ALPHA_OPAQUE && (s->channels == 4 || (s->channels == 2 && !data));
    const int colors = s->channels == 4 ? 3 : s->channels == 2 && !data ? 1 : s->channels;
    bool there = false;
    for (int k = 0; k < colors; k++)
        there |= sample_get(image, x, y, layer, k) != 0;
    return there && (!alpha || sample_get(image, x, y, layer, s->channels - 1) != 0);
}

int64_t sample_luma(const lg_image *image, int64_t x, int64_t y, int64_t layer)
{
    static const int64_t weights[] = {13933, 46871, 4732};
    int64_t sum = 32768;
    if (image->shape.channels < 4)
        return (int64_t)sample_stored(image, x, y, layer, 0);
    for (int c = 0; c < 3; c++)
        sum += weights[c] * (int64_t)sample_stored(image, x, y, layer, c);
    return sum / 65536;
}

void sample_store(lg_image *image, int64_t x, int64_t y, int64_t layer, int channel, double value)
{
    void *at = sample_at(image, x, y, layer, channel);
    switch (image->shape.type) {
    case LG_U8:
        *(uint8_t *)at = (uint8_t)value;
        break;
    case LG_U16:
        *(uint16_t *)at = (uint16_t)value;
        break;
    case LG_F16:
        *(uint16_t *)at = lg_float_to_half((float)value);
        break;
    default:
        *(float *)at = (float)value;
    }
}

void sample_put(lg_image *image, int64_t x, int64_t y, int64_t layer, int channel, double value)
{
    sample_store(image, x, y, layer, channel, value * largest_of(image));
}

void samples_premultiply(lg_image *image)
{
    const lg_image_params *s = &image->shape;
    const int last = s->channels - 1;
    EACH_SAMPLE(s)
    if (c < last)
        sample_put(image, x, y, z, c,
                   sample_get(image, x, y, z, c) * sample_get(image, x, y, z, last));
}

static bool selects(const lg_image *image, const lg_select *select, int64_t x, int64_t y, int64_t z)
{
    const lg_image_params *s = &image->shape;
    const bool clear = select->skip_transparent && s->channels > 1 && s->alpha != LG_ALPHA_NONE &&
                       s->alpha != LG_ALPHA_OPAQUE &&
                       sample_stored(image, x, y, z, s->channels - 1) == 0;
    const lg_image *mask = select->mask;
    return !clear && (!mask || sample_stored(mask, x, y, mask->shape.layers > 1 ? z : 0, 0) != 0);
}

void samples_select(const lg_image *image, const lg_select *select, int64_t layer,
                    void (*pixel)(void *arg, int64_t x, int64_t y, int64_t layer), void *arg)
{
    const lg_region all = lg_image_region(&image->shape);
    const lg_region r = select->region ? *select->region : all;
    for (int64_t z = 0; z < image->shape.layers; z++)
        for (int64_t y = r.y; y < r.y + r.height && (layer < 0 || layer == z); y += select->step)
            for (int64_t x = r.x; x < r.x + r.width; x += select->step)
                if (selects(image, select, x, y, z))
                    pixel(arg, x, y, z);
}

static bool is_same(const lg_image *a, const lg_image *b, int64_t x, int64_t y, int64_t z, int c)
{
    const lg_type type = a->shape.type;
    if (!memcmp(sample_at(a, x, y, z, c), sample_at(b, x, y, z, c), lg_type_size(type)))
        return true;
    return (type == LG_F16 || type == LG_F32) && isnan(sample_get(a, x, y, z, c)) &&
           isnan(sample_get(b, x, y, z, c));
}

size_t samples_differ(const lg_image *got, const lg_image *want, char first[160])
{
    const lg_image_params *s = &want->shape;
    size_t wrong = 0;
    first[0] = 0;
    EACH_SAMPLE(s)
    if (!is_same(want, got, x, y, z, c) && wrong++ == 0)
        snprintf(first, 160, "(%d, %d, %d) channel %d: %.9g, not %.9g", x, y, z, c,
                 sample_get(got, x, y, z, c), sample_get(want, x, y, z, c));
    return wrong;
}

bool samples_equal(const lg_image *a, const lg_image *b)
{
    char first[160];
    return samples_differ(a, b, first) == 0;
}

double samples_distance(const lg_image *a, const lg_image *b)
{
    double worst = 0;
    EACH_SAMPLE(&a->shape)
    {
        const double v = sample_get(a, x, y, z, c), w = sample_get(b, x, y, z, c);
        worst = fmax(worst, isnan(v) != isnan(w) ? INFINITY : fabs(v - w) / fmax(1, fabs(w)));
    }
    return worst;
}

int64_t samples_count_marks(const lg_image *image)
{
    int64_t count = 0;
    EACH_SAMPLE(&image->shape)
    count += c == 0 && sample_get(image, x, y, z, c) > 0;
    return count;
}

const char *const border_names[4] = {"replicate", "mirror", "wrap", "constant"};

int64_t border_walk(int64_t i, int64_t size, int border)
{
    while (i < 0 || i >= size) {
        if (border == 0)
            i = i < 0 ? 0 : size - 1;
        else if (border == 1)
            i = i < 0 ? -1 - i : 2 * size - 1 - i;
        else if (border == 2)
            i += i < 0 ? size : -size;
        else
            return -1;
    }
    return i;
}

lg_image *image_zeros(lg_context *context, lg_image_params shape)
{
    lg_image *image = NULL;
    lg_error error = {LG_OK, ""};
    NEED(!lg_image_create(context, &shape, &image, &error), "%s", error.message);
    return image;
}

// ---- guards -------------------------------------------------------------------------------------

enum { GUARD = 256 }; // bytes in front of the first and behind the last sample, at least

guarded guarded_open(lg_context *context, lg_image_params shape, uint8_t value)
{
    const size_t size = lg_type_size(shape.type);
    const size_t row = (size_t)shape.width * (size_t)shape.channels * size;
    const bool aligned = random_below(4) == 0;
    const size_t lead = aligned ? 0 : (1 + random_below((uint32_t)(16 / size - 1))) * size;
    lg_error error = {LG_OK, ""};
    shape.row_stride = aligned ? (row + 63) / 64 * 64 : row + (1 + random_below(20)) * size;
    shape.layer_stride =
        shape.row_stride * (size_t)shape.height + (aligned ? 0 : random_below(9) * size);
    guarded g = {.value = value};
    g.bytes = GUARD + lead + shape.layer_stride * (size_t)shape.layers + GUARD;
    g.bytes = (g.bytes + 63) / 64 * 64;
    g.memory = aligned_alloc(64, g.bytes);
    NEED(g.memory, "%zu bytes", g.bytes);
    memset(g.memory, value, g.bytes);
    NEED(!lg_image_wrap(context, &shape, g.memory + GUARD + lead, &g.image, &error), "%s",
         error.message);
    return g;
}

guarded guarded_copy(lg_context *context, const lg_image *image, uint8_t value)
{
    const lg_image_params *s = &image->shape;
    guarded g = guarded_open(context, *s, value);
    for (int32_t z = 0; z < s->layers; z++)
        for (int32_t y = 0; y < s->height; y++)
            memcpy(row_at(g.image, y, z), row_at(image, y, z), (size_t)s->width * lg_pixel_size(s));
    return g;
}

static size_t count_changed(const guarded *g, const uint8_t *from, const uint8_t *to)
{
    size_t changed = 0;
    for (; from < to; from++)
        changed += *from != g->value;
    return changed;
}

size_t guarded_spoiled(const guarded *g)
{
    const lg_image_params *s = &g->image->shape;
    const uint8_t *behind = g->memory; // the pixels so far
    size_t spoiled = 0;
    for (int32_t z = 0; z < s->layers; z++)
        for (int32_t y = 0; y < s->height; y++) {
            spoiled += count_changed(g, behind, row_at(g->image, y, z));
            behind = row_at(g->image, y, z) + (size_t)s->width * lg_pixel_size(s);
        }
    return spoiled + count_changed(g, behind, g->memory + g->bytes);
}

void guarded_close(guarded *g)
{
    if (g->image)
        lg_image_destroy(&g->image);
    free(g->memory);
    *g = (guarded){0};
}

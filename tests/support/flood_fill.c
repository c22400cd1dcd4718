#include "flood_fill.h"
#include "check.h"
#include "samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double flood_class(const lg_image *image, lg_foreground foreground, double level, int32_t x,
                   int32_t y, int32_t z)
{
    const double v = sample_stored(image, x, y, z, 0);
    if (isnan(v))
        return 0;
    if (foreground == LG_FOREGROUND_ABOVE)
        return v > level ? 1 : 0;
    return foreground == LG_FOREGROUND_VALUES ? v : v != 0;
}

bool flood_step(int connectivity, int dx, int dy, int dz)
{
    const int sides = abs(dx) + abs(dy) + abs(dz);
    switch (connectivity) {
    case 4:
        return dz == 0 && sides == 1;
    case 8:
        return dz == 0 && sides > 0;
    case 6:
        return sides == 1;
    case 18:
        return sides == 1 || sides == 2;
    default:
        return sides > 0;
    }
}

typedef struct filling {
    flood *f;
    const double *class;
    int connectivity;
    size_t *stack;
    size_t top;
} filling;

// Pixels next to `at` that are of its class and have no label yet.
static void visit_neighbours(filling *s, size_t at)
{
    flood *f = s->f;
    const size_t row = at / (size_t)f->width;
    const int32_t x = (int32_t)(at % (size_t)f->width), y = (int32_t)(row % (size_t)f->height),
                  z = (int32_t)(row / (size_t)f->height);
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                const int32_t nx = x + dx, ny = y + dy, nz = z + dz;
                if (!flood_step(s->connectivity, dx, dy, dz) || nx < 0 || ny < 0 || nz < 0 ||
                    nx >= f->width || ny >= f->height || nz >= f->layers)
                    continue;
                const size_t to =
                    ((size_t)nz * (size_t)f->height + (size_t)ny) * (size_t)f->width + (size_t)nx;
                if (f->label[to] == 0 && s->class[to] == s->class[at]) {
                    f->label[to] = f->count;
                    s->stack[s->top++] = to;
                }
            }
}

static void sum_pixels(flood *f)
{
    f->basic = calloc(f->count ? f->count : 1, sizeof *f->basic);
    if (!f->basic)
        return;
    size_t at = 0;
    for (int32_t z = 0; z < f->layers; z++)
        for (int32_t y = 0; y < f->height; y++)
            for (int32_t x = 0; x < f->width; x++, at++) {
                if (f->label[at] == 0)
                    continue;
                lg_component_basic *b = &f->basic[f->label[at] - 1];
                const int32_t place[3] = {x, y, z};
                for (int i = 0; i < 3; i++) {
                    if (b->area == 0 || place[i] < b->low[i])
                        b->low[i] = place[i];
                    if (b->area == 0 || place[i] > b->high[i])
                        b->high[i] = place[i];
                    b->sum[i] += (uint64_t)place[i];
                }
                if (b->area++ == 0)
                    b->first = at;
            }
}

flood *flood_fill(const lg_image *image, lg_foreground foreground, double level, int connectivity)
{
    const lg_image_params *shape = &image->shape;
    const size_t pixels = (size_t)shape->width * (size_t)shape->height * (size_t)shape->layers;
    flood *f = calloc(1, sizeof *f);
    double *class = calloc(pixels, sizeof *class);
    filling s = {.f = f, .class = class, .connectivity = connectivity};
    s.stack = calloc(pixels, sizeof *s.stack);
    if (f)
        f->label = calloc(pixels, sizeof *f->label);
    if (!f || !f->label || !class || !s.stack) {
        CHECK(false, "memory for %zu pixels", pixels);
        flood_free(&f);
        free(class);
        free(s.stack);
        return NULL;
    }
    f->width = shape->width;
    f->height = shape->height;
    f->layers = shape->layers;
    size_t at = 0;
    for (int32_t z = 0; z < f->layers; z++)
        for (int32_t y = 0; y < f->height; y++)
            for (int32_t x = 0; x < f->width; x++)
                class[at++] = flood_class(image, foreground, level, x, y, z);
    for (size_t i = 0; i < pixels; i++) {
        if (class[i] == 0 || f->label[i])
            continue;
        f->label[i] = ++f->count;
        s.stack[s.top++] = i;
        while (s.top)
            visit_neighbours(&s, s.stack[--s.top]);
    }
    sum_pixels(f);
    free(class);
    free(s.stack);
    return f;
}

lg_image *flood_fill_holes(lg_context *context, const lg_image *image, lg_foreground foreground,
                           double level, int connectivity)
{
    const lg_image_params shape = {.width = image->shape.width,
                                   .height = image->shape.height,
                                   .layers = image->shape.layers,
                                   .channels = 1,
                                   .type = LG_U8};
    const int other = connectivity == 4 ? 8 : connectivity == 8 ? 4 : connectivity == 6 ? 26 : 6;
    const bool volume = connectivity > 8 || connectivity == 6;
    lg_image *out = NULL;
    if (lg_image_create(context, &shape, &out, NULL) != LG_OK) {
        CHECK(false, "memory for an image");
        return NULL;
    }
    uint8_t *data = out->data;
    const size_t row = out->shape.row_stride, layer = out->shape.layer_stride;
    for (int32_t z = 0; z < shape.layers; z++)
        for (int32_t y = 0; y < shape.height; y++)
            for (int32_t x = 0; x < shape.width; x++)
                data[(size_t)z * layer + (size_t)y * row + (size_t)x] =
                    flood_class(image, foreground, level, x, y, z) == 0;
    flood *f = flood_fill(out, LG_FOREGROUND_NONZERO, 0, other);
    for (int32_t z = 0; f && z < shape.layers; z++)
        for (int32_t y = 0; y < shape.height; y++)
            for (int32_t x = 0; x < shape.width; x++) {
                const uint32_t label =
                    f->label[((size_t)z * (size_t)shape.height + (size_t)y) * (size_t)shape.width +
                             (size_t)x];
                bool open = false;
                if (label) {
                    const lg_component_basic *b = &f->basic[label - 1];
                    open = b->low[0] == 0 || b->low[1] == 0 || b->high[0] == shape.width - 1 ||
                           b->high[1] == shape.height - 1 ||
                           (volume && shape.layers > 1 &&
                            (b->low[2] == 0 || b->high[2] == shape.layers - 1));
                }
                data[(size_t)z * layer + (size_t)y * row + (size_t)x] = open ? 0 : 255;
            }
    flood_free(&f);
    return out;
}

bool flood_same_labels(const flood *f, const lg_labels *labels)
{
    bool same = labels->count == f->count;
    for (int64_t row = 0; row < (int64_t)f->height * f->layers; row++)
        same &=
            !memcmp((const char *)labels->data + (size_t)(row / f->height) * labels->layer_stride +
                        (size_t)(row % f->height) * labels->row_stride,
                    f->label + row * f->width, (size_t)f->width * sizeof *f->label);
    return same;
}

void flood_free(flood **f)
{
    if (*f) {
        free((*f)->label);
        free((*f)->basic);
        free(*f);
    }
    *f = NULL;
}

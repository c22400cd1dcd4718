// Labels of made-up images against a flood fill, pixel by pixel.
#include "selftest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Channels side by side are pixels too, so that there is one.
lg_image_params lg_selftest_label_shape(const lg_selftest_case *c)
{
    lg_image_params shape = c->shape;
    shape.width *= shape.channels;
    shape.channels = 1;
    shape.alpha = LG_ALPHA_NONE;
    return shape;
}

lg_label_params lg_selftest_label_params(const lg_selftest_case *c, lg_foreground foreground)
{
    static const double levels[LG_TYPES] = {
        [LG_U8] = 150, [LG_U16] = 150 * 256, [LG_F16] = 0.5, [LG_F32] = 1032};
    const int channels = c->shape.channels;
    lg_label_params params = lg_label_params_default();
    params.foreground = foreground;
    params.level = levels[c->shape.type];
    params.connectivity = c->shape.layers == 3   ? 26
                          : c->shape.layers == 2 ? 18
                          : channels > 1         ? 4
                                                 : 8;
    params.moments = c->select;
    params.shape = true;
    return params;
}

typedef struct box {
    uint64_t area, sum[3];
    int low[3], high[3];
} box;

typedef struct plain {
    int side[3], connectivity;
    uint32_t *labels, count;
    double *class; // what a pixel joins with; 0: background
    size_t *stack;
    box *boxes; // [count]
} plain;

static void destroy(plain *p)
{
    free(p->labels);
    free(p->class);
    free(p->stack);
    free(p->boxes);
}

static double class_of(const lg_label_params *params, double v)
{
    if (isnan(v))
        return 0;
    if (params->foreground == LG_FOREGROUND_ABOVE)
        return v > params->level ? 1 : 0;
    return v;
}

static bool reaches(int connectivity, int dx, int dy, int dz)
{
    const int axes = (dx != 0) + (dy != 0) + (dz != 0);
    const int max = connectivity == 4 || connectivity == 6 ? 1 : connectivity == 26 ? 3 : 2;
    return axes > 0 && axes <= max && (dz == 0 || connectivity > 8 || connectivity == 6);
}

static void add_pixel(box *b, const int place[3])
{
    for (int i = 0; i < 3; i++) {
        b->low[i] = b->area == 0 || place[i] < b->low[i] ? place[i] : b->low[i];
        b->high[i] = b->area == 0 || place[i] > b->high[i] ? place[i] : b->high[i];
        b->sum[i] += (uint64_t)place[i];
    }
    b->area++;
}

static void flood(plain *p, size_t first)
{
    box *b = &p->boxes[p->count++];
    size_t top = 0;
    p->stack[top++] = first;
    p->labels[first] = p->count;
    while (top > 0) {
        const size_t at = p->stack[--top], row = at / (size_t)p->side[0];
        const int place[3] = {(int)(at % (size_t)p->side[0]), (int)(row % (size_t)p->side[1]),
                              (int)(row / (size_t)p->side[1])};
        add_pixel(b, place);
        for (int i = 0; i < 27; i++) {
            const int step[3] = {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1};
            size_t to = 0;
            bool inside = reaches(p->connectivity, step[0], step[1], step[2]);
            for (int axis = 2; axis >= 0; axis--) {
                const int there = place[axis] + step[axis];
                inside &= there >= 0 && there < p->side[axis];
                to = to * (size_t)p->side[axis] + (size_t)there;
            }
            if (!inside || p->labels[to] || p->class[to] != p->class[at])
                continue;
            p->labels[to] = p->count;
            p->stack[top++] = to;
        }
    }
}

static bool label(const lg_selftest_case *c, const lg_label_params *params, plain *p)
{
    const lg_image_params shape = lg_selftest_label_shape(c);
    const size_t pixels = (size_t)shape.width * (size_t)shape.height * (size_t)shape.layers;
    *p = (plain){.side = {shape.width, shape.height, shape.layers},
                 .connectivity = params->connectivity,
                 .labels = calloc(pixels, sizeof *p->labels),
                 .class = calloc(pixels, sizeof *p->class),
                 .stack = calloc(pixels, sizeof *p->stack),
                 .boxes = calloc(pixels, sizeof *p->boxes)};
    if (!p->labels || !p->class || !p->stack || !p->boxes)
        return false;
    size_t i = 0;
    for (int z = 0; z < shape.layers; z++)
        for (int y = 0; y < shape.height; y++)
            for (int x = 0; x < shape.width; x++)
                p->class[i++] = class_of(params, lg_selftest_sample(c, z, x / c->shape.channels, y,
                                                                    x % c->shape.channels));
    for (i = 0; i < pixels; i++)
        if (p->class[i] != 0 && !p->labels[i])
            flood(p, i);
    return true;
}

static bool same_labels(const plain *p, const lg_labels *labels)
{
    bool same = labels->count == p->count && labels->data;
    for (int row = 0; same && row < p->side[1] * p->side[2]; row++)
        same =
            memcmp((const char *)labels->data + (size_t)(row / p->side[1]) * labels->layer_stride +
                       (size_t)(row % p->side[1]) * labels->row_stride,
                   p->labels + (size_t)row * (size_t)p->side[0],
                   (size_t)p->side[0] * sizeof *p->labels) == 0;
    return same;
}

static double figure(const box *b, lg_column column)
{
    switch (column) {
    case LG_COLUMN_AREA:
        return (double)b->area;
    case LG_COLUMN_X:
    case LG_COLUMN_Y:
    case LG_COLUMN_Z:
        return b->low[column - LG_COLUMN_X];
    case LG_COLUMN_WIDTH:
    case LG_COLUMN_HEIGHT:
    case LG_COLUMN_DEPTH:
        return b->high[column - LG_COLUMN_WIDTH] - b->low[column - LG_COLUMN_WIDTH] + 1;
    default:
        return (double)b->sum[column - LG_COLUMN_CX] / (double)b->area;
    }
}

bool lg_selftest_labels_right(const lg_selftest_case *c, const lg_label_params *params,
                              const lg_labels *labels, const lg_components *components)
{
    plain p;
    bool right = label(c, params, &p) && same_labels(&p, labels) &&
                 lg_components_count(components) == p.count;
    double *got = calloc((size_t)p.count + 1, sizeof *got);
    for (int column = LG_COLUMN_AREA; column <= LG_COLUMN_CZ && right; column++) {
        right = got && lg_components_column(components, (lg_column)column, got, NULL) == LG_OK;
        for (uint32_t i = 0; i < p.count && right; i++)
            right = got[i] == figure(&p.boxes[i], (lg_column)column);
    }
    free(got);
    destroy(&p);
    return right;
}

bool lg_selftest_components_same(const lg_components *a, const lg_components *b)
{
    const size_t count = lg_components_count(a);
    double *values = calloc(2 * count + 1, sizeof *values);
    bool same = values && count == lg_components_count(b);
    for (int column = 0; column < LG_COLUMNS && same; column++) {
        const lg_status status = lg_components_column(a, (lg_column)column, values, NULL);
        same = lg_components_column(b, (lg_column)column, values + count, NULL) == status;
        for (size_t i = 0; status == LG_OK && same && i < count; i++)
            same = lg_selftest_same(values[i], values[count + i]);
    }
    free(values);
    return same;
}

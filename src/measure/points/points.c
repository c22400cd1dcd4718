// Points of a picture of corners: pixels above 0, the strongest first.
#include "core/scan.h"
#include "device/dispatch.h"

#include <stdlib.h>
#include <string.h>

typedef struct point_list {
    lg_image_point *at;
    size_t used, capacity;
} point_list;

static int compare_integers(int32_t a, int32_t b)
{
    return (a > b) - (a < b);
}

static int compare(const void *a, const void *b)
{
    const lg_image_point *p = a, *q = b;
    const int strength = (p->strength < q->strength) - (p->strength > q->strength);
    const int layer = compare_integers(p->layer, q->layer), y = compare_integers(p->y, q->y);
    return strength ? strength : layer ? layer : y ? y : compare_integers(p->x, q->x);
}

static lg_status append(point_list *list, lg_image_point point, lg_error *error)
{
    if (list->used == list->capacity) {
        const size_t capacity = list->capacity ? 2 * list->capacity : 1024;
        lg_image_point *larger = lg_alloc_array(capacity, sizeof *larger);
        if (!larger)
            return lg_fail_memory(error, capacity * sizeof *larger, "the points of an image");
        if (list->used)
            memcpy(larger, list->at, list->used * sizeof *larger);
        lg_free(list->at);
        list->at = larger;
        list->capacity = capacity;
    }
    list->at[list->used++] = point;
    return LG_OK;
}

// Whether all bytes are 0: most rows of such a picture.
static bool is_black(const uint8_t *row, size_t bytes)
{
    uint8_t any = 0;
    for (size_t i = 0; i < bytes; i++)
        any |= row[i];
    return !any;
}

// Colours of a pixel, without alpha and padding.
static int count_colors(const lg_image_params *shape)
{
    const bool alpha = shape->channels != 1 && (shape->alpha == LG_ALPHA_STRAIGHT ||
                                                shape->alpha == LG_ALPHA_PREMULTIPLIED);
    return lg_image_measured_channels(shape) - alpha;
}

static float strength_of(const lg_image_params *shape, const void *row, size_t at, int colors)
{
    const float unit = shape->type == LG_U8 ? 1.0f / 255 : shape->type == LG_U16 ? 1.0f / 65535 : 1;
    float most = 0;
    for (int k = 0; k < colors; k++) {
        const float v = (float)lg_sample_at(row, shape->type, at + (size_t)k) * unit;
        most = v > most ? v : most;
    }
    return most;
}

static lg_status read_row(const lg_scan *scan, int32_t layer, int64_t row, const uint8_t *mask,
                          point_list *list, lg_error *error)
{
    const lg_image_params *shape = &scan->image->shape;
    const void *from = lg_scan_row(scan, layer, row);
    const size_t step = (size_t)scan->step * (size_t)shape->channels;
    const int colors = count_colors(shape);
    lg_status status = LG_OK;
    for (int64_t i = 0; i < scan->width && !status; i++) {
        if (mask && !mask[i])
            continue;
        const float strength = strength_of(shape, from, (size_t)i * step, colors);
        if (strength > 0)
            status =
                append(list,
                       (lg_image_point){(int32_t)(scan->x + i * scan->step),
                                        (int32_t)(scan->y + row * scan->step), layer, strength},
                       error);
    }
    return status;
}

static lg_status read_all(const lg_scan *scan, uint8_t *mask, point_list *list, lg_error *error)
{
    const size_t pixel = lg_pixel_size(&scan->image->shape);
    const size_t bytes = ((size_t)(scan->width - 1) * (size_t)scan->step + 1) * pixel;
    lg_status status = LG_OK;
    for (int32_t z = 0; z < scan->layers && !status; z++)
        for (int64_t row = 0; row < scan->height && !status; row++) {
            if (is_black(lg_scan_row(scan, z, row), bytes))
                continue;
            if (scan->selective)
                lg_scan_row_mask(scan, z, row, mask);
            status = read_row(scan, z, row, scan->selective ? mask : NULL, list, error);
        }
    return status;
}

lg_status lg_image_points(lg_context *context, const lg_image *image, const lg_select *select,
                          lg_image_point *out, size_t capacity, size_t *count, lg_error *error)
{
    lg_status status = lg_context_check(context, error);
    lg_scan scan;
    lg_host_view view;
    point_list list = {0};
    if (!status && (!count || (capacity && !out)))
        status = lg_fail_null(error, "places for the points and their number");
    if (!status)
        status = lg_scan_init(&scan, image, select, error);
    if (!status)
        status = lg_host_view_open(image, &view, error);
    if (status)
        return status;
    scan.image = &view.image.image;
    uint8_t *mask = lg_alloc_array((size_t)scan.width, 1);
    status = mask ? read_all(&scan, mask, &list, error)
                  : lg_fail_memory(error, (size_t)scan.width, "a row of a mask");
    lg_host_view_close(&view);
    lg_free(mask);
    if (!status && list.used)
        qsort(list.at, list.used, sizeof *list.at, compare);
    if (!status && capacity && list.used)
        memcpy(out, list.at, LG_MIN(capacity, list.used) * sizeof *out);
    if (!status)
        *count = list.used;
    lg_free(list.at);
    return status;
}

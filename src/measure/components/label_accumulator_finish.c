// Numbers, labels and figures of components that were added in parts.
#include "measure/components/label_segments.h"

#include "device/dispatch.h"

#include <stdlib.h>
#include <string.h>

// ---- numbers --------------------------------------------------------------------------------------

typedef struct numbered {
    uint64_t first;
    uint32_t part;
} numbered;

static int by_first(const void *a, const void *b)
{
    const uint64_t x = ((const numbered *)a)->first, y = ((const numbered *)b)->first;
    return x < y ? -1 : x > y;
}

uint32_t *lg_label_accumulator_order(const lg_label_accumulator *a, uint32_t *count,
                                     lg_error *error)
{
    uint32_t n = 0;
    bool sorted = true;
    for (uint32_t i = 0; i < a->parts; i++)
        n += a->parent[i] == i;
    numbered *all = lg_alloc_array(LG_MAX(n, 1u), sizeof *all);
    uint32_t *order = lg_alloc_array(LG_MAX(n, 1u), sizeof *order);
    if (!all || !order) {
        lg_free(all);
        lg_free(order);
        lg_fail_memory(error, (size_t)n * (sizeof *all + sizeof *order), "numbers of components");
        return NULL;
    }
    n = 0;
    for (uint32_t i = 0; i < a->parts; i++) {
        if (a->parent[i] != i)
            continue;
        all[n] = (numbered){a->sums.basic[i].first, i};
        sorted &= n == 0 || all[n - 1].first < all[n].first;
        n++;
    }
    if (!sorted)
        qsort(all, n, sizeof *all, by_first);
    for (uint32_t i = 0; i < n; i++)
        order[i] = all[i].part;
    lg_free(all);
    *count = n;
    return order;
}

static lg_status number(lg_label_accumulator *a, lg_error *error)
{
    uint32_t count = 0;
    if (a->label)
        return LG_OK;
    uint32_t *order = lg_label_accumulator_order(a, &count, error);
    uint32_t *label = lg_alloc_array((size_t)a->parts + 1, sizeof *label);
    lg_component_shape *shape =
        a->params.shape ? lg_alloc_array((size_t)count + 1, sizeof *shape) : NULL;
    lg_status status = order ? LG_OK : LG_ERROR_MEMORY;
    if (!status && (!label || (a->params.shape && !shape)))
        status = lg_fail_memory(error, ((size_t)a->parts + 1) * sizeof *label, "labels of parts");
    if (!status && a->params.shape)
        status = lg_shape_rows_create((int32_t)a->region.width, &a->shape_rows, error);
    for (uint32_t i = 0; i < count && !status; i++)
        label[order[i]] = i + 1;
    for (uint32_t i = 0; i < a->parts && !status; i++)
        label[i] = label[lg_label_accumulator_root(a, i)];
    lg_free(order);
    if (status) {
        lg_free(label);
        lg_free(shape);
        return status;
    }
    a->label = label;
    a->shape = shape;
    a->count = count;
    return LG_OK;
}

// ---- labels ---------------------------------------------------------------------------------------

static const lg_label_band *band_at(const lg_label_accumulator *a, int64_t first, int64_t end)
{
    for (size_t i = 0; i < a->band_count; i++) // in the order of additions: the usual one is next
        if (a->bands[i].first == first && a->bands[i].end == end)
            return &a->bands[i];
    return NULL;
}

// All rows: what is asked for again is not counted twice.
static bool counted(const lg_label_accumulator *a)
{
    return a->shape_row == a->region.height * a->region.layers;
}

static lg_status check_labels(const lg_label_accumulator *a, const lg_image *rows, int64_t y,
                              int64_t layer, const lg_label_band **out, lg_error *error)
{
    const int64_t first = layer * a->region.height + y;
    const lg_status held = lg_label_accumulator_check_held(a, "giving labels", error);
    if (held)
        return held;
    if (a->segment_count && !a->band_count)
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "a saved accumulator has no labels of its rows; add the rows themselves");
    *out = y < 0 || layer < 0 || rows->shape.layers != 1 || rows->shape.channels != 1 ||
                   rows->shape.width != a->region.width || rows->shape.type != a->region.type
               ? NULL
               : band_at(a, first, first + rows->shape.height);
    if (!*out)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "%d rows at %lld of layer %lld were not added together", rows->shape.height,
                       (long long)y, (long long)layer);
    if (a->params.shape && first != a->shape_row && !counted(a))
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "perimeters are counted from top to bottom: row %lld comes next, not %lld",
                       (long long)a->shape_row, (long long)first);
    return LG_OK;
}

static void count_shapes(lg_label_accumulator *a, const lg_labels *labels)
{
    for (int32_t y = 0; y < labels->height; y++) {
        const char *row = (const char *)labels->data + (size_t)y * labels->row_stride;
        lg_shape_rows_add(&a->shape_rows, (const uint32_t *)(const void *)row, a->shape);
        if (++a->shape_row % a->region.height == 0)
            lg_shape_rows_end(&a->shape_rows, a->shape);
    }
}

static void renumber(const lg_label_accumulator *a, const lg_label_band *band, lg_labels *labels)
{
    const uint32_t *label = a->label + band->base;
    for (int32_t y = 0; y < labels->height; y++) {
        uint32_t *row = (uint32_t *)(void *)((char *)labels->data + (size_t)y * labels->row_stride);
        for (int32_t x = 0; x < labels->width; x++)
            row[x] = row[x] ? label[row[x] - 1] : 0;
    }
    labels->count = a->count;
}

static lg_status label_again(lg_context *context, const lg_label_accumulator *a,
                             const lg_image *rows, lg_labels **out, lg_error *error)
{
    lg_host_view view = {0};
    lg_status status = lg_host_view_open(rows, &view, error);
    const lg_label_task task = {.image = &view.image.image,
                                .foreground = a->params.foreground,
                                .level = a->params.level,
                                .connectivity = a->params.connectivity,
                                .want_labels = true,
                                .memory_limit = a->params.memory_limit};
    lg_report_cpu(context, "");
    if (!status)
        status = lg_label_cpu(context, &task, out, NULL, error);
    lg_host_view_close(&view);
    return status;
}

lg_status lg_label_accumulator_labels(lg_context *context, lg_label_accumulator *a,
                                      const lg_image *rows, int64_t y, int64_t layer,
                                      lg_labels **out, lg_error *error)
{
    const lg_label_band *band = NULL;
    lg_labels *labels = NULL;
    lg_status status = lg_context_check(context, error);
    if (!status && (!a || !rows || !out))
        status = lg_fail_null(error, "an accumulator, rows and a place for the labels");
    if (!status)
        status = check_labels(a, rows, y, layer, &band, error);
    if (!status)
        status = number(a, error);
    if (!status)
        status = label_again(context, a, rows, &labels, error);
    if (!status && labels->count != band->count)
        status = lg_fail(error, LG_ERROR_DATA,
                         "rows %lld and on have %u components, and had %u when they were added",
                         (long long)y, labels->count, band->count);
    if (status) {
        lg_labels_destroy(&labels);
        return status;
    }
    renumber(a, band, labels);
    if (a->params.shape && !counted(a))
        count_shapes(a, labels);
    *out = labels;
    return LG_OK;
}

// ---- figures --------------------------------------------------------------------------------------

static void fill(const lg_label_accumulator *a, const uint32_t *order, lg_components *c)
{
    for (uint32_t i = 0; i < c->count; i++) {
        c->basic[i] = a->sums.basic[order[i]];
        if (c->second)
            c->second[i] = a->sums.second[order[i]];
        if (c->intensity)
            c->intensity[i] = a->sums.intensities[order[i]];
    }
    if (c->shape && c->count)
        memcpy(c->shape, a->shape, c->count * sizeof *c->shape);
}

lg_status lg_label_accumulator_make(const lg_label_accumulator *a, uint32_t count,
                                    lg_components **out, lg_error *error)
{
    const lg_image some = {0};
    const lg_label_task task = {.moments = a->params.moments,
                                .shape = a->params.shape,
                                .intensity = a->intensity == LG_TYPES ? NULL : &some};
    lg_components *c = lg_alloc(sizeof *c);
    if (!c)
        return lg_fail_memory(error, sizeof *c, "components");
    *c = (lg_components){
        .width = (int32_t)a->region.width,
        .height = (int32_t)a->region.height,
        .layers = (int32_t)a->region.layers,
        .connectivity = a->connectivity,
        .unit = lg_label_unit(a->intensity == LG_TYPES ? LG_U8 : a->intensity, a->greatest)};
    const lg_status status = lg_components_reserve(c, &task, count, error);
    if (status)
        lg_components_destroy(&c);
    *out = c;
    return status;
}

lg_status lg_label_accumulator_finish(const lg_label_accumulator *a, lg_components **out,
                                      lg_error *error)
{
    uint32_t count = 0;
    if (!a || !out)
        return lg_fail_null(error, "an accumulator, and a place for the components");
    lg_status status = lg_label_accumulator_check_held(a, "giving all at once", error);
    if (status)
        return status;
    if (a->params.shape && !counted(a))
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "shapes are counted from the labels of all rows; those from row %lld on "
                       "were not asked for",
                       (long long)a->shape_row);
    uint32_t *order = lg_label_accumulator_order(a, &count, error);
    lg_components *c = NULL;
    status = order ? lg_label_accumulator_make(a, count, &c, error) : LG_ERROR_MEMORY;
    if (!status) {
        fill(a, order, c);
        *out = c;
    }
    lg_free(order);
    return status;
}

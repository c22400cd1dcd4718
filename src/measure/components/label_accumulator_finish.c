// Numbers, labels and figures of components that were added in parts.
#include "measure/components/label_segments.h"

#include "device/dispatch.h"
#include "engine/tile.h"

#include <stdlib.h>
#include <string.h>

// ---- numbers --------------------------------------------------------------------------------------

typedef struct numbered {
    uint64_t first;
    uint32_t part;
} numbered;

// The end of the ascending run that begins at `at`.
static uint32_t run_end(const numbered *list, uint32_t at, uint32_t n)
{
    for (at++; at < n && list[at - 1].first < list[at].first; at++) {
    }
    return LG_MIN(at, n);
}

// list[0 .. middle) and list[middle .. end) ascend; `other` has room for the former.
static void merge_runs(numbered *list, uint32_t middle, uint32_t end, numbered *other)
{
    memcpy(other, list, middle * sizeof *list);
    for (uint32_t i = 0, k = middle, n = 0; i < middle; n++)
        list[n] = k == end || other[i].first < list[k].first ? other[i++] : list[k++];
}

// Parts of rows that were added or merged together ascend, but for those that go on from other rows: a few
// long runs, and short ones. Each is merged with the one before it once it is half as long, so that the long
// ones are moved seldom. Runs on the stack halve in length: 2^32 elements are fewer than STACK of them.
#define STACK 64

static void sort_runs(numbered *list, numbered *other, uint32_t n)
{
    uint32_t start[STACK + 1];
    int runs = 0;
    for (uint32_t at = 0, end; at < n; at = end) {
        end = run_end(list, at, n);
        start[runs++] = at;
        start[runs] = end;
        while (runs > 1 && (end == n || start[runs - 1] - start[runs - 2] <=
                                            2 * (start[runs] - start[runs - 1]))) {
            const uint32_t first = start[runs - 2];
            merge_runs(list + first, start[runs - 1] - first, end - first, other);
            start[--runs] = end;
        }
    }
}

uint32_t lg_label_accumulator_roots(const lg_label_accumulator *a)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < a->parts; i++)
        n += a->parent[i] == i;
    return n;
}

uint32_t *lg_label_accumulator_order(const lg_label_accumulator *a, uint32_t *count,
                                     lg_error *error)
{
    const uint32_t n = lg_label_accumulator_roots(a);
    const size_t room = LG_MAX(n, 1u);
    numbered *all = a->numbered ? NULL : lg_alloc_array(2 * room, sizeof *all);
    uint32_t *order = lg_alloc_array(room, sizeof *order);
    if ((!all && !a->numbered) || !order) {
        lg_free(all);
        lg_free(order);
        lg_fail_memory(error, room * (2 * sizeof *all + sizeof *order), "numbers of components");
        return NULL;
    }
    *count = n;
    for (uint32_t i = 0, k = 0; i < a->parts; i++)
        if (a->parent[i] == i && a->numbered)
            order[a->label[i] - 1] = i;
        else if (a->parent[i] == i)
            all[k++] = (numbered){a->sums.basic[i].first, i};
    if (all)
        sort_runs(all, all + n, n);
    for (uint32_t i = 0; i < n && all; i++)
        order[i] = all[i].part;
    lg_free(all);
    return order;
}

lg_status lg_label_accumulator_number(lg_label_accumulator *a, lg_error *error)
{
    uint32_t count = 0;
    if (a->label)
        return LG_OK;
    const lg_status held = lg_label_accumulator_check_held(a, "numbering them", error);
    if (held)
        return held;
    uint32_t *order = lg_label_accumulator_order(a, &count, error);
    uint32_t *label = lg_alloc_array((size_t)a->parts + 1, sizeof *label);
    lg_status status = order ? LG_OK : LG_ERROR_MEMORY;
    if (!status && !label)
        status = lg_fail_memory(error, ((size_t)a->parts + 1) * sizeof *label, "labels of parts");
    for (uint32_t i = 0; i < count && !status; i++)
        label[order[i]] = i + 1;
    for (uint32_t i = 0; i < a->parts && !status; i++)
        label[i] = label[lg_label_accumulator_root(a, i)];
    lg_free(order);
    if (status) {
        lg_free(label);
        return status;
    }
    a->label = label;
    a->count = count;
    a->numbered = true;
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

static bool are_rows(const lg_label_accumulator *a, const lg_image *rows, int64_t y, int64_t layer)
{
    return y >= 0 && layer >= 0 && rows->shape.layers == 1 && rows->shape.channels == 1 &&
           rows->shape.width == a->region.width && rows->shape.type == a->region.type;
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
    *out = are_rows(a, rows, y, layer) ? band_at(a, first, first + rows->shape.height) : NULL;
    if (!*out)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "%d rows at %lld of layer %lld were not added together", rows->shape.height,
                       (long long)y, (long long)layer);
    const int64_t next = lg_label_accumulator_next_row(a);
    if (a->params.shape && first != next && !lg_label_accumulator_counted(a))
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "perimeters are counted from top to bottom: row %lld comes next, not %lld",
                       (long long)next, (long long)first);
    return LG_OK;
}

// Rows first .. end - 1 of labels, counted through all layers.
static void renumber(const lg_label_accumulator *a, const lg_label_band *band, lg_labels *labels,
                     int64_t first, int64_t end)
{
    const uint32_t *label = a->label + band->base;
    for (int64_t y = first; y < end; y++) {
        uint32_t *row = (uint32_t *)(void *)((char *)labels->data + (size_t)y * labels->row_stride);
        for (int32_t x = 0; x < labels->width; x++)
            row[x] = row[x] ? label[row[x] - 1] : 0;
    }
}

static lg_status renumber_and_count(lg_label_accumulator *a, const lg_label_band *band,
                                    lg_labels *labels, lg_error *error)
{
    const lg_status status = lg_label_accumulator_begin_rows(a, error);
    for (int32_t y = 0; y < labels->height && !status; y++) {
        uint32_t *row = (uint32_t *)(void *)((char *)labels->data + (size_t)y * labels->row_stride);
        lg_label_accumulator_place_row(a, band, row);
        renumber(a, band, labels, y, y + 1);
        lg_label_accumulator_count_row(a, row);
    }
    return status;
}

typedef struct kept_labels {
    const lg_label_accumulator *a;
    lg_labels *labels;
} kept_labels;

static lg_status renumber_rows(void *arg, const lg_tile *t)
{
    const kept_labels *k = arg;
    for (size_t i = 0; i < k->a->band_count; i++) {
        const lg_label_band *band = &k->a->bands[i];
        renumber(k->a, band, k->labels, LG_MAX(band->first, t->y), LG_MIN(band->end, t->y_end));
    }
    return LG_OK;
}

lg_status lg_label_accumulator_renumber(lg_context *context, lg_label_accumulator *a,
                                        lg_labels *kept, lg_error *error)
{
    kept_labels work = {a, kept};
    const lg_tiling rows = {.height = a->region.height * a->region.layers,
                            .bands = 4 * (int64_t)lg_pool_threads(context->pool),
                            .run = renumber_rows,
                            .job = &work};
    lg_status status = lg_label_accumulator_number(a, error);
    if (!status)
        status = lg_tiling_run(context->pool, &rows, error);
    if (!status)
        kept->count = a->count;
    return status;
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

static lg_status held_labels(lg_context *context, lg_label_accumulator *a, const lg_image *rows,
                             int64_t y, int64_t layer, lg_labels **labels, lg_error *error)
{
    const lg_label_band *band = NULL;
    lg_status status = check_labels(a, rows, y, layer, &band, error);
    if (!status)
        status = lg_label_accumulator_number(a, error);
    if (!status && a->params.shape)
        status = lg_label_accumulator_prepare_shapes(a, error);
    if (!status)
        status = label_again(context, a, rows, labels, error);
    if (!status && (*labels)->count != band->count)
        status = lg_fail(error, LG_ERROR_DATA,
                         "rows %lld and on have %u components, and had %u when they were added",
                         (long long)y, (*labels)->count, band->count);
    if (!status && a->params.shape && !lg_label_accumulator_counted(a))
        status = renumber_and_count(a, band, *labels, error);
    else if (!status)
        renumber(a, band, *labels, 0, (*labels)->height);
    if (!status)
        (*labels)->count = a->count;
    return status;
}

static lg_status linked_labels(lg_context *context, lg_label_accumulator *a, const lg_image *rows,
                               int64_t y, int64_t layer, lg_labels **labels, lg_error *error)
{
    lg_status status = are_rows(a, rows, y, layer) ? LG_OK
                                                   : lg_fail(error, LG_ERROR_ARGUMENT,
                                                             "these are not rows that were added");
    if (!status)
        status = label_again(context, a, rows, labels, error);
    return status
               ? status
               : lg_label_accumulator_link_labels(a, layer * a->region.height + y, *labels, error);
}

lg_status lg_label_accumulator_labels(lg_context *context, lg_label_accumulator *a,
                                      const lg_image *rows, int64_t y, int64_t layer,
                                      lg_labels **out, lg_error *error)
{
    lg_labels *labels = NULL;
    lg_status status = lg_context_check(context, error);
    if (!status && (!a || !rows || !out))
        status = lg_fail_null(error, "an accumulator, rows and a place for the labels");
    if (!status)
        status =
            (a->links ? linked_labels : held_labels)(context, a, rows, y, layer, &labels, error);
    if (status)
        lg_labels_destroy(&labels);
    else
        *out = labels;
    return status;
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
        memcpy(c->shape, a->shapes->shape, c->count * sizeof *c->shape);
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
    if (a->params.shape && !(a->shapes && lg_label_shapes_complete(a->shapes) &&
                             a->shapes->count == lg_label_accumulator_roots(a)))
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

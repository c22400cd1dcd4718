// Labels of a whole that other accumulators were merged to, and the shapes of components, which are counted
// from labels.
#include "measure/components/label_segments.h"

#include <stdlib.h>
#include <string.h>

// ---- labels of the whole --------------------------------------------------------------------------

uint32_t lg_label_accumulator_parts(const lg_label_accumulator *a)
{
    return a ? a->parts : 0;
}

lg_status lg_label_accumulator_part_labels(lg_label_accumulator *a, uint32_t first, uint32_t count,
                                           uint32_t *labels, lg_error *error)
{
    if (!a || (!labels && count) || count > a->parts || first > a->parts - count)
        return lg_fail(error, LG_ERROR_ARGUMENT, "labels of parts %u and %u more; there are %u",
                       first, count, lg_label_accumulator_parts(a));
    const lg_status status = lg_label_accumulator_number(a, error);
    if (!status && count)
        memcpy(labels, a->label + first, count * sizeof *labels);
    return status;
}

lg_status lg_label_accumulator_take_labels(lg_label_accumulator *a, const uint32_t *labels,
                                           uint32_t count, uint32_t all, lg_error *error)
{
    if (!a || (!labels && count))
        return lg_fail_null(error, "an accumulator, and labels");
    if (a->label)
        return lg_fail(error, LG_ERROR_ARGUMENT, "labels were given out already");
    for (uint32_t i = 0; i < count; i++)
        if (labels[i] == 0 || labels[i] > all)
            return lg_fail(error, LG_ERROR_ARGUMENT, "label %u of %u", labels[i], all);
    lg_status status = lg_label_accumulator_number(a, error);
    if (!status && a->count != count)
        status = lg_fail(error, LG_ERROR_ARGUMENT, "labels of %u components; there are %u", count,
                         a->count);
    if (status) {
        lg_free(a->label);
        a->label = NULL;
        a->numbered = false;
        return status;
    }
    for (uint32_t i = 0; i < a->parts; i++)
        a->label[i] = labels[a->label[i] - 1];
    a->count = all;
    a->numbered = false;
    return LG_OK;
}

// Components are by their first pixels, as labels of the rows are that are found together.
lg_status lg_label_accumulator_claim(lg_label_accumulator *a, lg_error *error)
{
    if (!a)
        return lg_fail_null(error, "an accumulator");
    const int64_t h = a->region.height;
    const lg_label_segment *s = a->segments;
    if (a->segment_count != 1 || a->band_count || s->first / h != (s->end - 1) / h)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "labels are of loaded rows that follow each other in one layer");
    const lg_status status = lg_label_accumulator_reserve(a, 0, 0, 1, error);
    if (!status)
        a->bands[a->band_count++] = (lg_label_band){s->first, s->end, 0, a->parts};
    return status;
}

// ---- rows that were added here --------------------------------------------------------------------

static int by_row(const void *a, const void *b)
{
    const int64_t x = ((const lg_label_run_of_rows *)a)->first;
    const int64_t y = ((const lg_label_run_of_rows *)b)->first;
    return x < y ? -1 : x > y;
}

static lg_status find_runs(lg_label_accumulator *a, lg_error *error)
{
    size_t n = 0;
    lg_label_run_of_rows *runs = lg_alloc_array(a->band_count + 1, sizeof *runs);
    if (!runs)
        return lg_fail_memory(error, a->band_count * sizeof *runs, "rows of bands");
    for (size_t i = 0; i < a->band_count; i++)
        runs[i] = (lg_label_run_of_rows){a->bands[i].first, a->bands[i].end};
    qsort(runs, a->band_count, sizeof *runs, by_row);
    for (size_t i = 0; i < a->band_count; i++)
        if (n && runs[n - 1].end == runs[i].first && runs[i].first % a->region.height != 0)
            runs[n - 1].end = runs[i].end;
        else
            runs[n++] = runs[i];
    a->runs = runs;
    a->run_count = n;
    a->shape_row = n ? runs[0].first : 0;
    return LG_OK;
}

// The labels that parts have, ascending, and where each part's is among them.
static lg_status find_places(lg_label_accumulator *a, lg_error *error)
{
    uint32_t n = 0, *at = lg_alloc_array((size_t)a->count + 1, sizeof *at);
    a->place = lg_alloc_array((size_t)a->parts + 1, sizeof *a->place);
    lg_status status =
        at && a->place ? LG_OK : lg_fail_memory(error, a->count * sizeof *at, "labels of parts");
    for (uint32_t i = 0; i < a->parts && !status; i++)
        at[a->label[i]] = 1;
    for (uint32_t i = 1; i <= a->count && !status; i++)
        at[i] = at[i] ? ++n : 0;
    if (!status)
        status = lg_label_shapes_create(&a->region, n, &a->shapes, error);
    for (uint32_t i = 1; i <= a->count && !status; i++)
        if (at[i])
            a->shapes->label[at[i] - 1] = i;
    for (uint32_t i = 0; i < a->parts && !status; i++)
        a->place[i] = at[a->label[i]];
    lg_free(at);
    return status;
}

lg_status lg_label_accumulator_prepare_shapes(lg_label_accumulator *a, lg_error *error)
{
    if (a->shapes)
        return LG_OK;
    lg_status status = find_runs(a, error);
    if (!status)
        status = find_places(a, error);
    if (status)
        lg_label_accumulator_free_shapes(a);
    return status;
}

void lg_label_accumulator_free_shapes(lg_label_accumulator *a)
{
    lg_label_shapes_destroy(&a->shapes);
    lg_free(a->place);
    lg_free(a->runs);
    a->place = NULL;
    a->runs = NULL;
}

int64_t lg_label_accumulator_next_row(const lg_label_accumulator *a)
{
    int64_t first = a->runs || !a->band_count ? a->shape_row : INT64_MAX;
    for (size_t i = 0; i < a->band_count && !a->runs; i++)
        first = LG_MIN(first, a->bands[i].first);
    return first;
}

// What is asked for again is not counted twice.
bool lg_label_accumulator_counted(const lg_label_accumulator *a)
{
    return a->shapes && a->run == a->run_count;
}

// ---- counting -------------------------------------------------------------------------------------

lg_status lg_label_accumulator_begin_rows(lg_label_accumulator *a, lg_error *error)
{
    const lg_label_run_of_rows *run = &a->runs[a->run];
    return a->shape_row == run->first
               ? lg_label_shapes_strip(a->shapes, run->first, run->end, error)
               : LG_OK;
}

void lg_label_accumulator_place_row(const lg_label_accumulator *a, const lg_label_band *band,
                                    const uint32_t *row)
{
    const uint32_t *place = a->place + band->base;
    uint32_t *own = a->shapes->own;
    for (int64_t x = 0; x < a->region.width; x++)
        own[x] = row[x] ? place[row[x] - 1] : 0;
}

void lg_label_accumulator_count_row(lg_label_accumulator *a, const uint32_t *labels)
{
    lg_label_shapes_row(a->shapes, a->shape_row, labels);
    if (++a->shape_row == a->runs[a->run].end && ++a->run < a->run_count)
        a->shape_row = a->runs[a->run].first;
}

lg_status lg_label_accumulator_shapes(lg_label_accumulator *a, lg_label_shapes **out,
                                      lg_error *error)
{
    if (!a || !out)
        return lg_fail_null(error, "an accumulator, and a place for shapes");
    if (!a->params.shape)
        return lg_fail(error, LG_ERROR_ARGUMENT, "it was made without shapes");
    lg_status status = lg_label_accumulator_number(a, error);
    if (!status)
        status = lg_label_accumulator_prepare_shapes(a, error);
    if (!status && !lg_label_accumulator_counted(a))
        status = lg_fail(error, LG_ERROR_ARGUMENT,
                         "shapes are counted from labels; those from row %lld on were not asked "
                         "for",
                         (long long)a->shape_row);
    return status ? status : lg_label_shapes_copy(a->shapes, out, error);
}

lg_status lg_label_accumulator_take_shapes(lg_label_accumulator *a, const lg_label_shapes *shapes,
                                           lg_error *error)
{
    lg_label_shapes *copy = NULL;
    if (!a || !shapes)
        return lg_fail_null(error, "an accumulator, and shapes");
    const lg_covered_region *r = &a->region, *s = &shapes->region;
    lg_status status = lg_label_accumulator_number(a, error);
    if (!status && (!a->params.shape || r->width != s->width || r->height != s->height ||
                    r->layers != s->layers || r->type != s->type ||
                    !lg_label_shapes_complete(shapes) || shapes->count != a->count))
        status = lg_fail(error, LG_ERROR_ARGUMENT,
                         "these are not the shapes of all rows and of all %u components", a->count);
    for (uint32_t i = 0; i < shapes->count && !status; i++)
        if (shapes->label[i] != i + 1)
            status = lg_fail(error, LG_ERROR_ARGUMENT, "there is no component %u", i + 1);
    if (!status)
        status = lg_label_shapes_copy(shapes, &copy, error);
    if (status)
        return status;
    lg_label_shapes_destroy(&a->shapes);
    a->shapes = copy;
    a->run = a->run_count;
    return LG_OK;
}

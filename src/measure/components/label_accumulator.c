// Components of rows that are added in parts. Each part of the rows is labelled by itself
// (label_accumulator_add.c); the last row above and the first row below a border say which components go on
// there.
#include "measure/components/label_segments.h"

#include <string.h>

#define MAX_PIXELS ((int64_t)1 << 40) // sums of components assume fewer

// ---- life -----------------------------------------------------------------------------------------

static lg_status check_params(const lg_label_params *p, lg_error *error)
{
    const int c = p->connectivity;
    if ((unsigned)p->foreground >= LG_FOREGROUNDS ||
        (c != 4 && c != 8 && !lg_connectivity_is_volume(c)))
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "foreground %d with connectivity %d; connectivity is 4 or 8, of a volume 6, "
                       "18 or 26",
                       (int)p->foreground, c);
    if (p->fill_holes)
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "holes are filled in whole images: a hole may reach over all parts");
    return LG_OK;
}

lg_status lg_label_accumulator_create(const lg_label_params *params, lg_type type,
                                      const lg_type *intensity, int64_t width, int64_t height,
                                      int64_t layers, lg_label_accumulator **out, lg_error *error)
{
    lg_label_params taken = lg_label_params_default();
    lg_covered_region region;
    if (!out)
        return lg_fail_null(error, "a place for the accumulator");
    lg_status status =
        lg_params_take(params, &LG_PARAMS_TYPE(lg_label_params, memory_limit), &taken, error);
    if (!status)
        status = lg_covered_region_init(&region, type, 1, width, height, layers, error);
    taken.connectivity = taken.connectivity == -1 ? 8 : taken.connectivity;
    if (!status)
        status = check_params(&taken, error);
    if (!status && intensity && (unsigned)*intensity >= LG_TYPES)
        status = lg_fail(error, LG_ERROR_ARGUMENT, "type %d of intensities", (int)*intensity);
    if (!status && (width > LG_MAX_SIDE || height > LG_MAX_SIDE || layers > LG_MAX_LAYERS ||
                    width * height >= MAX_PIXELS / layers))
        status = lg_fail(error, LG_ERROR_LIMIT,
                         "%lld x %lld x %lld pixels; components are of fewer than 2^40 in sides of "
                         "at most %d",
                         (long long)width, (long long)height, (long long)layers, LG_MAX_SIDE);
    lg_label_accumulator *a = status ? NULL : lg_alloc(sizeof *a);
    if (status || !a)
        return status ? status : lg_fail_memory(error, sizeof *a, "an accumulator");
    *a = (lg_label_accumulator){.region = region,
                                .params = taken,
                                .connectivity = taken.connectivity,
                                .intensity = intensity ? *intensity : LG_TYPES};
    a->params.connectivity = taken.connectivity == 4 || taken.connectivity == 6 ? 4 : 8;
    if (layers > 1 && lg_connectivity_is_volume(taken.connectivity))
        status = lg_label_accumulator_make_layers(a, error);
    if (status)
        lg_label_accumulator_destroy(&a);
    else
        *out = a;
    return status;
}

void lg_label_segment_free(lg_label_segment *s)
{
    lg_free(s->top.runs);
    lg_free(s->bottom.runs);
    *s = (lg_label_segment){0};
}

void lg_label_accumulator_destroy(lg_label_accumulator **accumulator)
{
    if (!accumulator || !*accumulator)
        return;
    lg_label_accumulator *a = *accumulator;
    for (size_t i = 0; i < a->segment_count; i++)
        lg_label_segment_free(&a->segments[i]);
    lg_free(a->segments);
    lg_free(a->bands);
    lg_label_accumulator_free_layers(a);
    lg_free(a->parent);
    lg_label_sums_destroy(&a->sums);
    lg_free(a->label);
    lg_label_accumulator_free_shapes(a);
    lg_sorted_file_destroy(&a->closed);
    lg_label_links_destroy(&a->links);
    lg_label_layers_destroy(&a->layered);
    lg_free(a->record);
    lg_free(a);
    *accumulator = NULL;
}

// ---- room -----------------------------------------------------------------------------------------

static bool resize(void **list, size_t used, size_t capacity, size_t size)
{
    void *larger = lg_alloc_array(capacity, size);
    if (!larger)
        return false;
    if (used)
        memcpy(larger, *list, used * size);
    lg_free(*list);
    *list = larger;
    return true;
}

#define RESIZE(list, used, capacity) resize((void **)&(list), used, capacity, sizeof *(list))

static bool reserve_parts(lg_label_accumulator *a, size_t wanted)
{
    const size_t used = a->parts;
    return RESIZE(a->parent, used, wanted) && RESIZE(a->sums.basic, used, wanted) &&
           (!a->params.moments || RESIZE(a->sums.second, used, wanted)) &&
           (a->intensity == LG_TYPES || RESIZE(a->sums.intensities, used, wanted));
}

lg_status lg_label_accumulator_reserve(lg_label_accumulator *a, uint64_t parts, size_t segments,
                                       size_t bands, lg_error *error)
{
    const uint64_t needed = a->parts + parts;
    if (needed >= UINT32_MAX)
        return lg_fail(error, LG_ERROR_LIMIT,
                       "more than 2^32 - 1 components of all parts; label parts of the image");
    const size_t wanted =
        (size_t)LG_MIN(LG_MAX(needed, 2 * (uint64_t)a->part_capacity), (uint64_t)UINT32_MAX);
    const lg_label_task task = {.moments = a->params.moments};
    const double bytes =
        (double)wanted * (double)(sizeof *a->parent + lg_label_sums_bytes(&task, 1) +
                                  (a->intensity == LG_TYPES ? 0 : sizeof *a->sums.intensities));
    if (needed > a->part_capacity && bytes > (double)a->params.memory_limit)
        return lg_fail(error, LG_ERROR_LIMIT,
                       "sums of so many components need %.4g MB; the limit is %.4g MB", bytes / 1e6,
                       (double)a->params.memory_limit / 1e6);
    bool good = needed <= a->part_capacity || reserve_parts(a, wanted);
    if (good && needed > a->part_capacity)
        a->part_capacity = (uint32_t)wanted;
    const size_t more = a->segment_count + segments, all = a->band_count + bands;
    if (good && more > a->segment_capacity) {
        good = RESIZE(a->segments, a->segment_count, 2 * more);
        a->segment_capacity = good ? 2 * more : a->segment_capacity;
    }
    if (good && all > a->band_capacity) {
        good = RESIZE(a->bands, a->band_count, 2 * all);
        a->band_capacity = good ? 2 * all : a->band_capacity;
    }
    return good ? LG_OK : lg_fail_memory(error, (size_t)bytes, "sums of components");
}

// ---- joining --------------------------------------------------------------------------------------

uint32_t lg_label_accumulator_root(const lg_label_accumulator *a, uint32_t part)
{
    while (a->parent[part] != part)
        part = a->parent[part] = a->parent[a->parent[part]];
    return part;
}

static void join_parts(lg_label_accumulator *a, uint32_t i, uint32_t k)
{
    i = lg_label_accumulator_root(a, i);
    k = lg_label_accumulator_root(a, k);
    if (i == k)
        return;
    const uint32_t root = LG_MIN(i, k), other = LG_MAX(i, k);
    a->parent[other] = root;
    lg_label_sums_join(&a->sums, root, other);
}

void lg_label_accumulator_join_runs(lg_label_accumulator *a, const lg_row_border *above,
                                    const lg_row_border *below, int32_t corner)
{
    for (size_t i = 0, first = 0; i < above->count; i++) {
        const lg_border_run *r = &above->runs[i];
        while (first < below->count && below->runs[first].end + corner <= r->begin)
            first++;
        for (size_t k = first; k < below->count && below->runs[k].begin < r->end + corner; k++)
            if (below->runs[k].value == r->value)
                join_parts(a, r->part, below->runs[k].part);
    }
}

// Segments i and i + 1 become one where they meet. Layers do not touch each other.
static void join_segments(lg_label_accumulator *a, size_t i)
{
    lg_label_segment *above = &a->segments[i], *below = above + 1;
    if (above->end != below->first)
        return;
    if (above->end % a->region.height != 0)
        lg_label_accumulator_join_runs(a, &above->bottom, &below->top, a->params.connectivity == 8);
    lg_free(above->bottom.runs);
    lg_free(below->top.runs);
    above->bottom = below->bottom;
    above->end = below->end;
    a->segment_count--;
    memmove(below, below + 1, (a->segment_count - i - 1) * sizeof *below);
}

// The first segment that ends behind a row.
static size_t segment_at(const lg_label_accumulator *a, int64_t row)
{
    size_t low = 0, high = a->segment_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (a->segments[middle].end <= row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void lg_label_accumulator_insert(lg_label_accumulator *a, const lg_label_segment *segment)
{
    const size_t at = segment_at(a, segment->first);
    memmove(a->segments + at + 1, a->segments + at, (a->segment_count - at) * sizeof *a->segments);
    a->segments[at] = *segment;
    a->segment_count++;
    if (at + 1 < a->segment_count)
        join_segments(a, at);
    if (at > 0)
        join_segments(a, at - 1);
}

lg_status lg_label_accumulator_check_free(const lg_label_accumulator *a, int64_t first, int64_t end,
                                          lg_error *error)
{
    const size_t at = segment_at(a, first);
    if (at == a->segment_count || a->segments[at].first >= end)
        return LG_OK;
    const int64_t row = LG_MAX(first, a->segments[at].first), h = a->region.height;
    return lg_fail(error, LG_ERROR_ARGUMENT, "row %lld of layer %lld is there already",
                   (long long)(row % h), (long long)(row / h));
}

// ---- merge ----------------------------------------------------------------------------------------

bool lg_label_accumulator_copy_border(const lg_row_border *from, uint32_t add, lg_row_border *out)
{
    lg_border_run *runs = lg_alloc_array(LG_MAX(from->count, (size_t)1), sizeof *runs);
    if (!runs)
        return false;
    for (size_t i = 0; i < from->count; i++) {
        runs[i] = from->runs[i];
        runs[i].part += add;
    }
    *out = (lg_row_border){runs, from->count};
    return true;
}

static lg_status check_merge(const lg_label_accumulator *into, const lg_label_accumulator *from,
                             lg_error *error)
{
    const lg_label_params *p = &into->params, *q = &from->params;
    lg_status status = lg_covered_region_check_merge(&into->region, &from->region, error);
    if (!status && (p->foreground != q->foreground || p->level != q->level ||
                    into->connectivity != from->connectivity || p->moments != q->moments ||
                    p->shape != q->shape || into->intensity != from->intensity ||
                    into->looked != from->looked || into->greatest != from->greatest))
        status = lg_fail(error, LG_ERROR_ARGUMENT,
                         "labels merge only with the same foreground, level, connectivity, figures "
                         "and unit of intensities");
    if (!status)
        status = lg_label_accumulator_check_plane(into, "merging", error);
    if (!status)
        status = lg_label_accumulator_check_held(into, "merging", error);
    if (!status)
        status = lg_label_accumulator_check_held(from, "merging", error);
    if (!status && (into->label || from->label))
        status = lg_fail(error, LG_ERROR_ARGUMENT, "labels were given out already");
    for (size_t i = 0; i < from->segment_count && !status; i++)
        status = lg_label_accumulator_check_free(into, from->segments[i].first,
                                                 from->segments[i].end, error);
    return status;
}

// Without parts there is no memory for any.
static void append(void *to, const void *from, uint32_t base, uint32_t count, size_t size)
{
    if (to && count)
        memcpy((char *)to + base * size, from, count * size);
}

static void merge_parts(lg_label_accumulator *into, const lg_label_accumulator *from)
{
    const uint32_t base = into->parts, count = from->parts;
    for (uint32_t i = 0; i < count; i++)
        into->parent[base + i] = base + from->parent[i];
    append(into->sums.basic, from->sums.basic, base, count, sizeof *from->sums.basic);
    append(into->sums.second, from->sums.second, base, count, sizeof *from->sums.second);
    append(into->sums.intensities, from->sums.intensities, base, count,
           sizeof *from->sums.intensities);
    into->parts += from->parts;
    for (size_t i = 0; i < from->band_count; i++) {
        into->bands[into->band_count] = from->bands[i];
        into->bands[into->band_count++].base += base;
    }
    into->region.covered += from->region.covered;
}

lg_status lg_label_accumulator_merge(lg_label_accumulator *into, const lg_label_accumulator *from,
                                     lg_error *error)
{
    if (!into || !from || into == from)
        return lg_fail(error, LG_ERROR_ARGUMENT, "merging needs two accumulators");
    const size_t count = from->segment_count;
    lg_status status = check_merge(into, from, error);
    if (!status)
        status = lg_label_accumulator_reserve(into, from->parts, count, from->band_count, error);
    if (status || !count)
        return status;
    lg_label_segment *copies = lg_alloc_array(count, sizeof *copies);
    bool good = copies != NULL;
    for (size_t i = 0; i < count && good; i++) {
        copies[i] =
            (lg_label_segment){.first = from->segments[i].first, .end = from->segments[i].end};
        good =
            lg_label_accumulator_copy_border(&from->segments[i].top, into->parts, &copies[i].top) &&
            lg_label_accumulator_copy_border(&from->segments[i].bottom, into->parts,
                                             &copies[i].bottom);
    }
    if (good)
        merge_parts(into, from);
    for (size_t i = 0; i < count && copies; i++)
        if (good)
            lg_label_accumulator_insert(into, &copies[i]);
        else
            lg_label_segment_free(&copies[i]);
    lg_free(copies);
    return good ? LG_OK : lg_fail_memory(error, count * sizeof *copies, "borders of parts");
}

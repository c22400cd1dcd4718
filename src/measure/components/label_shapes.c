#include "measure/components/label_shapes.h"

#include <string.h>

// ---- life -----------------------------------------------------------------------------------------

lg_status lg_label_shapes_create(const lg_covered_region *region, uint32_t count,
                                 lg_label_shapes **out, lg_error *error)
{
    const size_t room = LG_MAX(count, 1u), row = lg_align_up((size_t)region->width + 2, 16);
    lg_label_shapes *s = lg_alloc(sizeof *s);
    if (!s)
        return lg_fail_memory(error, sizeof *s, "shapes of components");
    *s = (lg_label_shapes){.region = *region,
                           .count = count,
                           .label = lg_alloc_array(room, sizeof *s->label),
                           .shape = lg_alloc_array(room, sizeof *s->shape),
                           .own = lg_alloc_array(row, sizeof *s->own)};
    s->region.covered = 0;
    lg_status status = s->label && s->shape && s->own
                           ? lg_shape_rows_create((int32_t)region->width, &s->rows, error)
                           : lg_fail_memory(error, room * sizeof *s->shape, "shapes of components");
    if (status)
        lg_label_shapes_destroy(&s);
    else
        *out = s;
    return status;
}

void lg_label_shapes_destroy(lg_label_shapes **shapes)
{
    if (!shapes || !*shapes)
        return;
    lg_label_shapes *s = *shapes;
    for (size_t i = 0; i < s->strip_count; i++) {
        lg_free(s->strips[i].top);
        lg_free(s->strips[i].bottom);
    }
    lg_free(s->strips);
    lg_free(s->label);
    lg_free(s->shape);
    lg_free(s->own);
    lg_shape_rows_destroy(&s->rows);
    lg_free(s);
    *shapes = NULL;
}

static size_t row_of_edge(const lg_label_shapes *s)
{
    return (size_t)s->region.width + 2;
}

bool lg_label_shapes_edges(const lg_label_shapes *s, lg_shape_strip *strip)
{
    const size_t words = (size_t)LG_STRIP_ROWS * row_of_edge(s);
    const bool top = strip->first % s->region.height != 0;
    const bool bottom = strip->end % s->region.height != 0;
    strip->top = top ? lg_alloc_array(words, sizeof *strip->top) : NULL;
    strip->bottom = bottom ? lg_alloc_array(words, sizeof *strip->bottom) : NULL;
    if ((!top || strip->top) && (!bottom || strip->bottom))
        return true;
    lg_free(strip->top);
    lg_free(strip->bottom);
    return false;
}

lg_status lg_label_shapes_reserve(lg_label_shapes *s, size_t strips, lg_error *error)
{
    const size_t needed = s->strip_count + strips;
    if (needed <= s->strip_capacity)
        return LG_OK;
    lg_shape_strip *larger = lg_alloc_array(2 * needed, sizeof *larger);
    if (!larger)
        return lg_fail_memory(error, 2 * needed * sizeof *larger, "rows of shapes");
    if (s->strip_count)
        memcpy(larger, s->strips, s->strip_count * sizeof *larger);
    lg_free(s->strips);
    s->strips = larger;
    s->strip_capacity = 2 * needed;
    return LG_OK;
}

static bool copy_strip(const lg_label_shapes *s, const lg_shape_strip *from, lg_shape_strip *out)
{
    const size_t bytes = (size_t)LG_STRIP_ROWS * row_of_edge(s) * sizeof(uint32_t);
    *out = (lg_shape_strip){.first = from->first, .end = from->end};
    if (!lg_label_shapes_edges(s, out))
        return false;
    if (out->top)
        memcpy(out->top, from->top, bytes);
    if (out->bottom)
        memcpy(out->bottom, from->bottom, bytes);
    return true;
}

lg_status lg_label_shapes_copy(const lg_label_shapes *from, lg_label_shapes **out, lg_error *error)
{
    lg_label_shapes *s = NULL;
    lg_status status = lg_label_shapes_create(&from->region, from->count, &s, error);
    if (!status)
        status = lg_label_shapes_reserve(s, from->strip_count, error);
    for (size_t i = 0; i < from->strip_count && !status; i++)
        if (copy_strip(from, &from->strips[i], &s->strips[i]))
            s->strip_count++;
        else
            status = lg_fail_memory(error, row_of_edge(s) * sizeof(uint32_t), "rows of labels");
    if (status) {
        lg_label_shapes_destroy(&s);
        return status;
    }
    s->region.covered = from->region.covered;
    if (from->count) {
        memcpy(s->label, from->label, from->count * sizeof *s->label);
        memcpy(s->shape, from->shape, from->count * sizeof *s->shape);
    }
    *out = s;
    return LG_OK;
}

// ---- strips as they grow --------------------------------------------------------------------------

lg_status lg_label_shapes_strip(lg_label_shapes *s, int64_t first, int64_t end, lg_error *error)
{
    lg_shape_strip strip = {.first = first, .end = end};
    const lg_status status = lg_label_shapes_reserve(s, 1, error);
    if (status)
        return status;
    if (!lg_label_shapes_edges(s, &strip))
        return lg_fail_memory(error, row_of_edge(s) * sizeof(uint32_t), "rows of labels");
    s->strips[s->strip_count++] = strip;
    s->region.covered += (uint64_t)(end - first) * (uint64_t)s->region.width;
    lg_shape_rows_begin(&s->rows, first % s->region.height == 0);
    return LG_OK;
}

void lg_label_shapes_row(lg_label_shapes *s, int64_t row, const uint32_t *labels)
{
    const lg_shape_strip *strip = &s->strips[s->strip_count - 1];
    const size_t step = row_of_edge(s), bytes = (size_t)s->region.width * sizeof *labels;
    const int64_t down = row - strip->first;
    const int64_t kept = LG_MIN(strip->end - strip->first, LG_STRIP_ROWS);
    const int64_t low = row - (strip->end - kept);
    if (strip->top && down < kept)
        memcpy(strip->top + (size_t)down * step + 1, labels, bytes);
    if (strip->bottom && low >= 0)
        memcpy(strip->bottom + (size_t)low * step + 1, labels, bytes);
    lg_shape_rows_add(&s->rows, s->own, s->shape);
    if (row + 1 == strip->end)
        lg_shape_rows_end(&s->rows, strip->end % s->region.height == 0, s->shape);
}

bool lg_label_shapes_complete(const lg_label_shapes *s)
{
    return s->strip_count == (size_t)s->region.layers &&
           s->region.covered ==
               (uint64_t)(s->region.width * s->region.height) * (uint64_t)s->region.layers;
}

// ---- merge ----------------------------------------------------------------------------------------

// Labels of both, ascending, with the sums of their counts.
static lg_status merge_counts(lg_label_shapes *into, const lg_label_shapes *from, lg_error *error)
{
    uint32_t i = 0, k = 0, n = 0;
    const size_t room = LG_MAX((size_t)into->count + from->count, (size_t)1);
    uint32_t *label = lg_alloc_array(room, sizeof *label);
    lg_component_shape *shape = lg_alloc_array(room, sizeof *shape);
    if (!label || !shape) {
        lg_free(label);
        lg_free(shape);
        return lg_fail_memory(error, room * sizeof *shape, "shapes of components");
    }
    for (; i < into->count || k < from->count; n++) {
        const bool first =
            k == from->count || (i < into->count && into->label[i] <= from->label[k]);
        const bool both = first && k < from->count && into->label[i] == from->label[k];
        label[n] = first ? into->label[i] : from->label[k];
        shape[n] = first ? into->shape[i] : from->shape[k];
        for (int w = 0; w < 16 && both; w++)
            shape[n].windows[w] += from->shape[k].windows[w];
        for (int b = 0; b < 3 && both; b++)
            shape[n].border[b] += from->shape[k].border[b];
        i += first;
        k += both || !first;
    }
    lg_free(into->label);
    lg_free(into->shape);
    into->label = label;
    into->shape = shape;
    into->count = n;
    return LG_OK;
}

uint32_t lg_label_shapes_first(const lg_label_shapes *s, uint32_t label)
{
    uint32_t low = 0, high = s->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (s->label[middle] < label)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint32_t place_of(const lg_label_shapes *s, uint32_t label)
{
    return label ? lg_label_shapes_first(s, label) + 1 : 0;
}

static int64_t kept_of(const lg_shape_strip *strip)
{
    return LG_MIN(strip->end - strip->first, LG_STRIP_ROWS);
}

// The rows around the seam of two strips, as places; what neither has is zero, as outside the layer.
static void rows_of_seam(const lg_label_shapes *s, const lg_shape_strip *above,
                         const lg_shape_strip *below, uint32_t *memory)
{
    const size_t step = row_of_edge(s), words = (size_t)LG_STRIP_ROWS * step;
    const size_t a = (size_t)kept_of(above) * step, b = (size_t)kept_of(below) * step;
    memset(memory, 0, 2 * words * sizeof *memory);
    memcpy(memory + words - a, above->bottom, a * sizeof *memory);
    memcpy(memory + words, below->top, b * sizeof *memory);
    uint32_t last = 0, place = 0;
    for (size_t i = 0; i < 2 * words; i++) {
        if (memory[i] != last) {
            last = memory[i];
            place = place_of(s, last);
        }
        memory[i] = place;
    }
}

// Rows whose pixels are counted need LG_SHAPE_REACH others on either side, unless the layer ends there.
static void count_seam(lg_label_shapes *s, const lg_shape_strip *above, const lg_shape_strip *below,
                       uint32_t *memory)
{
    const int64_t h = s->region.height, seam = above->end;
    const int64_t low = above->first % h == 0 ? above->first : above->first + LG_SHAPE_REACH;
    const int64_t high = below->end % h == 0 ? below->end : below->end - LG_SHAPE_REACH;
    const int64_t begin = LG_MAX(low, seam - LG_SHAPE_REACH);
    const int64_t end = LG_MIN(high, seam + LG_SHAPE_REACH);
    const uint32_t *rows[2 * LG_STRIP_ROWS];
    rows_of_seam(s, above, below, memory);
    for (size_t i = 0; i < LG_COUNT(rows); i++)
        rows[i] = memory + i * row_of_edge(s);
    lg_shape_rows_seam((int32_t)s->region.width, rows, (int)(begin - seam + LG_STRIP_ROWS),
                       (int)(end - seam + LG_STRIP_ROWS), &s->rows, s->shape);
}

// `edge` gets the rows of the other strip behind its own, or in front of them.
static void extend_top(const lg_label_shapes *s, lg_shape_strip *above, const lg_shape_strip *below)
{
    const size_t step = row_of_edge(s), own = (size_t)kept_of(above);
    const size_t more = LG_MIN((size_t)LG_STRIP_ROWS - own, (size_t)kept_of(below));
    if (above->top && more)
        memcpy(above->top + own * step, below->top, more * step * sizeof *above->top);
}

static void extend_bottom(const lg_label_shapes *s, const lg_shape_strip *above,
                          lg_shape_strip *below)
{
    const size_t step = row_of_edge(s), own = (size_t)kept_of(below);
    const size_t there = (size_t)kept_of(above), more = LG_MIN((size_t)LG_STRIP_ROWS - own, there);
    if (!below->bottom || !more)
        return;
    memmove(below->bottom + more * step, below->bottom, own * step * sizeof *below->bottom);
    memcpy(below->bottom, above->bottom + (there - more) * step,
           more * step * sizeof *below->bottom);
}

// Strips i and i + 1 become one where they meet in a layer.
static void join(lg_label_shapes *s, size_t i, uint32_t *memory)
{
    lg_shape_strip *above = &s->strips[i], *below = above + 1;
    if (above->end != below->first || above->end % s->region.height == 0)
        return;
    count_seam(s, above, below, memory);
    extend_top(s, above, below);
    extend_bottom(s, above, below);
    lg_free(above->bottom);
    lg_free(below->top);
    above->bottom = below->bottom;
    above->end = below->end;
    s->strip_count--;
    memmove(below, below + 1, (s->strip_count - i - 1) * sizeof *below);
}

static size_t strip_at(const lg_label_shapes *s, int64_t row)
{
    size_t at = 0;
    while (at < s->strip_count && s->strips[at].end <= row)
        at++;
    return at;
}

static lg_status check_strips(const lg_label_shapes *into, const lg_label_shapes *from,
                              lg_error *error)
{
    lg_status status = lg_covered_region_check_merge(&into->region, &from->region, error);
    for (size_t i = 0; i < from->strip_count && !status; i++) {
        const size_t at = strip_at(into, from->strips[i].first);
        if (at < into->strip_count && into->strips[at].first < from->strips[i].end)
            status = lg_fail(error, LG_ERROR_ARGUMENT, "rows %lld and on are counted already",
                             (long long)from->strips[i].first);
    }
    return status;
}

lg_status lg_label_shapes_merge(lg_label_shapes *into, const lg_label_shapes *from, lg_error *error)
{
    if (!into || !from || into == from)
        return lg_fail(error, LG_ERROR_ARGUMENT, "merging needs two counts of shapes");
    lg_label_shapes *copy = NULL;
    uint32_t *memory = NULL;
    lg_status status = check_strips(into, from, error);
    if (!status)
        status = lg_label_shapes_reserve(into, from->strip_count, error);
    if (!status)
        status = lg_label_shapes_copy(from, &copy, error);
    if (!status) {
        memory = lg_alloc_array(2 * (size_t)LG_STRIP_ROWS * row_of_edge(into), sizeof *memory);
        status = memory ? LG_OK : lg_fail_memory(error, row_of_edge(into), "rows of labels");
    }
    if (!status)
        status = merge_counts(into, from, error);
    for (size_t i = 0; !status && i < copy->strip_count; i++) {
        const size_t at = strip_at(into, copy->strips[i].first);
        memmove(into->strips + at + 1, into->strips + at,
                (into->strip_count - at) * sizeof *into->strips);
        into->strips[at] = copy->strips[i];
        copy->strips[i] = (lg_shape_strip){0};
        into->strip_count++;
        if (at + 1 < into->strip_count)
            join(into, at, memory);
        if (at > 0)
            join(into, at - 1, memory);
    }
    if (!status)
        into->region.covered += from->region.covered;
    lg_free(memory);
    lg_label_shapes_destroy(&copy);
    return status;
}

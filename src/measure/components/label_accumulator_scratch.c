// Components beyond memory: sums of those that are complete go to scratch files, sorted by first pixels, and
// come back in blocks with their numbers.
#include "measure/components/label_segments.h"

#include <string.h>

#define WORD sizeof(uint64_t)

// ---- records --------------------------------------------------------------------------------------

static size_t record_size(const lg_label_accumulator *a)
{
    return sizeof *a->sums.basic + (a->params.moments ? sizeof *a->sums.second : 0) +
           (a->intensity == LG_TYPES ? 0 : sizeof *a->sums.intensities) + (a->links ? WORD : 0);
}

// The first pixel stands first: records are sorted by it. Links find labels by what stands last.
static lg_status put(void *priv, const lg_label_accumulator *a, uint32_t part, lg_error *error)
{
    const lg_component_basic *b = &a->sums.basic[part];
    uint8_t *at = a->record;
    memcpy(at, &b->first, WORD);
    memcpy(at + WORD, &b->area, WORD);
    memcpy(at + 2 * WORD, b->sum, sizeof *b - 2 * WORD);
    at += sizeof *b;
    if (a->params.moments) {
        memcpy(at, &a->sums.second[part], sizeof *a->sums.second);
        at += sizeof *a->sums.second;
    }
    if (a->intensity != LG_TYPES)
        memcpy(at, &a->sums.intensities[part], sizeof *a->sums.intensities);
    if (a->links)
        memcpy(a->record + record_size(a) - WORD, &a->taken, WORD);
    return lg_sorted_file_add(a->closed, a->record, error);
}

static void get(const uint8_t *at, lg_components *c, uint32_t i)
{
    lg_component_basic *b = &c->basic[i];
    memcpy(&b->first, at, WORD);
    memcpy(&b->area, at + WORD, WORD);
    memcpy(b->sum, at + 2 * WORD, sizeof *b - 2 * WORD);
    at += sizeof *b;
    if (c->second) {
        memcpy(&c->second[i], at, sizeof *c->second);
        at += sizeof *c->second;
    }
    if (c->intensity)
        memcpy(&c->intensity[i], at, sizeof *c->intensity);
}

// ---- components that are complete -----------------------------------------------------------------

lg_status lg_label_accumulator_check_held(const lg_label_accumulator *a, const char *what,
                                          lg_error *error)
{
    if (!a->take)
        return LG_OK;
    return lg_fail(error, LG_ERROR_ARGUMENT,
                   "%s needs all components, and these are in scratch files: they come in blocks",
                   what);
}

static void move_part(lg_label_accumulator *a, uint32_t to, uint32_t from)
{
    a->sums.basic[to] = a->sums.basic[from];
    if (a->params.moments)
        a->sums.second[to] = a->sums.second[from];
    if (a->intensity != LG_TYPES)
        a->sums.intensities[to] = a->sums.intensities[from];
    a->parent[to] = to;
}

static lg_status check_count(const lg_label_accumulator *a, uint32_t open, lg_error *error)
{
    if (a->taken + open < UINT32_MAX)
        return LG_OK;
    return lg_fail(error, LG_ERROR_LIMIT,
                   "more than 2^32 - 2 components: labels have 32 bits; label parts of the image");
}

// What each part becomes, with links, and the roots of all. Parents come before parts.
static lg_status add_step(lg_label_accumulator *a, const uint32_t *open, const lg_label_band *band,
                          lg_error *error)
{
    lg_label_step step = {.first = band->first,
                          .end = band->end,
                          .open = a->parts - band->count,
                          .count = band->count,
                          .taken = a->taken};
    uint32_t *became = lg_alloc_array((size_t)a->parts + 1, sizeof *became);
    if (!became)
        return lg_fail_memory(error, ((size_t)a->parts + 1) * sizeof *became, "labels of a band");
    for (uint32_t i = 0; i < a->parts; i++)
        if (a->parent[i] != i)
            became[i] = became[a->parent[i]];
        else
            became[i] = open[i] ? step.kept++ : LG_LABEL_TAKEN - step.closed++;
    const lg_status status = lg_label_links_add(a->links, &step, became, error);
    lg_free(became);
    return status;
}

// Components with open[part] are kept, as parts 0, 1 ... in their order, and open[part] becomes that.
static lg_status close_others(lg_label_accumulator *a, uint32_t *open, const lg_label_band *band,
                              lg_error *error)
{
    uint32_t kept = 0;
    lg_status status = a->links ? add_step(a, open, band, error) : LG_OK;
    for (uint32_t i = 0; i < a->parts && !status; i++) {
        if (a->parent[i] != i)
            continue;
        if (open[i]) {
            open[i] = kept;
            move_part(a, kept++, i); // behind those that are still to be seen
        } else {
            status = a->take(a->take_priv, a, i, error);
            a->taken++;
        }
    }
    a->parts = kept;
    return status ? status : check_count(a, kept, error);
}

typedef struct opened {
    const lg_label_accumulator *a;
    uint32_t *open; // of parts
} opened;

static void mark_run(void *priv, lg_border_run *run)
{
    const opened *o = priv;
    run->part = lg_label_accumulator_root(o->a, run->part);
    o->open[run->part] = 1;
}

static void move_run(void *priv, lg_border_run *run)
{
    run->part = ((const opened *)priv)->open[run->part];
}

lg_status lg_label_accumulator_close(lg_label_accumulator *a, lg_error *error)
{
    lg_label_segment *s = &a->segments[0];
    uint32_t *open = lg_alloc_array((size_t)a->parts + 1, sizeof *open);
    if (!open)
        return lg_fail_memory(error, ((size_t)a->parts + 1) * sizeof *open, "open components");
    if (s->end % a->region.height == 0) // layers do not touch each other
        s->bottom.count = 0;
    for (size_t i = 0; i < s->bottom.count; i++) {
        s->bottom.runs[i].part = lg_label_accumulator_root(a, s->bottom.runs[i].part);
        open[s->bottom.runs[i].part] = 1;
    }
    opened o = {a, open};
    lg_label_accumulator_each_run(a, mark_run, &o);
    const lg_status status = close_others(a, open, &a->bands[a->band_count - 1], error);
    for (size_t i = 0; i < s->bottom.count && !status; i++)
        s->bottom.runs[i].part = open[s->bottom.runs[i].part];
    if (!status)
        lg_label_accumulator_each_run(a, move_run, &o);
    s->top.count = 0; // nothing is above
    a->band_count = 0;
    lg_free(open);
    return status;
}

lg_status lg_label_accumulator_end(lg_label_accumulator *a, lg_error *error)
{
    if (a->ended)
        return LG_OK;
    uint32_t *open = lg_alloc_array((size_t)a->parts + 1, sizeof *open);
    if (!open)
        return lg_fail_memory(error, ((size_t)a->parts + 1) * sizeof *open, "open components");
    const lg_status status = close_others(a, open, &(lg_label_band){0}, error);
    a->ended = !status;
    lg_free(open);
    return status;
}

void lg_label_accumulator_fold(lg_label_accumulator *a, lg_component_fn take, void *priv)
{
    a->take = take;
    a->take_priv = priv;
}

static lg_status begin_scratch(lg_label_accumulator *a, const char *folder, size_t memory,
                               lg_error *error)
{
    a->record = lg_alloc(record_size(a));
    if (!a->record)
        return lg_fail_memory(error, record_size(a), "components");
    const lg_status status =
        lg_sorted_file_create(folder, record_size(a), memory, &a->closed, error);
    if (!status) {
        lg_label_accumulator_fold(a, put, NULL);
        return LG_OK;
    }
    lg_free(a->record);
    a->record = NULL;
    return status;
}

static lg_status check_empty(const lg_label_accumulator *a, const char *folder, bool shapes,
                             lg_error *error)
{
    if (!a || !folder)
        return lg_fail_null(error, "an accumulator, and a folder for scratch files");
    if ((a->params.shape && !shapes) || a->segment_count || a->take)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "scratch files are for an accumulator without rows%s",
                       shapes ? "" : " and without shapes");
    return LG_OK;
}

lg_status lg_label_accumulator_scratch(lg_label_accumulator *a, const char *folder, size_t memory,
                                       lg_error *error)
{
    const lg_status status = check_empty(a, folder, false, error);
    return status ? status : begin_scratch(a, folder, memory, error);
}

lg_status lg_label_accumulator_scratch_labels(lg_label_accumulator *a, const char *folder,
                                              size_t memory, lg_error *error)
{
    lg_status status = check_empty(a, folder, true, error);
    if (!status)
        status = lg_label_links_create(folder, memory / 3, &a->links, error);
    if (!status)
        status = begin_scratch(a, folder, memory / 3 * 2, error);
    if (status && a && !a->take)
        lg_label_links_destroy(&a->links);
    return status;
}

// ---- labels ---------------------------------------------------------------------------------------

static lg_status prepare_labels(lg_label_accumulator *a, lg_error *error)
{
    lg_status status = lg_label_accumulator_end(a, error);
    if (!status && !lg_label_links_resolved(a->links))
        status = lg_label_links_resolve(a->links, a->closed, record_size(a), error);
    a->count = (uint32_t)a->taken;
    if (!status && a->params.shape && !a->layered)
        status = lg_label_layers_create(&a->region, a->count, a->before != NULL,
                                        a->params.memory_limit, &a->layered, error);
    return status;
}

static void put_labels(lg_label_accumulator *a, const uint32_t *label, lg_labels *labels,
                       bool count)
{
    for (int32_t y = 0; y < labels->height; y++) {
        uint32_t *row = (uint32_t *)(void *)((char *)labels->data + (size_t)y * labels->row_stride);
        for (int32_t x = 0; x < labels->width; x++)
            row[x] = row[x] ? label[row[x] - 1] : 0;
        if (count)
            lg_label_layers_add(a->layered, row);
    }
    labels->count = a->count;
}

// All rows were counted, or never will be: rows that were not added have no labels.
static bool is_counted(const lg_label_accumulator *a)
{
    return lg_label_layers_next(a->layered) == a->region.height * a->region.layers;
}

lg_status lg_label_accumulator_link_labels(lg_label_accumulator *a, int64_t first,
                                           lg_labels *labels, lg_error *error)
{
    lg_status status = prepare_labels(a, error);
    const lg_label_step *step = lg_label_links_find(a->links, first, first + labels->height);
    if (status)
        return status;
    const bool count = a->params.shape && !is_counted(a);
    if (!step)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "%d rows at %lld of layer %lld were not added together", labels->height,
                       (long long)(first % a->region.height),
                       (long long)(first / a->region.height));
    if (labels->count != step->count)
        return lg_fail(error, LG_ERROR_DATA,
                       "rows %lld and on have %u components, and had %u when they were added",
                       (long long)first, labels->count, step->count);
    if (count && first != lg_label_layers_next(a->layered))
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "shapes are counted from top to bottom: row %lld comes next, not %lld",
                       (long long)lg_label_layers_next(a->layered), (long long)first);
    uint32_t *label = lg_alloc_array((size_t)step->count + 1, sizeof *label);
    if (!label)
        return lg_fail_memory(error, ((size_t)step->count + 1) * sizeof *label, "labels of a band");
    status = lg_label_links_labels(a->links, step, label, error);
    if (!status)
        put_labels(a, label, labels, count);
    lg_free(label);
    return status;
}

// ---- blocks ---------------------------------------------------------------------------------------

static lg_status each_block(lg_label_accumulator *a, lg_components *c, uint32_t size,
                            uint8_t *records, lg_components_fn fn, void *priv, lg_error *error)
{
    const size_t bytes = record_size(a);
    lg_status status = lg_sorted_file_rewind(a->closed, error);
    for (uint32_t before = 0; !status; before += c->count) {
        size_t count = 0;
        status = lg_sorted_file_next(a->closed, records, size, &count, error);
        if (status || !count)
            break;
        for (uint32_t i = 0; i < count; i++)
            get(records + i * bytes, c, i);
        if (c->shape && count)
            memcpy(c->shape, lg_label_layers_shapes(a->layered) + before, count * sizeof *c->shape);
        c->before = before;
        c->count = (uint32_t)count;
        status = fn(priv, c, error);
        c->count = (uint32_t)count; // fewer where some were removed
    }
    return status;
}

lg_status lg_label_accumulator_blocks(lg_label_accumulator *a, uint32_t size, lg_components_fn fn,
                                      void *priv, lg_error *error)
{
    if (!a || !fn)
        return lg_fail_null(error, "an accumulator, and a function for its blocks");
    if (!a->closed || size == 0)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "blocks of %u components of an accumulator %s scratch files", size,
                       a->closed ? "with" : "without");
    if (a->params.shape && !(a->layered && is_counted(a)))
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "shapes are counted from the labels of all rows, which were not asked for");
    lg_components *c = NULL;
    lg_status status = lg_label_accumulator_end(a, error);
    uint8_t *records = status ? NULL : lg_alloc_array(size, record_size(a));
    if (!status && !records)
        status = lg_fail_memory(error, size * record_size(a), "a block of components");
    if (!status)
        status = lg_label_accumulator_make(a, size, &c, error);
    if (!status)
        status = each_block(a, c, size, records, fn, priv, error);
    lg_free(records);
    lg_components_destroy(&c);
    return status;
}

uint64_t lg_label_accumulator_count(const lg_label_accumulator *a)
{
    uint64_t count = a ? a->taken : 0;
    for (uint32_t i = 0; a && i < a->parts; i++)
        count += a->parent[i] == i;
    return count;
}

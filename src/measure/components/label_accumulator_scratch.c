// Components beyond memory: sums of those that are complete go to scratch files, sorted by first pixels, and
// come back in blocks with their numbers.
#include "measure/components/label_segments.h"

#include <string.h>

#define WORD sizeof(uint64_t)

// ---- records --------------------------------------------------------------------------------------

static size_t record_size(const lg_label_accumulator *a)
{
    return sizeof *a->sums.basic + (a->params.moments ? sizeof *a->sums.second : 0) +
           (a->intensity == LG_TYPES ? 0 : sizeof *a->sums.intensities);
}

// The first pixel stands first: records are sorted by it.
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

// Components with open[part] are kept, as parts 0, 1 ... in their order, and open[part] becomes that.
static lg_status close_others(lg_label_accumulator *a, uint32_t *open, lg_error *error)
{
    uint32_t kept = 0;
    lg_status status = LG_OK;
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
    const lg_status status = close_others(a, open, error);
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
    const lg_status status = close_others(a, open, error);
    a->ended = !status;
    lg_free(open);
    return status;
}

void lg_label_accumulator_fold(lg_label_accumulator *a, lg_component_fn take, void *priv)
{
    a->take = take;
    a->take_priv = priv;
}

lg_status lg_label_accumulator_scratch(lg_label_accumulator *a, const char *folder, size_t memory,
                                       lg_error *error)
{
    if (!a || !folder)
        return lg_fail_null(error, "an accumulator, and a folder for scratch files");
    if (a->params.shape || a->segment_count || a->take)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "scratch files are for an accumulator without rows and without shapes");
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

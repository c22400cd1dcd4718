#include "measure/components/label_plan.h"

#include "cpu/cpu.h"
#include "device/spill.h"

#include <string.h>

LG_CPU_DECLARE(lg_label_rows_table, label_rows);

#define LG_BAND_PIXELS  65536 // smaller bands do not pay
#define LG_BANDS        4     // of every thread, so that slow ones are made up for
#define LG_MAPPED_BANDS 256   // of blocks in files, whose pages are let go of between bands

// ---- rows that touch ------------------------------------------------------------------------------

typedef struct neighbour {
    int64_t row;
    bool corners;
} neighbour;

// Rows before `row` that it touches.
static int neighbours(const lg_label_plan *p, int64_t row, neighbour out[4])
{
    const int64_t y = row % p->height, z = row / p->height;
    const int c = p->connectivity;
    int n = 0;
    if (y > 0)
        out[n++] = (neighbour){row - 1, c == 8 || c == 18 || c == 26};
    if (z == 0 || !lg_connectivity_is_volume(c))
        return n;
    const int64_t below = row - p->height;
    out[n++] = (neighbour){below, c != 6};
    if (c != 6 && y > 0)
        out[n++] = (neighbour){below - 1, c == 26};
    if (c != 6 && y < p->height - 1)
        out[n++] = (neighbour){below + 1, c == 26};
    return n;
}

static const char *samples_of(const lg_label_plan *p, int64_t row)
{
    const lg_image *image = p->task->image;
    return (const char *)image->data + (size_t)(row / p->height) * image->shape.layer_stride +
           (size_t)(row % p->height) * image->shape.row_stride;
}

// Calls `each` for all ways in which two rows touch: one, or where equal values join up to three.
static void contacts(const lg_label_plan *p, int64_t row, const neighbour *above, uint64_t *equal,
                     void (*each)(void *arg, const lg_label_contact *contact), void *arg)
{
    lg_label_contact c = {.above = lg_label_plan_row(p, above->row),
                          .row = lg_label_plan_row(p, row),
                          .words = p->words,
                          .corners = above->corners};
    if (!p->starts) {
        each(arg, &c);
        return;
    }
    const size_t size = lg_type_size(p->rule.type), n = (size_t)p->width;
    const char *a = samples_of(p, above->row), *b = samples_of(p, row);
    c.equal = equal;
    p->table->equal(p->rule.type, a, b, n, equal);
    each(arg, &c);
    for (c.lean = -1; above->corners && n > 1 && c.lean <= 1; c.lean += 2) {
        memset(equal, 0, p->words * sizeof *equal);
        p->table->equal(p->rule.type, a + (c.lean < 0 ? size : 0), b + (c.lean > 0 ? size : 0),
                        n - 1, equal);
        each(arg, &c);
    }
}

// ---- bits -----------------------------------------------------------------------------------------

// Scratch of one row of bits for every worker.
typedef struct run_state {
    lg_label_plan *plan;
    uint64_t *scratch;
    size_t *runs; // of rows
} run_state;

static void make_starts(const lg_label_plan *p, int64_t row, uint64_t *equal)
{
    const uint64_t *bits = p->bits + (size_t)row * p->words;
    uint64_t *starts = p->starts + (size_t)row * p->words, carry = 0;
    const char *samples = samples_of(p, row);
    memset(equal, 0, p->words * sizeof *equal);
    if (p->width > 1)
        p->table->equal(p->rule.type, samples, samples + lg_type_size(p->rule.type),
                        (size_t)p->width - 1, equal);
    for (size_t w = 0; w < p->words; w++) {
        starts[w] = bits[w] & ~(equal[w] << 1 | carry);
        carry = equal[w] >> 63;
    }
}

static lg_status bits_of_band(void *arg, const lg_tile *t)
{
    const run_state *s = arg;
    const lg_label_plan *p = s->plan;
    for (int64_t row = t->y; row < t->y_end; row++) {
        lg_label_plan_relieve(p, row);
        uint64_t *bits = p->bits + (size_t)row * p->words;
        p->table->foreground(&p->rule, samples_of(p, row), (size_t)p->width, bits);
        if (p->starts)
            make_starts(p, row, s->scratch + (size_t)t->worker * p->words);
        p->first[row + 1] = (uint32_t)p->table->count(
            bits, p->starts ? p->starts + (size_t)row * p->words : NULL, p->words);
    }
    return LG_OK;
}

static lg_status number_runs(lg_label_plan *p, lg_error *error)
{
    uint64_t runs = 0;
    for (int64_t row = 0; row < p->rows; row++) {
        runs += p->first[row + 1];
        if (runs > UINT32_MAX)
            return lg_fail(error, LG_ERROR_LIMIT,
                           "more than 2^32 - 1 runs of foreground; label parts of the image");
        p->first[row + 1] = (uint32_t)runs;
    }
    return LG_OK;
}

// ---- components of bands -------------------------------------------------------------------------

static void join(void *arg, const lg_label_contact *contact)
{
    const lg_label_plan *p = arg;
    p->table->join(contact, p->parent);
}

static lg_status join_band(void *arg, const lg_tile *t)
{
    const run_state *s = arg;
    lg_label_plan *p = s->plan;
    const int64_t begin = t->y, end = t->y_end;
    for (int64_t row = begin; row < end; row++) {
        lg_label_plan_relieve(p, row);
        for (uint32_t i = p->first[row]; i < p->first[row + 1]; i++)
            p->parent[i] = i;
        neighbour above[4];
        const int n = neighbours(p, row, above);
        for (int i = 0; i < n; i++)
            if (above[i].row >= begin)
                contacts(p, row, &above[i], s->scratch + (size_t)t->worker * p->words, join, p);
    }
    const uint32_t first = p->first[begin];
    p->band_parts[t->index + 1] =
        p->table->flatten(p->parent + first, first, p->first[end] - first);
    return LG_OK;
}

// ---- bands with each other -----------------------------------------------------------------------

typedef struct merge_arg {
    lg_label_plan *plan;
    lg_label_pair *pairs;
    uint32_t above_parts, row_parts; // components before those of the rows' bands
} merge_arg;

static uint32_t root_of(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

static void merge(void *arg, const lg_label_contact *contact)
{
    const merge_arg *m = arg;
    const lg_label_plan *p = m->plan;
    const size_t n = p->table->pairs(contact, m->pairs);
    for (size_t i = 0; i < n; i++) {
        const uint32_t a = root_of(p->label, m->above_parts + p->parent[m->pairs[i].above]);
        const uint32_t b = root_of(p->label, m->row_parts + p->parent[m->pairs[i].run]);
        p->label[LG_MAX(a, b)] = LG_MIN(a, b);
    }
}

static void merge_bands(lg_label_plan *p, uint64_t *scratch, lg_label_pair *pairs)
{
    for (size_t band = 1; band < p->bands; band++) {
        const int64_t begin = lg_label_band_begin(p, band), end = lg_label_band_begin(p, band + 1);
        const int64_t reach = lg_connectivity_is_volume(p->connectivity) ? p->height + 1 : 1;
        for (int64_t row = begin; row < LG_MIN(begin + reach, end); row++) {
            neighbour above[4];
            const int n = neighbours(p, row, above);
            for (int i = 0; i < n; i++) {
                if (above[i].row >= begin)
                    continue;
                merge_arg m = {.plan = p,
                               .pairs = pairs,
                               .above_parts = p->band_parts[above[i].row / p->band_rows],
                               .row_parts = p->band_parts[band]};
                contacts(p, row, &above[i], scratch, merge, &m);
            }
        }
    }
}

// Parents are before their children, so that one pass suffices.
static void number_components(lg_label_plan *p)
{
    const uint32_t parts = p->band_parts[p->bands];
    uint32_t count = 0;
    for (uint32_t i = 0; i < parts; i++) {
        const uint32_t parent = p->label[i];
        p->label[i] = parent == i ? ++count : p->label[parent];
    }
    p->count = count;
}

// ---- all of it ------------------------------------------------------------------------------------

static void choose_bands(lg_label_plan *p)
{
    const int64_t threads = lg_pool_threads(p->context->pool);
    const int64_t whole =
        lg_connectivity_is_volume(p->connectivity) && p->layers > 1 ? p->height : 1;
    const int64_t units = p->rows / whole;
    const int64_t fast = threads > 1 ? threads * (whole > 1 ? 2 : LG_BANDS) : 1;
    const int64_t max = lg_blocks_are_mapped(p->context) ? LG_MAX(fast, LG_MAPPED_BANDS) : fast;
    const int64_t min = (LG_BAND_PIXELS + p->width * whole - 1) / (p->width * whole);
    p->band_rows = LG_MAX((units + max - 1) / max, min) * whole;
    p->bands = (size_t)((p->rows + p->band_rows - 1) / p->band_rows);
}

static lg_status allocate(lg_label_plan *p, lg_error *error)
{
    const size_t rows = (size_t)p->rows;
    const double bits =
        (double)rows * (double)p->words * 8 * (p->starts ? 2 : 1) + 4.0 * (double)rows;
    const double labels =
        p->task->want_labels ? (double)rows * (double)lg_align_up((size_t)p->width, 16) * 4 : 0;
    lg_status status = lg_label_check_memory(p->task, bits + labels, error);
    if (status)
        return status;
    static const char *const what = "the bits of the foreground";
    const size_t bytes = rows * p->words * sizeof *p->bits;
    void *blocks[2] = {NULL, NULL};
    p->first = lg_alloc_uninit((rows + 1) * sizeof *p->first);
    p->band_parts = lg_alloc_array(p->bands + 1, sizeof *p->band_parts);
    if (!p->first || !p->band_parts)
        return lg_fail_memory(error, rows * sizeof *p->first, what);
    p->first[0] = 0;
    status = lg_block_take(p->context, bytes, what, &blocks[0], error);
    p->bits = blocks[0];
    if (!status && p->task->foreground == LG_FOREGROUND_VALUES)
        status = lg_block_take(p->context, bytes, what, &blocks[1], error);
    p->starts = blocks[1];
    return status;
}

// The labels that keep the memory of the parents; blocks go back to the context that they came from.
static lg_labels_private *keeper_of(const lg_label_plan *p)
{
    lg_labels_private *keeper = p->keeper ? lg_labels_internal(p->keeper) : NULL;
    return keeper && keeper->context == p->context ? keeper : NULL;
}

// New memory costs as much as some of the work.
static lg_status take_parents(lg_label_plan *p, size_t bytes, lg_error *error)
{
    lg_labels_private *keeper = keeper_of(p);
    lg_status status = LG_OK;
    if (keeper && keeper->scratch_size >= bytes) {
        p->parent = keeper->scratch;
        p->parent_size = keeper->scratch_size;
        keeper->scratch = NULL;
        keeper->scratch_size = 0;
    } else {
        void *parent = NULL;
        status = lg_block_take(p->context, bytes, "the runs of the foreground", &parent, error);
        p->parent = parent;
        p->parent_size = bytes;
    }
    return status;
}

static void leave_parents(lg_label_plan *p)
{
    lg_labels_private *keeper = keeper_of(p);
    if (keeper && p->parent) {
        lg_block_give(keeper->context, keeper->scratch);
        keeper->scratch = p->parent;
        keeper->limited = p->context->spill != NULL;
        keeper->scratch_size = p->parent_size;
    } else {
        lg_block_give(p->context, p->parent);
    }
}

static lg_status for_bands(const lg_label_plan *p, lg_tile_fn *run, run_state *s, lg_error *error)
{
    lg_tiling bands = lg_label_bands(p);
    bands.run = run;
    bands.job = s;
    return lg_tiling_run(p->context->pool, &bands, error);
}

static lg_status components_of_bands(lg_label_plan *p, run_state *s, lg_error *error)
{
    const size_t runs = p->first[p->rows];
    lg_status status = lg_label_check_memory(
        p->task,
        (double)runs * 4 + (double)p->rows * (double)p->words * 8 +
            (p->task->want_labels ? (double)p->rows * (double)lg_align_up((size_t)p->width, 16) * 4
                                  : 0),
        error);
    if (!status)
        status = take_parents(p, (runs + 1) * sizeof *p->parent, error);
    if (!status)
        status = for_bands(p, join_band, s, error);
    for (size_t i = 0; i < p->bands && !status; i++)
        p->band_parts[i + 1] += p->band_parts[i];
    return status;
}

static lg_status join_all(lg_label_plan *p, uint64_t *scratch, lg_error *error)
{
    const size_t parts = p->band_parts[p->bands];
    const size_t bytes = 2 * ((size_t)p->width + 1) * sizeof(lg_label_pair);
    void *labels = NULL;
    const lg_status status =
        lg_block_take(p->context, (parts + 1) * sizeof *p->label, "components", &labels, error);
    if (status)
        return status;
    p->label = labels;
    lg_label_pair *pairs = lg_alloc_uninit(bytes);
    if (!pairs)
        return lg_fail_memory(error, bytes, "components");
    for (size_t i = 0; i < parts; i++)
        p->label[i] = (uint32_t)i;
    merge_bands(p, scratch, pairs);
    number_components(p);
    lg_free(pairs);
    return LG_OK;
}

lg_status lg_label_plan_create(lg_context *context, const lg_label_task *task, int connectivity,
                               bool inverted, lg_labels *keeper, lg_label_plan *out,
                               lg_error *error)
{
    const lg_image_params *shape = &task->image->shape;
    lg_label_plan p = {.context = context,
                       .task = task,
                       .table = LG_CPU_SELECT(label_rows, context->cpu_level),
                       .rule = {.type = shape->type,
                                .foreground = task->foreground,
                                .cut = lg_threshold_cut(task->level),
                                .inverted = inverted},
                       .connectivity = connectivity,
                       .keeper = keeper,
                       .width = shape->width,
                       .height = shape->height,
                       .layers = shape->layers,
                       .rows = (int64_t)shape->height * shape->layers,
                       .words = ((size_t)shape->width + 63) / 64};
    choose_bands(&p);
    lg_status status = allocate(&p, error);
    const size_t threads = (size_t)lg_pool_threads(context->pool);
    run_state s = {.plan = &p};
    if (!status) {
        s.scratch = lg_alloc_uninit(threads * p.words * sizeof *s.scratch);
        if (!s.scratch)
            status = lg_fail_memory(error, threads * p.words * sizeof *s.scratch, "a row of bits");
    }
    if (!status)
        status = for_bands(&p, bits_of_band, &s, error);
    if (!status)
        status = number_runs(&p, error);
    if (!status)
        status = components_of_bands(&p, &s, error);
    if (!status)
        status = join_all(&p, s.scratch, error);
    lg_free(s.scratch);
    if (status)
        lg_label_plan_destroy(&p);
    else
        *out = p;
    return status;
}

void lg_label_plan_destroy(lg_label_plan *p)
{
    lg_block_give(p->context, p->bits);
    lg_block_give(p->context, p->starts);
    lg_free(p->first);
    leave_parents(p);
    lg_free(p->band_parts);
    lg_block_give(p->context, p->label);
    *p = (lg_label_plan){0};
}

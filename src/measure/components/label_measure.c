// Figures of labels in host memory: the runs of equal labels of each row, summed by every worker for itself.
#include "measure/components/component_sums.h"
#include "measure/components/label_shape.h"
#include "measure/components/label_sums.h"

#include "cpu/cpu.h"
#include "engine/tile.h"

LG_CPU_DECLARE(lg_label_rows_table, label_rows);

#define LG_SUMS_BYTES ((size_t)256 << 20) // of all workers' sums; fewer work where it is not enough

typedef struct measure_state {
    const lg_label_rows_table *table;
    const lg_labels *labels;
    size_t jobs;
    lg_label_sums *sums; // of each job
    int32_t *runs;       // scratch of each job: begins, ends, parts, others
    size_t run_size;     // elements of one of these
    uint32_t *above;     // of each job: a label above the count, or 0
    // A look at intensities of floats comes before the sums.
    bool look;
    const lg_image *intensity;
    uint32_t *greatest; // of each job: bits of a magnitude
} measure_state;

// The runs of a row; stops at a label above the count, which it returns.
static uint32_t runs_of_row(const uint32_t *row, int32_t width, uint32_t count, int32_t *begin,
                            int32_t *end, uint32_t *part, size_t *runs)
{
    size_t n = 0;
    for (int32_t x = 0; x < width;) {
        const uint32_t label = row[x];
        if (label == 0) {
            x++;
            continue;
        }
        if (label > count)
            return label;
        begin[n] = x;
        while (x < width && row[x] == label)
            x++;
        end[n] = x;
        part[n++] = label - 1;
    }
    *runs = n;
    return 0;
}

static lg_status measure_rows(void *arg, const lg_tile *t)
{
    const measure_state *s = arg;
    const lg_labels *l = s->labels;
    const size_t job = t->index;
    int32_t *begin = s->runs + 4 * job * s->run_size, *end = begin + s->run_size;
    uint32_t *part = (uint32_t *)end + s->run_size;
    lg_label_runs runs = {.table = s->table,
                          .begin = begin,
                          .end = end,
                          .part = part,
                          .label = part,
                          .others = end + 2 * s->run_size};
    for (int64_t row = t->y; row < t->y_end; row++) {
        runs.y = (int32_t)(row % l->height);
        runs.z = (int32_t)(row / l->height);
        const char *labels = (const char *)l->data + (size_t)runs.z * l->layer_stride +
                             (size_t)runs.y * l->row_stride;
        s->above[job] = runs_of_row((const uint32_t *)(const void *)labels, l->width, l->count,
                                    begin, end, part, &runs.n);
        if (s->above[job])
            return LG_ERROR_ARGUMENT;
        if (s->look) {
            const uint32_t greatest = lg_label_greatest(s->intensity, &runs);
            s->greatest[job] = LG_MAX(s->greatest[job], greatest);
            continue;
        }
        lg_label_sums_add(&s->sums[job], &runs);
    }
    return LG_OK;
}

static lg_status merge_sums(void *arg, const lg_tile *t)
{
    const measure_state *s = arg;
    for (size_t job = 1; job < s->jobs; job++)
        lg_label_sums_merge(&s->sums[0], &s->sums[job], (uint32_t)t->y, (uint32_t)t->y_end);
    return LG_OK;
}

static lg_status for_rows(lg_context *context, measure_state *s, lg_error *error)
{
    const lg_tiling rows = {.height = (int64_t)s->labels->height * s->labels->layers,
                            .bands = (int64_t)s->jobs,
                            .run = measure_rows,
                            .job = s};
    const lg_status status = lg_tiling_run(context->pool, &rows, error);
    if (status != LG_ERROR_ARGUMENT)
        return status;
    size_t job = 0;
    while (!s->above[job])
        job++;
    return lg_fail(error, LG_ERROR_ARGUMENT, "label %u, but labels->count is %u", s->above[job],
                   s->labels->count);
}

static lg_status find_unit(lg_context *context, measure_state *s, double *unit, lg_error *error)
{
    const lg_type type = s->intensity ? s->intensity->shape.type : LG_U8;
    uint32_t greatest = 0;
    s->look = type > LG_U16;
    const lg_status status = s->look ? for_rows(context, s, error) : LG_OK;
    s->look = false;
    for (size_t job = 0; job < s->jobs; job++)
        greatest = LG_MAX(greatest, s->greatest[job]);
    *unit = lg_label_unit(type, greatest);
    return status;
}

lg_status lg_label_measure_host(lg_context *context, const lg_label_task *task,
                                const lg_labels *labels, lg_components *c, lg_error *error)
{
    const size_t threads = (size_t)lg_pool_threads(context->pool);
    const size_t bytes = lg_label_sums_bytes(task, labels->count);
    const size_t rows = (size_t)labels->height * (size_t)labels->layers;
    measure_state s = {.table = LG_CPU_SELECT(label_rows, context->cpu_level),
                       .labels = labels,
                       .intensity = task->intensity,
                       .run_size = (size_t)labels->width + LG_LABEL_SLACK};
    s.jobs = LG_MAX(LG_MIN(LG_MIN(threads, rows), 1 + LG_SUMS_BYTES / LG_MAX(bytes, (size_t)1)),
                    (size_t)1);
    s.sums = lg_alloc_array(s.jobs, sizeof *s.sums);
    s.above = lg_alloc_array(2 * s.jobs, sizeof *s.above);
    s.greatest = s.above ? s.above + s.jobs : NULL;
    s.runs = lg_alloc_uninit(4 * s.jobs * s.run_size * sizeof *s.runs);
    lg_status status = LG_OK;
    if (!s.sums || !s.runs || !s.above)
        status =
            lg_fail_memory(error, 4 * s.jobs * s.run_size * sizeof *s.runs, "the runs of a row");
    if (!status)
        status = find_unit(context, &s, &c->unit, error);
    for (size_t i = 0; i < s.jobs && !status; i++)
        status = lg_label_sums_create(task, labels->width, labels->height, c->unit, labels->count,
                                      &s.sums[i], error);
    if (!status)
        status = for_rows(context, &s, error);
    const lg_tiling parts = {
        .height = labels->count, .bands = (int64_t)s.jobs, .run = merge_sums, .job = &s};
    if (!status)
        status = lg_tiling_run(context->pool, &parts, error);
    if (!status)
        lg_label_sums_move(&s.sums[0], c);
    c->count = labels->count;
    if (!status && task->shape) {
        c->shape = lg_alloc_array(labels->count, sizeof *c->shape);
        status = c->shape ? lg_label_shape(context, labels, labels->count, task->connectivity,
                                           c->shape, error)
                          : lg_fail_memory(error, labels->count * sizeof *c->shape, "shapes");
    }
    for (size_t i = 0; i < s.jobs && s.sums; i++)
        lg_label_sums_destroy(&s.sums[i]);
    lg_free(s.sums);
    lg_free(s.above);
    lg_free(s.runs);
    return status;
}

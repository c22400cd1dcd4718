#include "filter/native/separable/separable.h"
#include "device/spill.h"
#include "filter/native/planes.h"

LG_CPU_DECLARE(lg_separable_table, separable);

#define STRIP_BYTES (128 << 10) // of a strip's state: half of a second-level cache
#define STRIP_LEAST 128         // pixels, where there are more workers than strips
#define SLAB_BYTES  (2 << 20)   // of a worker: it is in their second-level caches, all together
// Of all strips together; above it, columns are done one strip after the other for the whole height.
#define STATE_BYTES (64 << 20)

typedef struct separable_run {
    const lg_separable_table *table;
    lg_separable_job job;
} separable_run;

static lg_status run_strip(void *arg, const lg_tile *t)
{
    const separable_run *r = arg;
    const lg_separable_job *j = &r->job;
    const size_t owner = j->kept ? t->index : (size_t)t->worker;
    r->table->columns(j, (int32_t)t->index, j->state + owner * j->state_floats,
                      (float *)(void *)t->scratch);
    return LG_OK;
}

static lg_status run_row(void *arg, const lg_tile *t)
{
    const separable_run *r = arg;
    r->table->row(&r->job, r->job.first + (int32_t)t->y, (float *)(void *)t->scratch);
    return LG_OK;
}

static lg_status run_layer(separable_run *r, lg_pool *pool, lg_error *error)
{
    lg_separable_job *j = &r->job;
    lg_tiling columns = {.width = j->in.width,
                         .strip = j->strip,
                         .scratch = j->scratch_floats * sizeof(float),
                         .memory = (char *)j->scratch,
                         .run = run_strip,
                         .job = r};
    lg_tiling rows = columns;
    rows.strip = 0;
    rows.band = 1;
    rows.run = run_row;
    lg_status status = LG_OK;
    for (j->first = 0; j->first < j->in.height && !status; j->first += j->rows) {
        j->rows = LG_MIN(j->slab_rows, j->in.height - j->first);
        columns.height = rows.height = j->rows;
        status = lg_tiling_run(pool, &columns, error);
        if (!status)
            status = lg_tiling_run(pool, &rows, error);
    }
    return status;
}

// Whether samples can be used as they lie in memory.
static bool is_direct(const lg_pixels *in, const lg_pixels *out)
{
    return in->type == LG_F32 && out->type == LG_F32 && in->channels == out->channels &&
           in->channels != 2 && !lg_pixels_have_alpha(in) && in->alpha == out->alpha;
}

static void choose(lg_separable_job *j, int workers)
{
    j->direct = is_direct(&j->in, &j->out);
    j->planes = j->direct ? 1 : lg_plane_count(&j->in);
    j->step = j->direct ? j->in.channels : 1;
    const size_t pixel = (size_t)(j->planes * j->step) * sizeof(float);
    const size_t width = (size_t)j->in.width, rows = j->filter->state_rows + 1;
    const size_t fits = STRIP_BYTES / (rows * pixel) / 16 * 16;
    j->strip = (int32_t)LG_MIN(LG_MAX(fits, 16), (size_t)LG_SPAN);
    const size_t even = lg_align_up(width / (size_t)workers, 16); // one for each worker
    j->strip = (int32_t)LG_MIN((size_t)j->strip, LG_MAX(even, STRIP_LEAST));
    j->strips = (int32_t)((width + (size_t)j->strip - 1) / (size_t)j->strip);
    j->pitch = (size_t)(j->strip * j->planes * j->step);
    j->state_floats = j->filter->state_rows * j->pitch;
    j->kept = (double)j->state_floats * j->strips * sizeof(float) <= STATE_BYTES;
    const size_t slab =
        (size_t)SLAB_BYTES * (size_t)workers / (j->pitch * (size_t)j->strips * sizeof(float));
    j->slab_rows = j->in.height;
    if (j->kept && slab < (size_t)j->in.height)
        j->slab_rows = (int32_t)LG_MAX(slab, 16);
    // A padded line, the room of two more and the results; or the planes of a strip.
    j->line_floats =
        lg_align_up((width + (size_t)lg_window_size(j->filter->along) - 1) * (size_t)j->step +
                        LG_SEPARABLE_SLACK,
                    16);
    j->result_floats = lg_align_up(width * (size_t)j->step, 16);
    j->scratch_floats = LG_MAX(3 * j->line_floats + (size_t)j->planes * j->result_floats, j->pitch);
}

lg_status lg_separable_run(const lg_native_call *call, const lg_separable *filter)
{
    lg_pool *pool = call->context->pool;
    const int workers = lg_pool_threads(pool);
    separable_run r = {.table = LG_CPU_SELECT(separable, call->context->cpu_level)};
    lg_separable_job *j = &r.job;
    j->filter = filter;
    j->in = lg_layer_pixels(call->in[0], 0);
    j->out = lg_layer_pixels(call->out, 0);
    choose(j, workers);
    const size_t states = j->kept ? (size_t)j->strips : (size_t)workers;
    const size_t sizes[3] = {j->pitch * (size_t)j->strips * (size_t)j->slab_rows,
                             states * j->state_floats, (size_t)workers * j->scratch_floats};
    float **const memory[3] = {&j->columns, &j->state, &j->scratch};
    lg_status status = LG_OK;
    void *blocks[3] = {NULL, NULL, NULL};
    for (int i = 0; i < 3 && !status; i++) {
        status = lg_block_take(call->context, sizes[i] * sizeof(float), "the planes of a filter",
                               &blocks[i], call->error);
        *memory[i] = blocks[i];
    }
    for (int32_t z = 0; z < call->out->shape.layers && !status; z++) {
        j->in = lg_layer_pixels(call->in[0], z);
        j->out = lg_layer_pixels(call->out, z);
        status = run_layer(&r, pool, call->error);
    }
    for (int i = 0; i < 3; i++)
        lg_block_give(call->context, blocks[i]);
    return status;
}

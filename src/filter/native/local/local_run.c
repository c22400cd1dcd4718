// Local figures on the CPU: bands of rows, each with the sums of the columns that its windows have in common.
#include "cpu/cpu.h"
#include "filter/native/local/local.h"
#include "filter/native/tiles.h"

LG_CPU_DECLARE(lg_local_table, local);

typedef struct run {
    const lg_native_call *call;
    const lg_local_table *table;
    lg_local local;
    float unit, scale;
    int32_t bands;
    size_t samples; // of a row
    uint32_t *largest;
    char *memory; // of all workers
    size_t worker_size;
} run;

// What a worker has.
typedef struct workplace {
    int32_t *come, *go;
    void *columns[2], *sums[2]; // and those of squares
    float *scratch;
} workplace;

static size_t line_bytes(const run *r)
{
    // Sums of 64 bits, a pixel more than the row has.
    return lg_align_up((r->samples + 4) * sizeof(uint64_t), 64);
}

static workplace workplace_of(const run *r, int worker)
{
    const size_t line = line_bytes(r);
    char *at = r->memory + (size_t)worker * r->worker_size;
    workplace w = {.come = (int32_t *)(void *)at, .go = (int32_t *)(void *)(at + line)};
    const bool squares = lg_local_has_squares(&r->local);
    for (int i = 0; i < 2; i++) {
        w.columns[i] = i && !squares ? NULL : at + (size_t)(2 + i) * line;
        w.sums[i] = i && !squares ? NULL : at + (size_t)(4 + i) * line;
    }
    w.scratch = (float *)(void *)(at + 6 * line);
    return w;
}

static lg_status reserve(run *r)
{
    const size_t threads = (size_t)lg_pool_threads(r->call->context->pool);
    r->worker_size = 6 * line_bytes(r) + LG_LOCAL_SCRATCH * sizeof(float);
    r->memory = lg_alloc_uninit(threads * r->worker_size);
    r->largest = lg_alloc_array(threads, sizeof *r->largest);
    return r->memory && r->largest ? LG_OK
                                   : lg_fail_memory(r->call->error, threads * r->worker_size,
                                                    "the sums of local windows");
}

// ---- units --------------------------------------------------------------------------------------

static void look_at_row(void *arg, size_t index, int worker)
{
    const run *r = arg;
    const lg_image *in = r->call->in[0];
    const lg_pixels layer = lg_layer_pixels(in, (int32_t)(index / (size_t)in->shape.height));
    const uint32_t most =
        r->table->look(&r->local, &layer, (int64_t)(index % (size_t)in->shape.height),
                       workplace_of(r, worker).scratch);
    r->largest[worker] = LG_MAX(r->largest[worker], most);
}

static void find_unit(run *r)
{
    const lg_image_params *s = &r->call->in[0]->shape;
    lg_pool *pool = r->call->context->pool;
    int exponent = 1;
    r->unit = r->local.unit;
    if (r->local.samples != LG_LOCAL_UNITS)
        return;
    if (r->local.measured) {
        uint32_t largest = 0;
        lg_pool_run(pool, (size_t)s->height * (size_t)s->layers, look_at_row, r);
        for (int i = 0; i < lg_pool_threads(pool); i++)
            largest = LG_MAX(largest, r->largest[i]);
        exponent = local_exponent(largest);
    }
    r->unit = local_power(exponent - r->local.bits);
    r->scale = local_power(r->local.bits - exponent);
}

// ---- windows that are all alike -------------------------------------------------------------------

// Columns of the windows around row y, from those around row y - 1.
static bool move_down(const run *r, const workplace *w, const lg_pixels *in, int32_t y)
{
    const lg_local *l = &r->local;
    const int64_t come = (int64_t)y + l->radius_y, go = (int64_t)y - l->radius_y - 1;
    const bool comes = come < in->height, goes = go >= 0;
    if (comes)
        r->table->load(l, in, come, r->scale, w->come, w->scratch);
    if (goes)
        r->table->load(l, in, go, r->scale, w->go, w->scratch);
    if (comes || goes)
        r->table->move(l->narrow, r->samples, comes ? w->come : NULL, goes ? w->go : NULL,
                       w->columns[0], w->columns[1]);
    return comes || goes;
}

static void begin_band(const run *r, const workplace *w, const lg_pixels *in, int32_t y)
{
    const lg_local *l = &r->local;
    for (int i = 0; i < 2 && w->columns[i]; i++)
        memset(w->columns[i], 0, line_bytes(r));
    for (int32_t k = LG_MAX(y - l->radius_y, 0); k <= LG_MIN(y + l->radius_y, in->height - 1);
         k++) {
        r->table->load(l, in, k, r->scale, w->come, w->scratch);
        r->table->move(l->narrow, r->samples, w->come, NULL, w->columns[0], w->columns[1]);
    }
}

static void run_band(void *arg, size_t index, int worker)
{
    const run *r = arg;
    const lg_local *l = &r->local;
    const workplace w = workplace_of(r, worker);
    const int32_t z = (int32_t)(index / (size_t)r->bands);
    const int64_t band = (int64_t)(index % (size_t)r->bands);
    lg_local_row job = {.local = l,
                        .in = lg_layer_pixels(r->call->in[0], z),
                        .out = lg_layer_pixels(r->call->out, z),
                        .sums = w.sums[0],
                        .squares = w.sums[1],
                        .own = w.come,
                        .unit = r->unit,
                        .scale = r->scale};
    const int32_t height = job.in.height;
    const int32_t first = (int32_t)(band * height / r->bands);
    const int32_t end = (int32_t)((band + 1) * height / r->bands);
    for (int32_t y = first; y < end; y++) {
        bool moved = y == first;
        if (moved)
            begin_band(r, &w, &job.in, y);
        else
            moved = move_down(r, &w, &job.in, y);
        for (int i = 0; i < 2 && w.sums[i] && moved; i++)
            r->table->along(l->narrow, l->channels, r->samples, w.columns[i], w.sums[i]);
        if (lg_local_is_threshold(l))
            r->table->load(l, &job.in, y, r->scale, w.come, w.scratch);
        job.y = y;
        job.rows = LG_MIN(y + l->radius_y, height - 1) - LG_MAX(y - l->radius_y, 0) + 1;
        r->table->row(&job, w.scratch);
    }
}

lg_status lg_local_cpu(const lg_native_call *call, lg_local_figure figure, lg_local_windows windows)
{
    const lg_image_params *s = &call->in[0]->shape;
    lg_pool *pool = call->context->pool;
    run r = {.call = call,
             .table = LG_CPU_SELECT(local, call->context->cpu_level),
             .local = lg_local_of(call->filter, call->values, figure, windows, s)};
    r.samples = (size_t)s->width * (size_t)r.local.channels;
    // A band begins with the rows of its first window.
    r.bands = LG_MIN(lg_pool_threads(pool), s->height);
    lg_status status = reserve(&r);
    if (!status) {
        find_unit(&r);
        lg_pool_run(pool, (size_t)r.bands * (size_t)s->layers, run_band, &r);
    }
    lg_free(r.memory);
    lg_free(r.largest);
    return status;
}

// Local figures on the CPU: bands of rows, each with the sums of the columns that its windows have in common.
#include "cpu/cpu.h"
#include "device/spill.h"
#include "filter/native/local/local.h"
#include "filter/native/tiles.h"

LG_CPU_DECLARE(lg_local_table, local);

typedef struct run {
    const lg_native_call *call;
    const lg_local_table *table;
    lg_local_stats local;
    float unit, scale;
    size_t samples; // of a row
    uint32_t *largest;
    char *memory; // of all workers
    size_t worker_size;
    // Windows of their own: the table of a band of rows, and what is above its parts.
    lg_local_sums sums;
    int32_t z, first, end, from, to, parts;
    char *above;
} run;

// What a worker has.
typedef struct workplace {
    int32_t *row_in, *row_out;
    void *columns[2], *sums[2]; // and those of squares
    uint32_t *pixels;
    float *inverse;
    float *scratch;
} workplace;

static size_t line_bytes(const run *r)
{
    // Sums of 64 bits, a pixel more than the row has.
    return lg_align_up((r->samples + 4) * sizeof(uint64_t), 64);
}

static workplace workplace_of(const run *r, char *at)
{
    const size_t line = line_bytes(r);
    workplace w = {.row_in = (int32_t *)(void *)at, .row_out = (int32_t *)(void *)(at + line)};
    const bool squares = lg_local_has_squares(&r->local);
    for (int i = 0; i < 2; i++) {
        w.columns[i] = i && !squares ? NULL : at + (size_t)(2 + i) * line;
        w.sums[i] = i && !squares ? NULL : at + (size_t)(4 + i) * line;
    }
    w.pixels = (uint32_t *)(void *)(at + 6 * line);
    w.inverse = (float *)(void *)(at + 7 * line);
    w.scratch = (float *)(void *)(at + 8 * line);
    return w;
}

static lg_status reserve(run *r)
{
    const lg_pool *pool = r->call->context->pool;
    const size_t threads = (size_t)lg_pool_threads(pool);
    r->worker_size = 8 * line_bytes(r) + LG_LOCAL_SCRATCH * sizeof(float);
    const size_t bytes = lg_tiling_memory(pool, r->worker_size);
    r->memory = lg_alloc_uninit(bytes);
    r->largest = lg_alloc_array(threads, sizeof *r->largest);
    return r->memory && r->largest
               ? LG_OK
               : lg_fail_memory(r->call->error, bytes, "the sums of local windows");
}

// Runs tiles of rows of `layers` layers; how they are cut is in `tiling`.
static lg_status run_tiles(run *r, lg_tiling tiling, lg_tile_fn *tile)
{
    tiling.scratch = r->worker_size;
    tiling.memory = r->memory;
    tiling.run = tile;
    tiling.job = r;
    return lg_tiling_run(r->call->context->pool, &tiling, r->call->error);
}

// ---- units --------------------------------------------------------------------------------------

static lg_status find_max(void *arg, const lg_tile *t)
{
    const run *r = arg;
    const lg_pixels layer = lg_layer_pixels(r->call->in[0], t->layer);
    const uint32_t max =
        r->table->find_max(&r->local, &layer, t->y, workplace_of(r, t->scratch).scratch);
    r->largest[t->worker] = LG_MAX(r->largest[t->worker], max);
    return LG_OK;
}

static lg_status find_unit(run *r)
{
    const lg_image_params *s = &r->call->in[0]->shape;
    lg_pool *pool = r->call->context->pool;
    int exponent = 1;
    r->unit = r->local.unit;
    if (r->local.samples != LG_LOCAL_UNITS)
        return LG_OK;
    if (r->local.measured) {
        uint32_t largest = 0;
        const lg_status status = run_tiles(
            r, (lg_tiling){.height = s->height, .layers = s->layers, .band = 1}, find_max);
        if (status)
            return status;
        for (int i = 0; i < lg_pool_threads(pool); i++)
            largest = LG_MAX(largest, r->largest[i]);
        exponent = local_exponent(largest);
    }
    r->unit = local_power(exponent - r->local.bits);
    r->scale = local_power(r->local.bits - exponent);
    return LG_OK;
}

// ---- windows that are all alike -------------------------------------------------------------------

// Columns of the windows around row y, from those around row y - 1.
static bool move_down(const run *r, const workplace *w, const lg_pixels *in, int32_t y)
{
    const lg_local_stats *l = &r->local;
    const int64_t row_in = (int64_t)y + l->radius_y, row_out = (int64_t)y - l->radius_y - 1;
    const bool comes = row_in < in->height, goes = row_out >= 0;
    if (comes)
        r->table->load(l, in, row_in, r->scale, w->row_in, w->scratch);
    if (goes)
        r->table->load(l, in, row_out, r->scale, w->row_out, w->scratch);
    if (comes || goes)
        r->table->move(l->narrow, r->samples, comes ? w->row_in : NULL, goes ? w->row_out : NULL,
                       w->columns[0], w->columns[1]);
    return comes || goes;
}

static void begin_band(const run *r, const workplace *w, const lg_pixels *in, int32_t y)
{
    const lg_local_stats *l = &r->local;
    for (int i = 0; i < 2 && w->columns[i]; i++)
        memset(w->columns[i], 0, line_bytes(r));
    for (int32_t k = LG_MAX(y - l->radius_y, 0); k <= LG_MIN(y + l->radius_y, in->height - 1);
         k++) {
        r->table->load(l, in, k, r->scale, w->row_in, w->scratch);
        r->table->move(l->narrow, r->samples, w->row_in, NULL, w->columns[0], w->columns[1]);
    }
}

static lg_status run_band(void *arg, const lg_tile *t)
{
    const run *r = arg;
    const lg_local_stats *l = &r->local;
    const workplace w = workplace_of(r, t->scratch);
    lg_local_row job = {.local = l,
                        .in = lg_layer_pixels(r->call->in[0], t->layer),
                        .out = lg_layer_pixels(r->call->out, t->layer),
                        .sums = w.sums[0],
                        .squares = w.sums[1],
                        .pixels = w.pixels,
                        .inverse = w.inverse,
                        .own = w.row_in,
                        .unit = r->unit,
                        .scale = r->scale};
    const int32_t height = job.in.height, first = (int32_t)t->y;
    for (int32_t y = first; y < t->y_end; y++) {
        bool moved = y == first;
        if (moved)
            begin_band(r, &w, &job.in, y);
        else
            moved = move_down(r, &w, &job.in, y);
        for (int i = 0; i < 2 && w.sums[i] && moved; i++)
            r->table->along(l->narrow, l->channels, r->samples, w.columns[i], w.sums[i]);
        if (lg_local_is_threshold(l))
            r->table->load(l, &job.in, y, r->scale, w.row_in, w.scratch);
        job.y = y;
        const int32_t rows = LG_MIN(y + l->radius_y, height - 1) - LG_MAX(y - l->radius_y, 0) + 1;
        if (rows != job.rows)
            r->table->sizes(l, job.in.width, rows, w.pixels, w.inverse);
        job.rows = rows;
        r->table->row(&job, w.scratch);
    }
    return LG_OK;
}

// ---- windows of their own -------------------------------------------------------------------------

#define GATHERED    8                    // rows of a job
#define TABLE_BYTES ((uint64_t)16 << 20) // most of which the last cache may hold

static lg_status sum_band(void *arg, const lg_tile *t)
{
    const run *r = arg;
    const workplace w = workplace_of(r, t->scratch);
    const lg_pixels in = lg_layer_pixels(r->call->in[0], r->z);
    void *sums = r->above + (t->index + 1) * line_bytes(r);
    // What the last part adds up to stands above none.
    if (t->index + 1 == (size_t)r->parts)
        return LG_OK;
    memset(sums, 0, line_bytes(r));
    for (int64_t y = r->from + t->y; y < r->from + t->y_end; y++) {
        r->table->load(&r->local, &in, y, r->scale, w.row_in, w.scratch);
        r->table->move(r->local.narrow, r->samples, w.row_in, NULL, sums, NULL);
    }
    return LG_OK;
}

// From the sums of columns of a part to those of all parts above the next one.
static void carry_bands(const run *r)
{
    memset(r->above, 0, line_bytes(r));
    for (int32_t i = 1; i < r->parts; i++) {
        const char *before = r->above + (size_t)(i - 1) * line_bytes(r);
        char *sums = r->above + (size_t)i * line_bytes(r);
        for (size_t k = 0; k < r->samples; k++)
            if (r->local.narrow)
                ((uint32_t *)(void *)sums)[k] += ((const uint32_t *)(const void *)before)[k];
            else
                ((uint64_t *)(void *)sums)[k] += ((const uint64_t *)(const void *)before)[k];
    }
}

static lg_status write_band(void *arg, const lg_tile *t)
{
    const run *r = arg;
    const workplace w = workplace_of(r, t->scratch);
    const lg_pixels in = lg_layer_pixels(r->call->in[0], r->z);
    void *columns = r->above + t->index * line_bytes(r);
    for (int64_t y = t->y; y < t->y_end; y++) {
        r->table->load(&r->local, &in, r->from + y, r->scale, w.row_in, w.scratch);
        r->table->move(r->local.narrow, r->samples, w.row_in, NULL, columns, NULL);
        r->table->along(r->local.narrow, r->local.channels, r->samples, columns,
                        r->sums.data + (size_t)(y + 1) * r->sums.stride);
    }
    return LG_OK;
}

static lg_status gather_rows(void *arg, const lg_tile *t)
{
    const run *r = arg;
    const lg_image *over = r->call->in[1];
    const lg_pixels windows = lg_layer_pixels(over, over->shape.layers == 1 ? 0 : r->z);
    lg_local_row job = {.local = &r->local,
                        .in = lg_layer_pixels(r->call->in[0], r->z),
                        .out = lg_layer_pixels(r->call->out, r->z),
                        .unit = r->unit};
    for (job.y = r->first + (int32_t)t->y; job.y < r->first + t->y_end; job.y++)
        r->table->gather(&job, &windows, &r->sums, workplace_of(r, t->scratch).scratch);
    return LG_OK;
}

static lg_status run_gathered(run *r)
{
    r->sums.first = r->from;
    r->parts = LG_MIN(lg_pool_threads(r->call->context->pool), r->to - r->from);
    memset(r->sums.data, 0, r->sums.stride);
    const lg_tiling parts = {.height = r->to - r->from, .bands = r->parts};
    lg_status status = r->parts > 1 ? run_tiles(r, parts, sum_band) : LG_OK;
    if (status)
        return status;
    carry_bands(r);
    status = run_tiles(r, parts, write_band);
    return status ? status
                  : run_tiles(r, (lg_tiling){.height = r->end - r->first, .band = GATHERED},
                              gather_rows);
}

static lg_status reserve_sums(run *r, int32_t band)
{
    const lg_image_params *s = &r->call->in[0]->shape;
    const int64_t rows = LG_MIN((int64_t)band + 2 * (int64_t)r->local.radius_y, s->height) + 1;
    const size_t parts = (size_t)lg_pool_threads(r->call->context->pool) + 1;
    size_t bytes;
    r->sums.stride =
        lg_align_up((r->samples + (size_t)r->local.channels) * lg_local_word(&r->local), 64);
    static const char *const what = "a summed-area table";
    void *sums = NULL;
    if (!lg_size_mul(r->sums.stride, (size_t)rows, &bytes))
        return lg_fail_memory(r->call->error, (size_t)rows * r->sums.stride, what);
    const lg_status status = lg_block_take(r->call->context, bytes, what, &sums, r->call->error);
    if (status)
        return status;
    r->sums.data = sums;
    r->above = lg_alloc_uninit(parts * line_bytes(r));
    return r->above ? LG_OK
                    : lg_fail_memory(r->call->error, parts * line_bytes(r), "sums of columns");
}

static lg_status gather_all(run *r)
{
    const lg_image_params *s = &r->call->in[0]->shape;
    const int32_t band = lg_local_band(&r->local, s, 1, TABLE_BYTES);
    lg_status status = reserve_sums(r, band);
    for (r->z = 0; r->z < s->layers && !status; r->z++)
        for (int32_t first = 0; first < s->height && !status; first += band) {
            r->first = first;
            r->end = LG_MIN(s->height - first, band) + first;
            lg_local_reach(&r->local, s->height, r->first, r->end, &r->from, &r->to);
            status = run_gathered(r);
        }
    lg_block_give(r->call->context, r->sums.data);
    lg_free(r->above);
    return status;
}

// ---- all ----------------------------------------------------------------------------------------

lg_status lg_local_cpu(const lg_native_call *call, lg_local_figure figure, lg_local_windows windows)
{
    const lg_image_params *s = &call->in[0]->shape;
    run r = {.call = call,
             .table = LG_CPU_SELECT(local, call->context->cpu_level),
             .local = lg_local_of(call->filter, call->values, figure, windows, s)};
    r.samples = (size_t)s->width * (size_t)r.local.channels;
    lg_status status = reserve(&r);
    if (!status)
        status = find_unit(&r);
    // A band begins with the rows of its first window.
    const lg_tiling bands = {
        .height = s->height, .layers = s->layers, .bands = lg_pool_threads(call->context->pool)};
    if (!status && windows == LG_LOCAL_CONSTANT)
        status = run_tiles(&r, bands, run_band);
    else if (!status)
        status = gather_all(&r);
    lg_free(r.memory);
    lg_free(r.largest);
    return status;
}

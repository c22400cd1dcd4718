#include "engine/tile.h"

#include <stdatomic.h>

#define NO_FAILURE UINT64_MAX

typedef struct tiling_run {
    const lg_tiling *tiling;
    size_t strips, bands;
    size_t count;  // of all layers
    size_t stride; // bytes from one worker's scratch to the next
    char *memory;
    lg_pool *pool;
    _Atomic uint64_t failed; // index and status of the first tile that failed
} tiling_run;

static size_t stride_of(size_t scratch)
{
    return lg_align_up(scratch, 64);
}

size_t lg_tiling_memory(const lg_pool *pool, size_t scratch)
{
    return stride_of(scratch) * (size_t)lg_pool_threads(pool);
}

static size_t tiles_of(int64_t size, int64_t tile)
{
    return tile > 0 ? (size_t)((size + tile - 1) / tile) : 1;
}

static lg_tile find_tile(const tiling_run *r, size_t index, int worker)
{
    const lg_tiling *t = r->tiling;
    const size_t in_layer = r->strips * r->bands;
    const int64_t width = LG_MAX(t->width, 1), strip = t->strip > 0 ? t->strip : width;
    const int64_t band = (int64_t)(index % in_layer / r->strips);
    lg_tile tile = {.index = index,
                    .layer = (int32_t)(index / in_layer),
                    .x = (int64_t)(index % r->strips) * strip,
                    .worker = worker,
                    .scratch = r->memory ? r->memory + (size_t)worker * r->stride : NULL};
    tile.x_end = LG_MIN(tile.x + strip, width);
    if (t->bands > 0) {
        tile.y = band * t->height / (int64_t)r->bands;
        tile.y_end = (band + 1) * t->height / (int64_t)r->bands;
    } else {
        tile.y = band * t->band;
        tile.y_end = t->band > 0 ? LG_MIN(tile.y + t->band, t->height) : t->height;
    }
    tile.from = LG_MAX(tile.y - t->halo, 0);
    tile.to = LG_MIN(tile.y_end + t->halo, t->height);
    return tile;
}

// A failure is an index and, in the low byte, a status: the least one stands for the run.
static void run_tile(void *arg, size_t index, int worker)
{
    tiling_run *r = arg;
    uint64_t first = atomic_load_explicit(&r->failed, memory_order_relaxed);
    if (index > first >> 8)
        return;
    const lg_tile tile = find_tile(r, index, worker);
    lg_status status = r->tiling->run(r->tiling->job, &tile);
    if (!status && worker == 0 && !r->tiling->in_place)
        status = lg_pool_report(r->pool, (double)(index + 1) / (double)r->count, NULL);
    if (!status)
        return;
    const uint64_t mine = (uint64_t)index << 8 | (uint64_t)status;
    while (mine < first && !atomic_compare_exchange_weak(&r->failed, &first, mine))
        ;
}

lg_status lg_tiling_run(lg_pool *pool, const lg_tiling *tiling, lg_error *error)
{
    tiling_run r = {.tiling = tiling,
                    .strips = tiles_of(LG_MAX(tiling->width, 1), tiling->strip),
                    .bands = tiling->bands > 0
                                 ? (size_t)LG_MIN(tiling->bands, LG_MAX(tiling->height, 1))
                                 : tiles_of(tiling->height, tiling->band),
                    .stride = stride_of(tiling->scratch),
                    .memory = tiling->memory,
                    .pool = pool,
                    .failed = NO_FAILURE};
    r.count = r.strips * r.bands * (size_t)LG_MAX(tiling->layers, 1);
    const size_t bytes = lg_tiling_memory(pool, tiling->scratch);
    const bool own = bytes && !r.memory;
    if (own && !(r.memory = lg_alloc_uninit(bytes)))
        return lg_fail_memory(error, bytes, tiling->what);
    if (tiling->height > 0)
        lg_pool_run(pool, r.count, run_tile, &r);
    if (own)
        lg_free(r.memory);
    const lg_status status = r.failed == NO_FAILURE ? LG_OK : (lg_status)(r.failed & 0xff);
    return status == LG_ERROR_CANCELLED ? lg_fail_cancelled(error) : status;
}

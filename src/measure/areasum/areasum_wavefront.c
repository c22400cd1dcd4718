// Summed-area tables by a wavefront: each thread goes along a group of rows, a tile of columns at a time, as
// soon as the group above has left the tile and with it the sums of its columns. Every sample is read once.
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "device/spill.h"
#include "measure/areasum/areasum_table.h"

#define GROUP_MOST 32  // rows
#define TILE_UNIT  512 // elements: stores past the caches like long runs that end where a page does
#define TILE_SMALL 8192 // of files: their pages are let go of between tiles
#define SPINS      512  // looks at what is waited for until other threads may have the processor

typedef struct progress {
    _Atomic size_t columns; // of a group, that are done
    char apart[64 - sizeof(size_t)];
} progress;

typedef struct wavefront {
    const lg_area_build *b;
    size_t tile, group; // elements, rows
    size_t groups;      // of a slice
    _Atomic size_t next;
    progress *done; // of each group of all slices
    lg_pool *pool;
    _Atomic bool cancelled; // what is left is passed over
} wavefront;

static void wait_for(const progress *p, size_t columns)
{
    int left = SPINS;
    while (atomic_load_explicit(&p->columns, memory_order_acquire) < columns) {
        if (left == 0) {
            sched_yield();
            continue;
        }
        left--;
#ifdef __x86_64__
        __builtin_ia32_pause();
#endif
    }
}

static void write_tile(const wavefront *w, size_t index, size_t first,
                       uint64_t (*carry)[LG_AREA_CARRIES], int worker)
{
    const lg_area_build *b = w->b;
    const size_t slice = index / w->groups, top = index % w->groups * w->group,
                 bottom = LG_MIN(top + w->group, b->rows);
    if (lg_area_worker_is_above(b, worker) || atomic_load(&w->cancelled))
        return; // it is built again, or not wanted any more
    for (size_t y = top; y < bottom; y += LG_AREA_ROWS) {
        const lg_area_tile tile = {.line = slice * b->rows + y,
                                   .count = LG_MIN((size_t)LG_AREA_ROWS, bottom - y),
                                   .first = first,
                                   .end = LG_MIN(first + w->tile, (size_t)b->a->shape.extent[0]),
                                   .last = lg_area_ends_block(y),
                                   .sums = b->sums,
                                   .carry = carry[(y - top) / LG_AREA_ROWS]};
        lg_area_write_tile(b, &tile, worker);
    }
}

// From the first row of a slice on nothing is above.
static void clear_sums(const wavefront *w, size_t first, size_t end)
{
    const lg_area_build *b = w->b;
    const size_t pixel = (size_t)b->a->shape.channels * b->word;
    memset(b->sums + first * pixel, 0, (end - first) * pixel);
    if (lg_area_is_plain(b->source))
        memset(b->sums + b->row * b->word + first * pixel, 0, (end - first) * pixel);
}

static void write_groups(void *arg, size_t job, int worker)
{
    wavefront *w = arg;
    const size_t columns = (size_t)w->b->a->shape.extent[0], all = w->groups * w->b->slices;
    (void)job;
    for (;;) {
        // In their order: the one above is somebody's, or done.
        const size_t index = atomic_fetch_add_explicit(&w->next, 1, memory_order_relaxed);
        if (index >= all)
            break;
        uint64_t carry[GROUP_MOST / LG_AREA_ROWS][LG_AREA_CARRIES] = {0};
        for (size_t first = 0; first < columns; first += w->tile) {
            const size_t end = LG_MIN(first + w->tile, columns);
            if (index > 0)
                wait_for(&w->done[index - 1], end);
            if (index % w->groups == 0)
                clear_sums(w, first, end);
            write_tile(w, index, first, carry, worker);
            lg_context_relieve(w->b->context);
            atomic_store_explicit(&w->done[index].columns, end, memory_order_release);
        }
        if (worker == 0 && !atomic_load(&w->cancelled) &&
            lg_pool_report(w->pool, (double)(index + 1) / (double)all, NULL))
            atomic_store(&w->cancelled, true);
    }
    w->b->block->stream_end();
}

bool lg_area_choose_wavefront(const lg_context *context, const lg_areasum *a)
{
    const size_t threads = (size_t)lg_pool_threads(context->pool);
    return threads > 1 && lg_area_slices_of(a) < threads && lg_area_rows_of(a) > LG_AREA_ROWS;
}

size_t lg_area_wavefront_scratch(const lg_context *context, const lg_areasum *a)
{
    if (!lg_area_choose_wavefront(context, a))
        return 0;
    const size_t groups = (lg_area_rows_of(a) + LG_AREA_ROWS - 1) / LG_AREA_ROWS;
    return lg_area_sums_size(a) + groups * lg_area_slices_of(a) * sizeof(progress);
}

lg_status lg_area_write_wavefront(lg_context *context, const lg_area_build *b, lg_error *error)
{
    const size_t threads = (size_t)lg_pool_threads(context->pool),
                 columns = (size_t)b->a->shape.extent[0];
    wavefront w = {.b = b,
                   .pool = context->pool,
                   .done = (progress *)(void *)(b->sums + lg_area_sums_size(b->a))};
    const size_t even = columns / (threads + 1);
    w.tile = LG_MAX(lg_align_up(even, even > 2 * TILE_UNIT ? TILE_UNIT : LG_AREA_PART_UNIT),
                    (size_t)LG_AREA_PART_UNIT);
    if (lg_blocks_are_mapped(context))
        w.tile = LG_MIN(w.tile, (size_t)TILE_SMALL);
    w.group = lg_align_up(b->rows / (4 * threads), LG_AREA_ROWS);
    w.group = LG_MIN(LG_MAX(w.group, (size_t)LG_AREA_ROWS), (size_t)GROUP_MOST);
    w.groups = (b->rows + w.group - 1) / w.group;
    memset(w.done, 0, w.groups * b->slices * sizeof *w.done);
    // No more at once than there are tiles.
    lg_pool_run(context->pool, LG_MIN(threads, (columns + w.tile - 1) / w.tile), write_groups, &w);
    return w.cancelled ? lg_fail_cancelled(error) : LG_OK;
}

// The driver of tiles: every place of a grid is in one tile, tiles say where they are, and a failure is
// that of the first tile, whatever the threads do.
#include "engine/tile.h"

#include "support/check.h"

#include <string.h>

enum { SIDE = 64, TILES = 4096 };

typedef struct record {
    const lg_tiling *tiling;
    uint8_t times[3][SIDE][SIDE]; // that a place was in a tile
    int64_t rows[TILES][2];       // of each tile
    size_t seen;                  // tiles
    size_t wrong;                 // tiles that are not as they should be
    size_t refused[3];            // tiles that fail
    uint8_t done[TILES];
} record;

static void count(size_t *counter)
{
    __atomic_add_fetch(counter, 1, __ATOMIC_RELAXED);
}

static lg_status look(void *arg, const lg_tile *t)
{
    record *r = arg;
    const lg_tiling *tiling = r->tiling;
    for (int64_t y = t->y; y < t->y_end; y++)
        for (int64_t x = t->x; x < t->x_end; x++)
            __atomic_add_fetch(&r->times[t->layer][y][x], 1, __ATOMIC_RELAXED);
    int64_t from = t->y, to = t->y_end;
    for (int64_t i = 0; i < tiling->halo; i++) {
        from -= from > 0;
        to += to < tiling->height;
    }
    if (t->from != from || t->to != to || t->y >= t->y_end || t->x >= t->x_end)
        count(&r->wrong);
    if (tiling->scratch && (!t->scratch || (uintptr_t)t->scratch % 64))
        count(&r->wrong);
    if (tiling->scratch)
        memset(t->scratch, t->worker, tiling->scratch);
    r->rows[t->index][0] = t->y;
    r->rows[t->index][1] = t->y_end;
    count(&r->seen);
    return LG_OK;
}

static void test_grid(lg_pool *pool, const lg_tiling *wanted)
{
    static record r;
    lg_tiling t = *wanted;
    lg_error error = {LG_OK, ""};
    memset(&r, 0, sizeof r);
    r.tiling = &t;
    t.run = look;
    t.job = &r;
    const lg_status status = lg_tiling_run(pool, &t, &error);
    CHECK(status == LG_OK && r.wrong == 0, "%d, %zu tiles wrong", (int)status, r.wrong);
    size_t missed = 0;
    for (int z = 0; z < 3; z++)
        for (int y = 0; y < SIDE; y++)
            for (int x = 0; x < SIDE; x++) {
                const bool inside =
                    z < LG_MAX(t.layers, 1) && y < t.height && x < LG_MAX(t.width, 1);
                missed += r.times[z][y][x] != inside;
            }
    CHECK(missed == 0, "%zu places of %d x %d x %d", missed, (int)t.width, (int)t.height,
          (int)t.layers);
    for (size_t i = 0; t.bands > 0 && i < r.seen; i++) {
        const int64_t rows = r.rows[i][1] - r.rows[i][0], bands = LG_MIN(t.bands, t.height);
        CHECK(rows == t.height / bands || rows == t.height / bands + 1, "%d rows", (int)rows);
    }
}

static void test_grids(lg_pool *pool)
{
    random_seed(7);
    for (int i = 0; i < 200; i++) {
        lg_tiling t = {.width = random_below(SIDE + 1),
                       .height = random_below(SIDE + 1),
                       .layers = random_below(4),
                       .strip = random_below(2) ? 0 : 1 + random_below(SIDE),
                       .halo = random_below(5),
                       .scratch = random_below(3) * 100};
        if (random_below(2))
            t.band = random_below(20);
        else
            t.bands = random_below(90);
        test_grid(pool, &t);
    }
}

// ---- failures -----------------------------------------------------------------------------------

static lg_status refuse(void *arg, const lg_tile *t)
{
    record *r = arg;
    count(&r->seen);
    r->done[t->index] = 1;
    for (int i = 0; i < 3; i++)
        if (t->index == r->refused[i])
            return i == 0 ? LG_ERROR_DATA : LG_ERROR_LIMIT;
    return LG_OK;
}

static void test_failures(lg_pool *pool)
{
    static record r;
    for (int i = 0; i < 100; i++) {
        memset(&r, 0, sizeof r);
        const size_t first = random_below(1000);
        for (int k = 0; k < 3; k++)
            r.refused[k] = first + (size_t)k;
        const lg_tiling t = {.height = TILES, .band = 1, .run = refuse, .job = &r};
        const lg_status status = lg_tiling_run(pool, &t, NULL);
        CHECK(status == LG_ERROR_DATA, "the status is %d", (int)status);
        size_t before = 0;
        for (size_t k = 0; k < first; k++)
            before += r.done[k];
        CHECK(before == first, "%zu of %zu tiles before the failure are done", before, first);
        // Other threads may be anywhere meanwhile.
        if (lg_pool_threads(pool) == 1)
            CHECK(r.seen == first + 1, "%zu tiles, of which %zu fails", r.seen, first);
    }
}

static void test_memory(lg_pool *pool)
{
    static record r;
    const lg_tiling t = {
        .height = 3, .band = 1, .scratch = 1000, .what = "a test", .run = refuse, .job = &r};
    lg_error error = {LG_OK, ""};
    memset(&r, 0, sizeof r);
    lg_alloc_fail_after(0);
    const lg_status status = lg_tiling_run(pool, &t, &error);
    lg_alloc_fail_after(-1);
    CHECK(status == LG_ERROR_MEMORY && r.seen == 0, "%d, %zu tiles", (int)status, r.seen);
    CHECK(strstr(error.message, "a test"), "%s", error.message);
}

int main(void)
{
    for (int threads = 1; threads <= 4; threads += 3) {
        lg_pool *pool = lg_pool_create(threads);
        NEED(pool, "a pool of %d", threads);
        test_grids(pool);
        test_failures(pool);
        test_memory(pool);
        lg_pool_destroy(pool);
    }
    return check_finish("tiling");
}

#include "io/row_team.h"

#include <pthread.h>

typedef struct reading {
    const lg_row_blocks *blocks;
    pthread_mutex_t lock; // guards the rest
    bool taken[LG_ROW_LANES];
    size_t next;
    size_t limit; // blocks from this one on are not wanted: this one failed, or it is the end
    lg_status status;
    lg_error error;
} reading;

static bool next_block(reading *r, size_t *k)
{
    pthread_mutex_lock(&r->lock);
    const bool more = r->next < r->limit;
    *k = r->next;
    r->next += more;
    pthread_mutex_unlock(&r->lock);
    return more;
}

static void read_block(reading *r, size_t k, int lane)
{
    lg_error error = {LG_OK, ""};
    const lg_status status = r->blocks->read(r->blocks->priv, k, lane, &error);
    if (!status)
        return;
    pthread_mutex_lock(&r->lock);
    if (k < r->limit) {
        r->limit = k;
        r->status = status;
        r->error = error;
    }
    pthread_mutex_unlock(&r->lock);
}

// A lane for a worker, the beginner first; -1: there is none left.
static int take_lane(reading *r, int worker)
{
    const int beginner = r->blocks->beginner;
    int lane = worker || r->taken[0] ? 1 : 0;
    pthread_mutex_lock(&r->lock);
    if (lane && beginner > 0 && !r->taken[beginner])
        lane = beginner;
    while (lane < r->blocks->lanes && r->taken[lane])
        lane++;
    if (lane < r->blocks->lanes)
        r->taken[lane] = true;
    else
        lane = -1;
    pthread_mutex_unlock(&r->lock);
    return lane;
}

static void run_lane(void *priv, size_t index, int worker)
{
    reading *r = priv;
    const int lane = take_lane(r, worker);
    if (lane >= 0 && lane == r->blocks->beginner)
        read_block(r, 0, lane);
    for (size_t k; lane >= 0 && next_block(r, &k);)
        read_block(r, k, lane);
}

static void grow(lg_row_team *team, int size)
{
    lg_row_team_end(team);
    *team = (lg_row_team){lg_pool_create(size), size};
}

lg_status lg_row_team_read(lg_row_team *team, const lg_row_blocks *blocks, lg_error *error)
{
    reading r = {.blocks = blocks, .next = blocks->beginner >= 0, .limit = blocks->count};
    if (blocks->lanes > team->size && blocks->lanes > 1)
        grow(team, blocks->lanes);
    pthread_mutex_init(&r.lock, NULL);
    if (team->pool)
        lg_pool_run(team->pool, (size_t)blocks->lanes, run_lane, &r);
    // Others may have been faster; and where there is no memory for threads nobody was there.
    for (int i = 0; i < blocks->lanes && (i == 0 || !team->pool); i++)
        run_lane(&r, 0, 0);
    pthread_mutex_destroy(&r.lock);
    return r.status ? lg_fail(error, r.status, "%s", r.error.message) : LG_OK;
}

void lg_row_team_end(lg_row_team *team)
{
    lg_pool_destroy(team->pool);
    team->pool = NULL;
}

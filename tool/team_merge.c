// Accumulators of all ranks become one, up a tree of ranks.
#include "team_messages.h"

#include <stdlib.h>
#include <string.h>

lg_status lg_team_save(const lg_team_kind *kind, const void *accumulator, lg_team_bytes *out,
                       lg_error *error)
{
    lg_status status = kind->save(accumulator, NULL, 0, &out->size, error);
    if (!status)
        out->data = malloc(out->size);
    if (!status && !out->data)
        status =
            lg_set_error(error, LG_ERROR_MEMORY, "no memory for %zu bytes of figures", out->size);
    return status ? status : kind->save(accumulator, out->data, out->size, &out->size, error);
}

void lg_team_send_saved(lg_team *team, int to, const lg_team_bytes *b, lg_status status)
{
    const uint64_t size = status ? 0 : b->size;
    lg_team_send(team, to, &size, sizeof size);
    if (size)
        lg_team_send(team, to, b->data, size);
}

lg_status lg_team_receive_saved(lg_team *team, int from, lg_team_bytes *out, lg_error *error)
{
    uint64_t size;
    lg_team_receive(team, from, &size, sizeof size);
    *out = (lg_team_bytes){.size = (size_t)size};
    if (size == 0)
        return lg_set_error(error, LG_ERROR_CANCELLED, "rank %d has sent no figures", from);
    out->data = malloc(out->size);
    if (!out->data) { // the other one sends all the same
        lg_set_error(error, LG_ERROR_MEMORY, "no memory for %zu bytes of figures", out->size);
        lg_team_give_up(team, error);
    }
    lg_team_receive(team, from, out->data, out->size);
    return LG_OK;
}

lg_status lg_team_merge_bytes(const lg_team_kind *kind, void *into, const lg_team_bytes *b,
                              lg_error *error)
{
    void *more = NULL;
    lg_status status = kind->load(b->data, b->size, &more, error);
    if (!status)
        status = kind->merge(into, more, error);
    if (more)
        kind->destroy(&more);
    return status;
}

static lg_status replace(const lg_team_kind *kind, void **accumulator, const lg_team_bytes *b,
                         lg_error *error)
{
    void *all = NULL;
    const lg_status status = kind->load(b->data, b->size, &all, error);
    if (status)
        return status;
    kind->destroy(accumulator);
    *accumulator = all;
    return LG_OK;
}

lg_status lg_team_up(lg_team *team, const lg_team_kind *kind, void *accumulator,
                     lg_team_take_fn take, void *priv, lg_error *error)
{
    lg_status status = LG_OK;
    lg_team_bytes b = {0};
    lg_error theirs = {0};
    LG_FOR_CHILDREN(team, bit)
    {
        lg_status got = lg_team_receive_saved(team, team->rank + bit, &b, &theirs);
        if (!got && !status)
            got = take(priv, bit, &b, &theirs);
        if (!status && got) {
            status = got;
            *error = theirs;
        }
        free(b.data);
        b = (lg_team_bytes){0};
    }
    if (team->rank == 0)
        return status;
    if (!status)
        status = lg_team_save(kind, accumulator, &b, error);
    lg_team_send_saved(team, lg_team_parent(team), &b, status);
    free(b.data);
    return status;
}

typedef struct merging {
    const lg_team_kind *kind;
    void *into;
} merging;

static lg_status merge_one(void *priv, int bit, const lg_team_bytes *b, lg_error *error)
{
    const merging *m = priv;
    return lg_team_merge_bytes(m->kind, m->into, b, error);
}

// The leader's to all others.
static lg_status spread(lg_team *team, const lg_team_kind *kind, void **accumulator,
                        lg_error *error)
{
    lg_team_bytes b = {0};
    lg_status status = team->rank == 0 ? lg_team_save(kind, *accumulator, &b, error) : LG_OK;
    uint64_t size = status ? 0 : b.size;
    lg_team_broadcast(team, &size, sizeof size);
    if (team->rank != 0 && size && !(b.data = malloc(size))) {
        lg_set_error(error, LG_ERROR_MEMORY, "no memory for %llu bytes of figures",
                     (unsigned long long)size);
        lg_team_give_up(team, error);
    }
    if (size)
        lg_team_broadcast(team, b.data, size);
    b.size = (size_t)size;
    if (!status && size && team->rank != 0)
        status = replace(kind, accumulator, &b, error);
    free(b.data);
    return status;
}

lg_status lg_team_merge(lg_team *team, const lg_team_kind *kind, void **accumulators, size_t count,
                        bool everywhere, lg_status status, lg_error *error)
{
    status = lg_team_agree(team, status, error);
    for (size_t i = 0; i < count && team && !status; i++) {
        status = lg_team_up(team, kind, accumulators[i], merge_one,
                            &(merging){kind, accumulators[i]}, error);
        status = lg_team_agree(team, status, error);
        if (!status && everywhere) {
            status = spread(team, kind, &accumulators[i], error);
            status = lg_team_agree(team, status, error);
        }
    }
    return status;
}

lg_status lg_team_sum(lg_team *team, uint64_t *numbers, size_t count, lg_status status,
                      lg_error *error)
{
    if (!team)
        return status;
    uint64_t *more = calloc(count, sizeof *more);
    if (!status && !more)
        status = lg_set_error(error, LG_ERROR_MEMORY, "no memory for %zu numbers", count);
    status = lg_team_agree(team, status, error);
    if (!status) {
        LG_FOR_CHILDREN(team, bit)
        {
            lg_team_receive(team, team->rank + bit, more, count * sizeof *more);
            for (size_t i = 0; i < count; i++)
                numbers[i] += more[i];
        }
        if (team->rank != 0)
            lg_team_send(team, lg_team_parent(team), numbers, count * sizeof *numbers);
        lg_team_broadcast(team, numbers, count * sizeof *numbers);
    }
    free(more);
    return status;
}

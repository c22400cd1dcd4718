// Messages between ranks, along a tree, and agreement on whether to go on.
#include "team_messages.h"

// ---- messages -------------------------------------------------------------------------------------

void lg_team_give_up(lg_team *team, const lg_error *error)
{
    lg_output_unlink_all();
    lg_complain_again();
    lg_complain("rank %d of %d: %s", team->rank, team->count, error->message);
    lg_ranks_abort(team->ranks, LG_EXIT_IO);
}

void lg_team_send(lg_team *team, int rank, const void *data, size_t size)
{
    lg_error error = {0};
    if (lg_ranks_send(team->ranks, rank, data, size, &error) != LG_OK)
        lg_team_give_up(team, &error);
}

void lg_team_receive(lg_team *team, int rank, void *data, size_t size)
{
    lg_error error = {0};
    if (lg_ranks_receive(team->ranks, rank, data, size, &error) != LG_OK)
        lg_team_give_up(team, &error);
}

void lg_team_broadcast(lg_team *team, void *data, size_t size)
{
    int bits = 0;
    if (!team)
        return;
    if (team->rank != 0)
        lg_team_receive(team, lg_team_parent(team), data, size);
    LG_FOR_CHILDREN(team, bit)
    bits = bit;
    for (; bits; bits >>= 1) // the deepest branch first
        lg_team_send(team, team->rank + bits, data, size);
}

// ---- agreement ------------------------------------------------------------------------------------

void lg_team_meet(lg_team *team, lg_team_verdict *v)
{
    lg_team_verdict other;
    LG_FOR_CHILDREN(team, bit)
    {
        lg_team_receive(team, team->rank + bit, &other, sizeof other);
        const bool over = v->over || other.over;
        if (!v->error.status && other.error.status)
            *v = other;
        v->over = over;
    }
    if (team->rank != 0)
        lg_team_send(team, lg_team_parent(team), v, sizeof *v);
    lg_team_broadcast(team, v, sizeof *v);
}

static lg_status agree(lg_team *team, lg_status status, bool over, lg_error *error)
{
    lg_team_verdict v = {.rank = team->rank, .over = over};
    if (status)
        v.error = *error;
    v.error.status = status;
    lg_team_meet(team, &v);
    team->over = v.over;
    if (v.over && !over && !v.error.status)
        lg_set_error(&v.error, LG_ERROR_CANCELLED, "another rank has ended");
    if (!v.error.status)
        return LG_OK;
    team->apart = true;
    if (status && v.rank == team->rank)
        return status;
    if (v.rank == 0)
        return lg_set_error(error, v.error.status, "%s", v.error.message);
    return lg_set_error(error, v.error.status, "on rank %d: %s", v.rank, v.error.message);
}

lg_status lg_team_agree(lg_team *team, lg_status status, lg_error *error)
{
    if (!team || team->apart)
        return status;
    if (team->over)
        return lg_set_error(error, LG_ERROR_CANCELLED, "another rank has ended");
    return agree(team, status, false, error);
}

lg_status lg_team_settle(lg_team *team, lg_status status, lg_error *error)
{
    const lg_status agreed = lg_team_agree(team, status, error);
    if (team)
        team->apart = false;
    return agreed;
}

lg_status lg_team_same(lg_team *team, const char *what, uint64_t digest, lg_status status,
                       lg_error *error)
{
    uint64_t leaders = digest;
    status = lg_team_agree(team, status, error);
    if (status || !team)
        return status;
    lg_team_broadcast(team, &leaders, sizeof leaders);
    if (leaders != digest)
        status = lg_set_error(error, LG_ERROR_ARGUMENT, "%s are not those of rank 0", what);
    return lg_team_agree(team, status, error);
}

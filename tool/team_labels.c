// Components of all ranks. They go up the tree, where each is numbered behind those of the rank that takes
// it; what they are called in the end goes down the same way, so that no rank but the leader holds them all.
#include "team_messages.h"

#include <stdlib.h>

#define MAX_CHILDREN 32 // of a rank: the bits of an int

typedef struct joining {
    lg_label_accumulator *parts;
    uint32_t first[MAX_CHILDREN], count[MAX_CHILDREN]; // parts of each child, by its bit
} joining;

static int place_of(int bit)
{
    int place = 0;
    while (bit >>= 1)
        place++;
    return place;
}

static lg_status take_components(void *priv, int bit, const lg_team_bytes *b, lg_error *error)
{
    joining *j = priv;
    const int at = place_of(bit);
    j->first[at] = lg_label_accumulator_parts(j->parts);
    const lg_status status = lg_team_merge_bytes(&lg_team_labels, j->parts, b, error);
    j->count[at] = lg_label_accumulator_parts(j->parts) - j->first[at];
    return status;
}

// ---- down -----------------------------------------------------------------------------------------

typedef struct called {
    uint64_t count, all; // labels that follow, and components of the whole
    uint64_t failed;     // none follow
} called;

static lg_status labels_from_parent(lg_team *team, const joining *j, uint32_t *all, lg_error *error)
{
    called c;
    lg_team_receive(team, lg_team_parent(team), &c, sizeof c);
    *all = (uint32_t)c.all;
    if (c.failed)
        return lg_set_error(error, LG_ERROR_CANCELLED, "another rank has sent no labels");
    uint32_t *labels = malloc((c.count + 1) * sizeof *labels);
    if (!labels) { // the other one sends all the same
        lg_set_error(error, LG_ERROR_MEMORY, "no memory for %llu labels",
                     (unsigned long long)c.count);
        lg_team_give_up(team, error);
    }
    lg_team_receive(team, lg_team_parent(team), labels, c.count * sizeof *labels);
    const lg_status status = lg_label_accumulator_take_labels(j->parts, labels, (uint32_t)c.count,
                                                              (uint32_t)c.all, error);
    free(labels);
    return status;
}

static lg_status labels_to_child(lg_team *team, const joining *j, int bit, uint32_t all,
                                 lg_status status, lg_error *error)
{
    const int at = place_of(bit);
    called c = {.count = j->count[at], .all = all};
    uint32_t *labels = status ? NULL : malloc((c.count + 1) * sizeof *labels);
    if (!status && !labels)
        status = lg_set_error(error, LG_ERROR_MEMORY, "no memory for %llu labels",
                              (unsigned long long)c.count);
    if (!status)
        status =
            lg_label_accumulator_part_labels(j->parts, j->first[at], j->count[at], labels, error);
    c.failed = status != LG_OK;
    lg_team_send(team, team->rank + bit, &c, sizeof c);
    if (!status)
        lg_team_send(team, team->rank + bit, labels, c.count * sizeof *labels);
    free(labels);
    return status;
}

// The number of components is that of the leader's, which has all of them.
static lg_status count_all(lg_label_accumulator *parts, uint32_t *all, lg_error *error)
{
    const uint32_t count = lg_label_accumulator_parts(parts);
    uint32_t *labels = malloc(((size_t)count + 1) * sizeof *labels);
    if (!labels)
        return lg_set_error(error, LG_ERROR_MEMORY, "no memory for %u labels", count);
    const lg_status status = lg_label_accumulator_part_labels(parts, 0, count, labels, error);
    *all = 0;
    for (uint32_t i = 0; i < count && !status; i++)
        *all = labels[i] > *all ? labels[i] : *all;
    free(labels);
    return status;
}

static lg_status down(lg_team *team, const joining *j, lg_error *error)
{
    uint32_t all = 0;
    int bits = 0;
    lg_status status = team->rank == 0 ? count_all(j->parts, &all, error)
                                       : labels_from_parent(team, j, &all, error);
    LG_FOR_CHILDREN(team, bit)
    bits = bit;
    for (; bits; bits >>= 1) { // the deepest branch first
        const lg_status sent = labels_to_child(team, j, bits, all, status, error);
        status = status ? status : sent;
    }
    return status;
}

lg_status lg_team_join_labels(lg_team *team, lg_label_accumulator *parts, bool everywhere,
                              lg_status status, lg_error *error)
{
    joining j = {.parts = parts};
    if (!team)
        return status;
    status = lg_team_agree(team, status, error);
    if (!status)
        status = lg_team_agree(
            team, lg_team_up(team, &lg_team_labels, parts, take_components, &j, error), error);
    if (!status && everywhere)
        status = lg_team_agree(team, down(team, &j, error), error);
    return status;
}

// ---- shapes ---------------------------------------------------------------------------------------

lg_status lg_team_join_shapes(lg_team *team, lg_label_accumulator *parts, lg_status status,
                              lg_error *error)
{
    lg_label_shapes *shapes = NULL;
    if (!team)
        return status;
    if (!status)
        status = lg_label_accumulator_shapes(parts, &shapes, error);
    void *all = shapes;
    status = lg_team_merge(team, &lg_team_shapes, &all, 1, false, status, error);
    shapes = all;
    if (!status && team->rank == 0)
        status = lg_label_accumulator_take_shapes(parts, shapes, error);
    lg_label_shapes_destroy(&shapes);
    return lg_team_agree(team, status, error);
}

// What the parts of a team share.
#ifndef LG_TOOL_TEAM_TREE_H
#define LG_TOOL_TEAM_TREE_H

#include "team.h"

struct lg_team {
    lg_ranks *ranks;
    int rank, count;
    bool apart; // something failed: ranks do not talk until the input ends
    bool over;  // a rank is at the end of the command
};

// Without an answer of another rank nothing can go on: these end all of them when they fail.
void lg_team_give_up(lg_team *team, const lg_error *error);
void lg_team_send(lg_team *team, int rank, const void *data, size_t size);
void lg_team_receive(lg_team *team, int rank, void *data, size_t size);

// Rank r sends to r without its lowest bit, when it has heard of all ranks that send to it: r + 1, r + 2, r +
// 4 ... below that bit. Both are loops over `bit`.
#define LG_FOR_CHILDREN(team, bit)                                                                 \
    for (int bit = 1; ((team)->rank & bit) == 0 && (team)->rank + bit < (team)->count; bit <<= 1)

static inline int lg_team_parent(const lg_team *team)
{
    return team->rank & (team->rank - 1);
}

// What a rank has to say about how far it came.
typedef struct lg_team_verdict {
    lg_error error;
    int rank; // that failed
    int exit; // its exit status, where the rank is at the end of the command
    bool over;
} lg_team_verdict;

// The first failure, if there is any, becomes that of all ranks.
void lg_team_meet(lg_team *team, lg_team_verdict *verdict);

#endif

// What the parts of a team share.
#ifndef LG_TOOL_TEAM_MESSAGES_H
#define LG_TOOL_TEAM_MESSAGES_H

#include "journal.h"
#include "team.h"

struct lg_team {
    lg_ranks *ranks;
    int rank, count;
    int number;                // among the ranks of this machine, where devices are shared out
    bool apart;                // something failed: ranks do not talk until the input ends
    bool over;                 // a rank is at the end of the command
    lg_journal *journal;       // of --resume; NULL: there is none
    struct lg_team_link *link; // of --link-limit; NULL: there is none
};

// The job ends when the machine of a rank has not answered for so long: team_link.c. All ranks at the same
// time.
lg_status lg_team_link_open(lg_team *team, int seconds, lg_error *error);
void lg_team_link_close(lg_team *team);

// Of several devices, or all GPUs, this rank takes one: team_devices.c. All ranks at the same time.
lg_status lg_team_take_device(lg_team *team, lg_options *options, lg_error *error);

// Ends the job: without an answer of another rank nothing can go on.
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

// ---- agreement: team_tree.c ------------------------------------------------------------------------

// What a rank has to say about how far it came.
typedef struct lg_team_verdict {
    lg_error error;
    int rank; // that failed
    int exit; // its exit status, where the rank is at the end of the command
    bool over;
} lg_team_verdict;

// The first failure, if there is any, becomes that of all ranks.
void lg_team_meet(lg_team *team, lg_team_verdict *verdict);

// ---- accumulators on their way: team_merge.c -------------------------------------------------------

typedef struct lg_team_bytes {
    uint8_t *data; // free() it
    size_t size;
} lg_team_bytes;

lg_status lg_team_save(const lg_team_kind *kind, const void *accumulator, lg_team_bytes *out,
                       lg_error *error);
// To another rank, which is told first how large it is; 0: there is none, this rank failed.
void lg_team_send_saved(lg_team *team, int to, const lg_team_bytes *b, lg_status status);
lg_status lg_team_receive_saved(lg_team *team, int from, lg_team_bytes *out, lg_error *error);
lg_status lg_team_merge_bytes(const lg_team_kind *kind, void *into, const lg_team_bytes *b,
                              lg_error *error);
// What `take` does with the bytes of each child, then those of `kind` to the parent. The first failure is
// returned, behind all messages.
typedef lg_status (*lg_team_take_fn)(void *priv, int bit, const lg_team_bytes *b, lg_error *error);
lg_status lg_team_up(lg_team *team, const lg_team_kind *kind, void *accumulator,
                     lg_team_take_fn take, void *priv, lg_error *error);

#endif

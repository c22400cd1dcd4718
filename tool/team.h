// The processes of `--mpi`: they go through the same inputs together, each on a part of the rows. The leader,
// rank 0, reports. Without --mpi there is no team: the pointer is NULL and all functions do nothing.
//
// Every exchange begins with lg_team_agree, also where a rank comes to it by itself because something failed
// there. So ranks meet whatever fails: the others learn of it and go the same way, to the end of the input.
#ifndef LG_TOOL_TEAM_H
#define LG_TOOL_TEAM_H

#include "session.h"

#include <lumagraph/label_parts.h>
#include <lumagraph/ranks.h>
#include <lumagraph/rows.h>

typedef struct lg_team lg_team;

struct lg_journal;
struct lg_journal *lg_team_journal(const lg_team *team); // of --resume; NULL: there is none

// What --mpi does not go with. False after a line on standard error.
bool lg_team_check(const lg_options *options);

// Usage errors are the same on all ranks, and come before MPI begins: the launcher's variables tell which
// rank says them.
void lg_team_foresee(int argc, char **argv);

// Begins MPI with --mpi, and silences all ranks but the leader. Returns an exit status.
int lg_team_begin(lg_options *options);
// Ends it, behind everything else. Returns the exit status of all: that of the first rank with one.
int lg_team_end(lg_options *options, int status);

bool lg_team_leads(const lg_options *options); // true without a team

// For a context on a GPU that nobody has named: that of this rank, where its machine has some.
void lg_team_place(const lg_options *options, lg_context_params *params);

// The first failure of a rank becomes that of all. Behind it, calls return the status of this rank and do not
// talk to others, until lg_team_settle.
lg_status lg_team_agree(lg_team *team, lg_status status, lg_error *error);
// The same at the end of an input.
lg_status lg_team_settle(lg_team *team, lg_status status, lg_error *error);
// Fails unless all ranks have the same bytes here.
lg_status lg_team_same(lg_team *team, const char *what, uint64_t digest, lg_status status,
                       lg_error *error);

// The rows of this rank, of `height` rows of which one in `step` counts. The leader's are the last, since of
// few rows the first ranks would have none.
void lg_team_rows(const lg_team *team, int64_t height, int64_t step, int64_t *first, int64_t *end);

// How accumulators of a kind are sent.
typedef struct lg_team_kind {
    lg_status (*save)(const void *accumulator, void *data, size_t capacity, size_t *size,
                      lg_error *error);
    lg_status (*load)(const void *data, size_t size, void **out, lg_error *error);
    lg_status (*merge)(void *into, const void *from, lg_error *error);
    void (*destroy)(void **accumulator);
} lg_team_kind;

extern const lg_team_kind lg_team_moments, lg_team_histograms;
extern const lg_team_kind lg_team_thresholds, lg_team_labels, lg_team_shapes; // team_kinds.c

// The leader's accumulators become those of all ranks together; with `everywhere` those of all ranks do.
// `status` is that of the rank so far. Ranks have the same number of accumulators.
lg_status lg_team_merge(lg_team *team, const lg_team_kind *kind, void **accumulators, size_t count,
                        bool everywhere, lg_status status, lg_error *error);
// The components of all ranks become those of the leader's accumulator. With `everywhere` ranks learn what
// those of their own rows are called there: team_labels.c.
lg_status lg_team_join_labels(lg_team *team, lg_label_accumulator *parts, bool everywhere,
                              lg_status status, lg_error *error);
// Behind the labels of all rows of this rank: the leader's gets the shapes of all ranks.
lg_status lg_team_join_shapes(lg_team *team, lg_label_accumulator *parts, lg_status status,
                              lg_error *error);
// Numbers become the sums over all ranks.
lg_status lg_team_sum(lg_team *team, uint64_t *numbers, size_t count, lg_status status,
                      lg_error *error);

// ---- files that all ranks write: team_files.c ------------------------------------------------------

typedef struct lg_team_writer {
    lg_row_writer *rows; // takes the rows of this rank
    lg_row_writer *file; // of the leader's, which completes the file; NULL without a team
    lg_row_share *share; // NULL without a team
    int64_t next;        // row that `rows` takes next
} lg_team_writer;

// The leader has opened out->rows with `status`, the others nothing: all get a writer of the rows that they
// have of `file`. With --resume the rows of output `which` that were written are in it, and are kept.
lg_status lg_team_share(lg_team *team, lg_team_writer *out, int which, const lg_input_file *file,
                        lg_status status, lg_error *error);
// Before rows from y on are written, and behind that: with --resume they are on the disk then.
lg_status lg_team_at(lg_team_writer *writer, int64_t y, lg_error *error);
lg_status lg_team_wrote(lg_team *team, lg_team_writer *writer, int64_t end, lg_error *error);
// Completes the file when all ranks have written their rows.
lg_status lg_team_close(lg_team *team, lg_team_writer *writer, lg_status status, lg_error *error);
void lg_team_discard(lg_team_writer *writer);

// The leader's bytes become those of all ranks. Behind lg_team_agree.
void lg_team_broadcast(lg_team *team, void *data, size_t size);

#endif

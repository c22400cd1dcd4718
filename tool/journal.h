// What ranks have finished, for --resume: each appends to a file of its own, and reads those of all when it
// begins. An entry is of some rows of a layer in one pass over one input: what the pass found in them, or
// that they are written.
#ifndef LG_TOOL_JOURNAL_H
#define LG_TOOL_JOURNAL_H

#include "session.h"

typedef struct lg_journal lg_journal;
struct lg_team;

// Which pass over an input; what has no name here is done again.
typedef enum lg_journal_pass {
    LG_JOURNAL_NONE,
    LG_JOURNAL_MOMENTS,
    LG_JOURNAL_HISTOGRAMS,
    LG_JOURNAL_THRESHOLDS,
    LG_JOURNAL_LABELS,
    LG_JOURNAL_WRITE, // in the bands of either of the last two
} lg_journal_pass;

// `command`: a digest of the arguments; journals of another command are refused. All ranks at the same time.
lg_status lg_journal_open(struct lg_team *team, const char *name, uint64_t command,
                          lg_journal **out, lg_error *error);
// NULL is fine. `done`: all is done, and the files go, by the leader; behind all other ranks.
void lg_journal_close(lg_journal *journal, bool done);

// Entries are of this input from now on; LG_ERROR_ARGUMENT: it was changed since.
lg_status lg_journal_input(lg_journal *journal, const lg_input_file *file, lg_error *error);
// The first row of the entries that reach over row y, or y.
int64_t lg_journal_cut(const lg_journal *journal, int64_t y);
// Rows of a layer that are taken together, of at most `rows` from y on: those of an entry of the pass that
// begins there, or those in front of the next one. So passes that go by `bands` have the same.
int64_t lg_journal_rows(const lg_journal *journal, lg_journal_pass bands, int64_t layer, int64_t y,
                        int64_t rows);

// Rows [y, *end) are finished in the pass; *end is y where none are. *data, unless NULL, becomes their bytes,
// to be freed.
lg_status lg_journal_find(const lg_journal *journal, lg_journal_pass pass, int64_t layer, int64_t y,
                          int64_t *end, void **data, size_t *size, lg_error *error);
lg_status lg_journal_add(lg_journal *journal, lg_journal_pass pass, int64_t layer, int64_t first,
                         int64_t end, const void *data, size_t size, lg_error *error);

// The file with the rows of output `which` of this input that are written; what becomes of it is up to
// team_files.c. False: the name is too long.
bool lg_journal_rows_name(const lg_journal *journal, int which, char *out, size_t size);

#endif

// What passes over bands keep in the journal of --resume.
#ifndef LG_TOOL_BAND_KEEP_H
#define LG_TOOL_BAND_KEEP_H

#include "journal.h"
#include "team.h"

// Accumulators of layers or of the stack are kept as what each band adds; numbers, which a band adds to, as
// differences. Without either the rows are written.
typedef struct lg_band_keep {
    lg_journal_pass pass;  // NONE: nothing is kept
    lg_journal_pass bands; // of this pass
    const lg_team_kind *kind;
    void **at; // accumulators; that of the band while it is taken
    void (*numbers)(void *priv, int32_t layer, uint64_t *at[2]);
    void *priv;
    bool stack;
    // of the walk
    void **all, *band;
    struct lg_kept_bytes *empty; // each accumulator before the pass
    size_t count;                // of accumulators
    uint64_t before[2];
} lg_band_keep;

// Both do nothing without a journal. `keep` NULL: nothing is kept.
lg_status lg_keep_begin(lg_journal *journal, lg_band_keep *keep, lg_error *error);
void lg_keep_end(lg_band_keep *keep);
// *end: behind the rows from y on that are there already, and were added; y: they have to be taken.
lg_status lg_keep_restore(const lg_journal *journal, lg_band_keep *keep, int32_t layer, int64_t y,
                          int64_t *end, lg_error *error);
// Around what takes a band. `leave` with its status.
lg_status lg_keep_enter(const lg_journal *journal, lg_band_keep *keep, int32_t layer,
                        lg_error *error);
lg_status lg_keep_leave(lg_journal *journal, lg_band_keep *keep, int32_t layer, int64_t y,
                        int64_t rows, lg_status status, lg_error *error);

#endif

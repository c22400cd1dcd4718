// Scans in one pass by decoupled look-back: each tile waits for the sums that earlier tiles
// publish. A device need not run both tiles at once, so a tile that waits too long sets a flag and
// goes on. The work is then recorded again with scans of several passes, as is all later work of
// this context.
#ifndef LG_LOOKBACK_H
#define LG_LOOKBACK_H

#include "core/core.h"

// The address of the flag: a word of host memory, the same for the life of the context.
lg_status lg_lookback_flag(lg_context *context, uint64_t *address, lg_error *error);

// Whether scans are recorded in several passes.
bool lg_lookback_is_multi_pass(const lg_context *context);

// Clears the flag before a submission.
void lg_lookback_begin(const lg_context *context);

// Reads the flag after a submission. True: a tile gave up; record and submit once more.
bool lg_lookback_gave_up(lg_context *context);

#endif

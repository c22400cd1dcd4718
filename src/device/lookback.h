// Scans in one pass: each tile waits for what the one before it has published (decoupled look-back). A
// device need not run the two side by side. A tile that has waited too long sets a flag and goes on; then the
// work is done again with scans of several passes, and so is what follows on this context.
#ifndef LG_LOOKBACK_H
#define LG_LOOKBACK_H

#include "core/core.h"

// Where tiles set the flag: a word of host memory, the same as long as there is the context.
lg_status lg_lookback_flag(lg_context *context, uint64_t *address, lg_error *error);

// Whether scans are recorded in several passes.
bool lg_lookback_is_multi_pass(const lg_context *context);

// Before a submission: no tile has given up.
void lg_lookback_begin(const lg_context *context);

// After it. True: a tile has; record and submit once more.
bool lg_lookback_gave_up(lg_context *context);

#endif

// Large blocks of memory of a context: of the heap, and beyond a limit of mapped scratch files.
#ifndef LG_SPILL_H
#define LG_SPILL_H

#include "core/core.h"

// Bytes, aligned for vectors, contents undefined; give them back by lg_block_give. `what` names them in
// messages. Errors: LG_ERROR_MEMORY; LG_ERROR_IO, LG_ERROR_ARGUMENT: there is no room for a scratch file.
lg_status lg_block_take(lg_context *context, size_t bytes, const char *what, void **out,
                        lg_error *error);
lg_status lg_block_take_zeroed(lg_context *context, size_t bytes, const char *what, void **out,
                               lg_error *error);
// NULL is fine; so is a context NULL for blocks that were taken while it had no limit.
void lg_block_give(lg_context *context, void *block);

// Bytes that blocks of the heap may still have; SIZE_MAX: all.
size_t lg_blocks_room(const lg_context *context);

// Whether there are blocks in files. Jobs are best short then, as pages are let go of between them.
bool lg_blocks_are_mapped(const lg_context *context);

// The most rows of an image that a job which does not go along rows should touch, and columns: with a row of
// a file the kernel brings those bytes into memory that lie around. A multiple of 16; 0: there are no blocks
// in files.
int32_t lg_mapped_side(const lg_context *context);

// lg_context_relieve, which returns whether it is known that there were too many pages.
bool lg_blocks_relieve(lg_context *context);

void lg_spill_destroy(lg_context *context); // when all blocks were given back

#endif

// Reads the next inputs while the current one is measured.
#ifndef LG_TOOL_READ_AHEAD_H
#define LG_TOOL_READ_AHEAD_H

#include "session.h"

#include <pthread.h>

// Starts a thread in which no signal of the process is handled, but a decoder's own faults.
bool lg_start_reader(pthread_t *thread, void *(*read)(void *), void *priv);

typedef struct lg_read_ahead lg_read_ahead;

// Begins to read the files in order, in so many threads that hold at most one image each. NULL where that
// cannot be: files are then read when they are needed.
lg_read_ahead *lg_read_ahead_begin(lg_session *session, char *const *names, int count, int jobs,
                                   const lg_read_params *params);
// The next file, for which it waits: fills image, info and decode. *in_bands: it is read in bands, and was
// left out.
lg_status lg_read_ahead_take(lg_read_ahead *ahead, lg_input_file *file, bool *in_bands,
                             lg_error *error);
// After the last file was taken, or when no more are. NULL is fine.
void lg_read_ahead_end(lg_read_ahead *ahead);

#endif

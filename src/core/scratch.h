// Scratch files without names: what memory has no room for.
#ifndef LG_SCRATCH_H
#define LG_SCRATCH_H

#include "core/core.h"

#include <stdio.h>

// A file in `folder`, for reading and writing, that programs started later do not inherit. Its name is gone
// and `path` empty, or, where the system keeps the names of open files, `path` is to be removed behind
// closing it. -1 with errno: there can be none.
int lg_scratch_file(const char *folder, char *path, size_t room);

typedef struct lg_scratch {
    const char *folder; // the caller's
    FILE *stream;       // NULL: nothing was written yet
    char path[4096];    // what is still to be removed
} lg_scratch;

// The file is created with the first bytes. Errors: LG_ERROR_IO, LG_ERROR_ARGUMENT (the name of the folder),
// LG_ERROR_MEMORY.
lg_status lg_scratch_write(lg_scratch *s, int64_t at, const void *bytes, size_t size,
                           lg_error *error);
// Bytes that were written.
lg_status lg_scratch_read(const lg_scratch *s, int64_t at, void *bytes, size_t size,
                          lg_error *error);
void lg_scratch_close(lg_scratch *s);

#endif

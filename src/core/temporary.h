// Temporary files with one writer each, which are recognised after the writer died.
#ifndef LG_TEMPORARY_H
#define LG_TEMPORARY_H

#include <sys/types.h>

// Creates and locks the file `path` (relative to `folder`, an open folder or AT_FDCWD) for reading
// and writing. The lock lasts until all its descriptors are closed, so rename the file before that.
// An existing file without a lock is left from a dead process and is removed first, except on file
// systems without locks. Returns a descriptor, or -1 with errno; EEXIST: another process is writing
// the file, or it belongs to another user.
int lg_temporary_create(int folder, const char *path, mode_t mode);

#endif

// Temporary files of one writer each, which are found again when the writer died.
#ifndef LG_TEMPORARY_H
#define LG_TEMPORARY_H

#include <sys/types.h>

// Creates the file `path` (relative to `folder`, an open folder or AT_FDCWD) for reading and
// writing and locks it; the lock lasts until every descriptor of it is closed, so the file is
// renamed before that. A file of this name that nobody has locked was left by a process that
// is dead, also one that was killed: it is removed first. Returns a descriptor, or -1 with
// errno; EEXIST: another process is writing that file, or it belongs to another user. Where a
// file system has no locks, nothing is removed.
int lg_temporary_create(int folder, const char *path, mode_t mode);

#endif

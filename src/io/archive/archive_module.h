// What passes between liblumagraph-io and its module liblumagraph-archive.so, which alone is linked
// with libarchive. An archive is read from front to back; one thread at a time uses it.
#ifndef LG_ARCHIVE_MODULE_H
#define LG_ARCHIVE_MODULE_H

#include "core/core.h"

// What is found in an archive.
typedef struct lg_archive_entry {
    const char *name; // as it is stored; valid until the next one is read
    int64_t bytes;    // -1: not known
    bool file;        // a regular file with data of its own: no folder, link or device
    bool encrypted;
} lg_archive_entry;

// The module's one symbol is a table of this type, lg_archive_module.
typedef struct lg_archive_table {
    const char *(*version)(void); // of its build; structures are the same where this is
    // Reads the file from its present byte on. The descriptor stays the caller's, and open.
    lg_status (*open)(int fd, void **out, lg_error *error);
    // Whether reaching a member takes unpacking what lies in front of it.
    bool (*packed)(void *archive);
    // Goes to the next one; *more is false behind the last.
    lg_status (*next)(void *archive, lg_archive_entry *out, bool *more, lg_error *error);
    // Writes the data of that one to a file: its size, and no more than `limit` bytes. Once for each.
    lg_status (*copy)(void *archive, const lg_archive_entry *entry, int64_t limit, int to,
                      lg_error *error);
    void (*close)(void *archive);
} lg_archive_table;

#endif

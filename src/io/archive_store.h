// Members of an archive in a scratch file: what was unpacked to find the names is not unpacked once more.
#ifndef LG_ARCHIVE_STORE_H
#define LG_ARCHIVE_STORE_H

#include "io/archive/archive_module.h"

typedef struct lg_archive_store lg_archive_store;

typedef struct lg_stored_member {
    int64_t place; // in the archive
    int64_t at, bytes;
    uint64_t check; // of the name: a hash other than that by which it is found
} lg_stored_member;

// A scratch file in `folder`, without a name; -1: there can be none.
int lg_archive_store_file(const char *folder);

// Members in such a file. NULL: there can be none.
lg_archive_store *lg_archive_store_open(const char *folder);
void lg_archive_store_close(lg_archive_store **store);

// Stores the data of the present entry, unless there is no room: at most half of what is free in the folder
// is taken. False: its data cannot be stored, and the reader is where nobody knows. Nothing more is
// stored then.
bool lg_archive_store_add(lg_archive_store *store, const lg_archive_table *table, void *reader,
                          const lg_archive_entry *entry, int64_t place, const char *name);
// NULL: it is not stored.
const lg_stored_member *lg_archive_store_find(const lg_archive_store *store, int64_t place,
                                              const char *name);
lg_status lg_archive_store_copy(const lg_archive_store *store, const lg_stored_member *member,
                                int to, lg_error *error);

#endif

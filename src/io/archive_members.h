// Archives that are open, so that members which are asked for in their order are found without
// reading the archive from its start each time.
#ifndef LG_ARCHIVE_MEMBERS_H
#define LG_ARCHIVE_MEMBERS_H

#include "io/archive_store.h"

#include <pthread.h>
#include <sys/stat.h>

#define LG_MEMBER_MAX ((int64_t)1 << 32) // bytes of a member

// The first member of each name, by a hash of the name.
typedef struct lg_member_slot {
    uint64_t hash;
    int64_t place; // in the archive, from 1; 0: the slot is free
} lg_member_slot;

// The bytes of a member, in a file without a name: in memory, or on a disk where the system has none there.
typedef struct lg_kept_member {
    int64_t place, bytes;
    int fd;
    uint64_t used; // the count of uses when it was used last; 0: there is none
} lg_kept_member;

#define LG_KEPT_MEMBERS 16

typedef struct lg_archive_source {
    char *path;
    struct stat identity;
    int fd;
    const lg_archive_table *table;
    void *reader;            // NULL: it begins with the first entry next
    int64_t place;           // of the entry that was read last, from 1
    lg_archive_entry entry;  // that entry
    bool unread;             // its data can still be read
    bool first;              // it is the first member of its name
    int64_t seen;            // entries that are known
    bool ended;              // they are all
    lg_member_slot *slots;   // a power of two of them
    size_t slot_count, used; // at most half of them are used
    lg_kept_member kept[LG_KEPT_MEMBERS];
    uint64_t uses;
    pthread_t reader_thread; // who asked first
    bool several;            // others ask, too, so that members are asked for nearly in their order
    lg_archive_store *store; // members that were unpacked for their names; NULL: none
} lg_archive_source;

// Opens the archive. Errors: LG_ERROR_IO, LG_ERROR_DATA, LG_ERROR_MEMORY.
lg_status lg_archive_source_open(const lg_archive_table *table, const char *path,
                                 lg_archive_source **out, lg_error *error);
void lg_archive_source_close(lg_archive_source **source);
// Whether the file is still the one that was opened.
bool lg_archive_source_is_current(const lg_archive_source *source);

// Goes in front of the first entry, and to the next one; *more is false behind the last.
void lg_archive_source_rewind(lg_archive_source *source);
lg_status lg_archive_source_next(lg_archive_source *source, bool *more, lg_error *error);
// Stores the data of the present entry in a scratch file in `folder` where reaching them again would take
// unpacking what lies in front. The entries behind it are read as before.
lg_status lg_archive_source_store(lg_archive_source *source, const char *folder, lg_error *error);
// The name without "./" in front, which tar puts there.
const char *lg_member_name(const char *name);

// The first member of this name: its size (-1: not known), and a descriptor of its bytes, which the
// caller closes, with a position of its own. Errors: LG_ERROR_IO (there is none, the archive changed),
// LG_ERROR_DATA, LG_ERROR_UNSUPPORTED (encrypted), LG_ERROR_LIMIT, LG_ERROR_MEMORY.
lg_status lg_archive_source_size(lg_archive_source *source, const char *name, int64_t *bytes,
                                 lg_error *error);
lg_status lg_archive_source_read(lg_archive_source *source, const char *name, int *fd,
                                 lg_error *error);

#endif

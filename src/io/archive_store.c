#include "io/archive_store.h"

#ifdef LG_HAVE_ARCHIVE

#include "core/scratch.h"
#include "io/archive_members.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#ifndef _WIN32
#include <sys/statvfs.h>
#endif
#include <unistd.h>

#define BLOCK ((size_t)1 << 16)

struct lg_archive_store {
    int fd;
    int64_t end; // bytes of the members
    bool full;   // there is no more room
    lg_stored_member *members;
    size_t count, capacity;
};

int lg_archive_store_file(const char *folder)
{
    char path[4096];
    const int fd = lg_scratch_file(folder, path, sizeof path);
    if (fd < 0 || !*path)
        return fd;
    close(fd); // nobody would remove it
    unlink(path);
    return -1;
}

lg_archive_store *lg_archive_store_open(const char *folder)
{
    lg_archive_store *store = lg_alloc(sizeof *store);
    if (!store)
        return NULL;
    store->fd = lg_archive_store_file(folder);
    if (store->fd < 0) {
        lg_free(store);
        store = NULL;
    }
    return store;
}

void lg_archive_store_close(lg_archive_store **store)
{
    if (!*store)
        return;
    close((*store)->fd);
    lg_free((*store)->members);
    lg_free(*store);
    *store = NULL;
}

static uint64_t check_of(const char *name)
{
    return lg_hash(name, strlen(name), 1);
}

#ifdef _WIN32 // a full disk is found when it is written to

static bool has_room(const lg_archive_store *store, int64_t bytes)
{
    return true;
}

#else

static bool has_room(const lg_archive_store *store, int64_t bytes)
{
    struct statvfs found;
    if (fstatvfs(store->fd, &found) != 0)
        return false;
    return (double)found.f_bavail * (double)found.f_frsize >= (double)(store->end + bytes);
}

#endif

static bool make_place(lg_archive_store *store)
{
    if (store->count < store->capacity)
        return true;
    const size_t capacity = store->capacity ? store->capacity * 2 : 64;
    lg_stored_member *members = lg_alloc_array(capacity, sizeof *members);
    if (!members)
        return false;
    if (store->count)
        memcpy(members, store->members, store->count * sizeof *members);
    lg_free(store->members);
    store->members = members;
    store->capacity = capacity;
    return true;
}

// Of the first member that is at this place or behind it.
static size_t index_of(const lg_archive_store *store, int64_t place)
{
    size_t first = 0, end = store->count;
    while (first < end) {
        const size_t middle = first + (end - first) / 2;
        if (store->members[middle].place < place)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

bool lg_archive_store_add(lg_archive_store *store, const lg_archive_table *table, void *reader,
                          const lg_archive_entry *entry, int64_t place, const char *name)
{
    lg_error ignored; // whoever asks for the member is told why
    const int64_t bytes = entry->bytes;
    if (store->full || entry->encrypted || bytes < 0 || bytes > LG_MEMBER_MAX)
        return true;
    store->full = !has_room(store, bytes) || !make_place(store);
    if (store->full)
        return true;
    const lg_stored_member member = {place, store->end, bytes, check_of(name)};
    if (table->copy(reader, entry, bytes, store->fd, &ignored)) {
        store->full = true; // the file goes on behind what came of it
        return false;
    }
    const size_t at = index_of(store, place);
    memmove(store->members + at + 1, store->members + at,
            (store->count - at) * sizeof *store->members);
    store->members[at] = member;
    store->count++;
    store->end += bytes;
    return true;
}

const lg_stored_member *lg_archive_store_find(const lg_archive_store *store, int64_t place,
                                              const char *name)
{
    const size_t at = store ? index_of(store, place) : 0;
    const lg_stored_member *found = store && at < store->count ? &store->members[at] : NULL;
    return found && found->place == place && found->check == check_of(name) ? found : NULL;
}

static lg_status fail(const char *what, lg_error *error)
{
    return lg_fail(error, errno == ENOMEM || errno == ENOSPC ? LG_ERROR_MEMORY : LG_ERROR_IO,
                   "%s: %s", what, strerror(errno));
}

lg_status lg_archive_store_copy(const lg_archive_store *store, const lg_stored_member *member,
                                int to, lg_error *error)
{
    uint8_t block[BLOCK];
    for (int64_t done = 0; done < member->bytes;) {
        const size_t most = (size_t)LG_MIN((int64_t)sizeof block, member->bytes - done);
        const ssize_t got = pread(store->fd, block, most, (off_t)(member->at + done));
        if (got == 0 || (got < 0 && errno != EINTR))
            return fail("the scratch file cannot be read", error);
        for (ssize_t put = 0; put < got;) {
            const ssize_t wrote = write(to, block + put, (size_t)(got - put));
            if (wrote < 0 && errno != EINTR)
                return fail("the member cannot be held", error);
            put += wrote > 0 ? wrote : 0;
        }
        done += got > 0 ? got : 0;
    }
    return LG_OK;
}

#endif

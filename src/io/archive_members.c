// Members of an archive, found by name and kept for a while.
#include "io/archive_members.h"

#ifdef LG_HAVE_ARCHIVE

#include "core/portable.h"
#include "core/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define KEPT_BYTES ((int64_t)16 << 20) // of the members that are kept; one is, whatever its size
#define NEAR       8 // members that are passed over are kept where the next one is so near

// ---- open and close -------------------------------------------------------------------------------

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

bool lg_archive_source_is_current(const lg_archive_source *s)
{
    struct stat now;
    return stat(s->path, &now) == 0 && same_file(&now, &s->identity);
}

static lg_status begin_source(lg_archive_source *s, const char *path, lg_error *error)
{
    s->path = lg_strdup(path);
    if (!s->path)
        return lg_fail_memory(error, strlen(path), "a file name");
    s->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (s->fd < 0 || fstat(s->fd, &s->identity) != 0)
        return lg_fail(error, errno == ENOMEM ? LG_ERROR_MEMORY : LG_ERROR_IO, "cannot read: %s",
                       strerror(errno));
    return LG_OK;
}

lg_status lg_archive_source_open(const lg_archive_table *table, const char *path,
                                 lg_archive_source **out, lg_error *error)
{
    lg_archive_source *s = lg_alloc(sizeof *s);
    if (!s)
        return lg_fail_memory(error, sizeof *s, "an archive");
    s->table = table;
    s->fd = -1;
    s->reader_thread = pthread_self();
    const lg_status status = begin_source(s, path, error);
    *out = s;
    if (status)
        lg_archive_source_close(out);
    return status;
}

static void drop_kept(lg_kept_member *kept)
{
    if (kept->used)
        close(kept->fd);
    *kept = (lg_kept_member){0};
}

void lg_archive_source_close(lg_archive_source **source)
{
    lg_archive_source *s = *source;
    if (!s)
        return;
    lg_archive_source_rewind(s);
    for (size_t i = 0; i < LG_KEPT_MEMBERS; i++)
        drop_kept(&s->kept[i]);
    if (s->fd >= 0)
        close(s->fd);
    lg_archive_store_close(&s->store);
    lg_free(s->slots);
    lg_free(s->path);
    lg_free(s);
    *source = NULL;
}

// ---- names ----------------------------------------------------------------------------------------

const char *lg_member_name(const char *name)
{
    while (name[0] == '.' && name[1] == '/')
        for (name++; *name == '/';)
            name++;
    return name;
}

static uint64_t hash_of(const char *name)
{
    return lg_hash(name, strlen(name), 0);
}

// The slot of this hash, or the free one where it would be.
static lg_member_slot *slot_of(lg_member_slot *slots, size_t count, uint64_t hash)
{
    size_t i = (size_t)hash & (count - 1);
    while (slots[i].place && slots[i].hash != hash)
        i = (i + 1) & (count - 1);
    return &slots[i];
}

static bool make_slots(lg_archive_source *s)
{
    if (s->used * 2 < s->slot_count)
        return true;
    const size_t count = s->slot_count ? s->slot_count * 2 : 256;
    lg_member_slot *slots = lg_alloc_array(count, sizeof *slots);
    for (size_t i = 0; slots && i < s->slot_count; i++)
        if (s->slots[i].place)
            *slot_of(slots, count, s->slots[i].hash) = s->slots[i];
    if (!slots)
        return false;
    lg_free(s->slots);
    s->slots = slots;
    s->slot_count = count;
    return true;
}

// The place of the first member with this name, as far as it is known; 0: it is not.
static int64_t place_of(const lg_archive_source *s, const char *name)
{
    return s->slot_count ? slot_of(s->slots, s->slot_count, hash_of(name))->place : 0;
}

// ---- the walk -------------------------------------------------------------------------------------

void lg_archive_source_rewind(lg_archive_source *s)
{
    if (s->reader)
        s->table->close(s->reader);
    s->reader = NULL;
    s->place = 0;
    s->unread = false;
}

static lg_status note_entry(lg_archive_source *s, lg_error *error)
{
    s->first = false;
    if (!s->entry.file)
        return LG_OK;
    if (!make_slots(s))
        return lg_fail_memory(error, s->slot_count * 2 * sizeof *s->slots, "the names of members");
    const uint64_t hash = hash_of(lg_member_name(s->entry.name));
    lg_member_slot *slot = slot_of(s->slots, s->slot_count, hash);
    if (!slot->place) {
        *slot = (lg_member_slot){hash, s->place};
        s->used++;
    }
    s->first = slot->place == s->place;
    return LG_OK;
}

static lg_status go_on(lg_archive_source *s, bool *more, lg_error *error)
{
    lg_status status = LG_OK;
    *more = true;
    if (!s->reader) {
        if (lseek(s->fd, 0, SEEK_SET) < 0)
            return lg_fail(error, LG_ERROR_IO, "cannot read: %s", strerror(errno));
        status = s->table->open(s->fd, &s->reader, error);
    }
    if (!status)
        status = s->table->next(s->reader, &s->entry, more, error);
    if (status)
        return status;
    s->unread = *more;
    s->ended |= !*more;
    if (!*more)
        return LG_OK;
    s->place++;
    s->seen = LG_MAX(s->seen, s->place);
    return note_entry(s, error);
}

lg_status lg_archive_source_next(lg_archive_source *s, bool *more, lg_error *error)
{
    const lg_status status = go_on(s, more, error);
    if (status || !*more) // what failed is tried anew
        lg_archive_source_rewind(s);
    return status;
}

// ---- members that are kept ------------------------------------------------------------------------

static lg_kept_member *find_kept(lg_archive_source *s, int64_t place)
{
    for (size_t i = 0; i < LG_KEPT_MEMBERS; i++)
        if (s->kept[i].used && s->kept[i].place == place)
            return &s->kept[i];
    return NULL;
}

// A place for a member of so many bytes: those that were not used for the longest time make room.
static lg_kept_member *make_room(lg_archive_source *s, int64_t bytes)
{
    for (;;) {
        int64_t all = bytes;
        lg_kept_member *free_one = NULL, *oldest = NULL;
        for (size_t i = 0; i < LG_KEPT_MEMBERS; i++) {
            lg_kept_member *k = &s->kept[i];
            if (!k->used)
                free_one = k;
            else if (!oldest || k->used < oldest->used)
                oldest = k;
            all += k->bytes;
        }
        if (free_one && (all <= KEPT_BYTES || !oldest))
            return free_one;
        drop_kept(oldest);
    }
}

// A file without a name, in memory alone where the system has such files; -1.
static int make_file(void)
{
#ifndef LG_PORTABLE
    const int fd = memfd_create("lumagraph", MFD_CLOEXEC);
    if (fd >= 0 || errno != ENOSYS)
        return fd;
#endif
    const char *folder = getenv("TMPDIR");
    return lg_archive_store_file(folder && *folder ? folder : "/var/tmp");
}

// Reads the present entry into such a file, or takes a member from the scratch file, where it is `stored`.
static lg_status keep_member(lg_archive_source *s, const lg_stored_member *stored,
                             lg_kept_member **out, lg_error *error)
{
    struct stat found;
    const int64_t bytes = stored ? stored->bytes : s->entry.bytes;
    if (bytes > LG_MEMBER_MAX)
        return lg_fail(
            error, LG_ERROR_LIMIT,
            "the member has %lld bytes, which would be held; at most %lld can: unpack it",
            (long long)bytes, (long long)LG_MEMBER_MAX);
    const int64_t expected = LG_MAX(bytes, (int64_t)0);
    *out = make_room(s, expected); // in front, so that both are never held
    const int fd = make_file();
    if (fd < 0)
        return lg_fail(error, errno == ENOMEM ? LG_ERROR_MEMORY : LG_ERROR_IO,
                       "the member cannot be held: %s", strerror(errno));
    s->unread &= stored != NULL;
    const lg_status status = stored
                                 ? lg_archive_store_copy(s->store, stored, fd, error)
                                 : s->table->copy(s->reader, &s->entry, LG_MEMBER_MAX, fd, error);
    if (status || fstat(fd, &found) != 0) {
        close(fd);
        return status ? status : lg_fail(error, LG_ERROR_IO, "cannot read: %s", strerror(errno));
    }
    const int64_t place = stored ? stored->place : s->place;
    **out = (lg_kept_member){place, found.st_size, fd, ++s->uses};
    return LG_OK;
}

// A file of the same bytes; -1.
static int copy_file(int from, int64_t bytes)
{
    char block[1 << 14];
    const int to = make_file();
    int64_t done = 0;
    for (ssize_t got = 1; to >= 0 && done < bytes && got > 0; done += got) {
        got = pread(from, block, sizeof block, (off_t)done);
        if (got <= 0 || write(to, block, (size_t)got) != got)
            break;
    }
    if (to >= 0 && (done != bytes || lseek(to, 0, SEEK_SET) != 0)) {
        close(to);
        return -1;
    }
    return to;
}

// The same file with a position of its own; -1. Elsewhere a descriptor that is opened by its number shares
// the position.
static int open_again(int fd)
{
#ifdef LG_PORTABLE
    (void)fd;
    return -1;
#else
    char name[40];
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    return open(name, O_RDONLY | O_CLOEXEC);
#endif
}

// With a position of its own, as threads read a member side by side. Where the system cannot open it again
// it is a copy, and where there is no room for that the member is kept no more.
static int hand_out(lg_archive_source *s, lg_kept_member *kept)
{
    int fd = open_again(kept->fd);
    kept->used = ++s->uses;
    if (fd < 0)
        fd = copy_file(kept->fd, kept->bytes);
    if (fd < 0) {
        fd = kept->fd;
        lseek(fd, 0, SEEK_SET);
        *kept = (lg_kept_member){0};
    }
    return fd;
}

// ---- finding --------------------------------------------------------------------------------------

// Threads that read ahead ask for members nearly in their order: what is passed over is asked for next.
static void keep_passed(lg_archive_source *s)
{
    lg_error ignored;
    lg_kept_member *kept;
    if (s->unread && s->first && !s->entry.encrypted && s->entry.bytes >= 0 &&
        s->entry.bytes <= KEPT_BYTES / NEAR && !find_kept(s, s->place) &&
        !lg_archive_store_find(s->store, s->place, lg_member_name(s->entry.name)))
        (void)!keep_member(s, NULL, &kept, &ignored); // whoever asks for it is told why
}

static lg_status fail_missing(lg_error *error)
{
    return lg_fail(error, LG_ERROR_IO, "there is no file of this name in the archive");
}

// Goes to an entry whose place is known.
static lg_status go_to(lg_archive_source *s, int64_t place, lg_error *error)
{
    bool more = true;
    if (s->place > place || (s->place == place && !s->unread))
        lg_archive_source_rewind(s);
    while (s->place < place) {
        if (s->several && s->place > 0 && place - s->place <= NEAR)
            keep_passed(s);
        const lg_status status = lg_archive_source_next(s, &more, error);
        if (status || !more)
            return status ? status : fail_missing(error);
    }
    return LG_OK;
}

// Goes on from what is known to a name that is not, or looks at all names where two have one hash.
static lg_status look_for(lg_archive_source *s, const char *name, bool all, lg_error *error)
{
    bool more = true;
    lg_status status = LG_OK;
    if (s->ended && !all)
        return fail_missing(error);
    if (all)
        lg_archive_source_rewind(s);
    else if (s->place != s->seen)
        status = go_to(s, s->seen, error);
    while (!status) {
        status = lg_archive_source_next(s, &more, error);
        if (!status && !more)
            return fail_missing(error);
        if (!status && s->entry.file && strcmp(lg_member_name(s->entry.name), name) == 0)
            return LG_OK;
    }
    return status;
}

static lg_status find_entry(lg_archive_source *s, const char *name, lg_error *error)
{
    const int64_t place = place_of(s, name);
    if (!place)
        return look_for(s, name, false, error);
    const lg_status status = go_to(s, place, error);
    return status || strcmp(lg_member_name(s->entry.name), name) == 0
               ? status
               : look_for(s, name, true, error);
}

lg_status lg_archive_source_store(lg_archive_source *s, const char *folder, lg_error *error)
{
    const int64_t place = s->place;
    const char *name = lg_member_name(s->entry.name);
    bool more = true;
    if (!s->unread || !s->table->packed(s->reader))
        return LG_OK;
    if (!s->store)
        s->store = lg_archive_store_open(folder);
    if (!s->store || lg_archive_store_find(s->store, place, name))
        return LG_OK;
    if (lg_archive_store_add(s->store, s->table, s->reader, &s->entry, place, name)) {
        s->unread = !lg_archive_store_find(s->store, place, name);
        return LG_OK;
    }
    lg_archive_source_rewind(s);
    lg_status status = LG_OK;
    while (!status && more && s->place < place)
        status = lg_archive_source_next(s, &more, error);
    return status;
}

// What is read from before and behind a change makes no member.
static lg_status check_source(const lg_archive_source *s, lg_error *error)
{
    struct stat now;
    if (fstat(s->fd, &now) == 0 && same_file(&now, &s->identity))
        return LG_OK;
    return lg_fail(error, LG_ERROR_IO, "the archive changed while it was read");
}

static lg_status checked(lg_archive_source *s, lg_status status, lg_error *why, lg_error *error)
{
    const lg_status changed = check_source(s, why);
    status = changed ? changed : status;
    return status ? lg_fail(error, status, "%s", why->message) : LG_OK;
}

lg_status lg_archive_source_size(lg_archive_source *s, const char *name, int64_t *bytes,
                                 lg_error *error)
{
    lg_error why = {LG_OK, ""};
    name = lg_member_name(name);
    s->several |= !pthread_equal(s->reader_thread, pthread_self());
    const int64_t place = place_of(s, name);
    const lg_kept_member *kept = find_kept(s, place);
    const lg_stored_member *stored = lg_archive_store_find(s->store, place, name);
    const lg_status status = kept || stored ? LG_OK : find_entry(s, name, &why);
    *bytes = kept ? kept->bytes : stored ? stored->bytes : s->entry.bytes;
    return checked(s, status, &why, error);
}

static lg_status read_entry(lg_archive_source *s, lg_kept_member **out, lg_error *error)
{
    if (s->entry.encrypted)
        return lg_fail(error, LG_ERROR_UNSUPPORTED, "the member is encrypted");
    return keep_member(s, NULL, out, error);
}

lg_status lg_archive_source_read(lg_archive_source *s, const char *name, int *fd, lg_error *error)
{
    lg_error why = {LG_OK, ""};
    name = lg_member_name(name);
    s->several |= !pthread_equal(s->reader_thread, pthread_self());
    const int64_t place = place_of(s, name);
    lg_kept_member *kept = find_kept(s, place);
    const lg_stored_member *stored = lg_archive_store_find(s->store, place, name);
    lg_status status = LG_OK;
    if (!kept && stored)
        status = keep_member(s, stored, &kept, &why);
    if (!kept && !stored)
        status = find_entry(s, name, &why);
    if (!kept && !stored && !status)
        status = read_entry(s, &kept, &why);
    status = checked(s, status, &why, error);
    if (!status)
        *fd = hand_out(s, kept);
    return status;
}

#endif

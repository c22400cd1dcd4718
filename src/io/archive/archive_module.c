// tar and zip through libarchive.
#include "io/archive/archive_module.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <locale.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define BLOCK ((size_t)1 << 16)

static lg_status fail(struct archive *archive, const char *what, lg_error *error)
{
    const int code = archive_errno(archive);
    const char *text = archive_error_string(archive);
    const lg_status status = code == ENOMEM                                    ? LG_ERROR_MEMORY
                             : code == EIO || code == EISDIR || code == ESTALE ? LG_ERROR_IO
                                                                               : LG_ERROR_DATA;
    return lg_fail(error, status, "%s: %s", what, text ? text : "no reason given");
}

// A filter that libarchive was built without would be a program that it starts, which is not wanted: such
// a filter answers ARCHIVE_WARN.
static bool take_filters(struct archive *archive, const bool *wanted, bool *inside)
{
    static int (*const filters[])(struct archive *) = {
        archive_read_support_filter_gzip, archive_read_support_filter_bzip2,
        archive_read_support_filter_xz, archive_read_support_filter_zstd};
    for (size_t i = 0; i < LG_COUNT(filters); i++) {
        const int result = wanted[i] ? filters[i](archive) : ARCHIVE_OK;
        if (result == ARCHIVE_FATAL)
            return false;
        inside[i] = wanted[i] && result == ARCHIVE_OK;
    }
    return true;
}

static struct archive *make_reader(void)
{
    bool all[] = {true, true, true, true}, inside[LG_COUNT(all)], ignored[LG_COUNT(all)];
    struct archive *probe = archive_read_new(), *made = archive_read_new();
    const bool good = probe && made && take_filters(probe, all, inside) &&
                      take_filters(made, inside, ignored) &&
                      archive_read_support_format_tar(made) == ARCHIVE_OK &&
                      archive_read_support_format_zip(made) == ARCHIVE_OK;
    archive_read_free(probe);
    if (good)
        return made;
    archive_read_free(made);
    return NULL;
}

static lg_status open_archive(int fd, void **out, lg_error *error)
{
    struct archive *archive = make_reader();
    if (!archive)
        return lg_fail_memory(error, BLOCK, "an archive");
    if (archive_read_open_fd(archive, fd, BLOCK) != ARCHIVE_OK) {
        const lg_status status = fail(archive, "no archive of tar or zip", error);
        archive_read_free(archive);
        return status;
    }
    *out = archive;
    return LG_OK;
}

static bool is_packed(void *archive)
{
    return archive_filter_count(archive) > 1;
}

// Names are UTF-8 in zip and in newer tar, and libarchive converts them to the locale: where that is C, as
// in programs that set none, others than ASCII would have no name.
static locale_t names_locale;
static pthread_once_t names_once = PTHREAD_ONCE_INIT;

static void make_locale(void)
{
    names_locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
}

static int next_header(struct archive *archive, struct archive_entry **entry, const char **name)
{
    pthread_once(&names_once, make_locale);
    const locale_t old = names_locale ? uselocale(names_locale) : (locale_t)0;
    int result;
    do
        result = archive_read_next_header(archive, entry);
    while (result == ARCHIVE_RETRY);
    const bool good = result == ARCHIVE_OK || result == ARCHIVE_WARN;
    *name = good ? archive_entry_pathname(*entry) : NULL;
    if (old)
        uselocale(old);
    return result;
}

static lg_status next_entry(void *archive, lg_archive_entry *out, bool *more, lg_error *error)
{
    struct archive_entry *entry;
    const char *name;
    const int result = next_header(archive, &entry, &name);
    *more = result != ARCHIVE_EOF;
    if (result == ARCHIVE_EOF)
        return LG_OK;
    // A warning is of names that are no UTF-8 where they should be; the bytes of the name are there.
    if (result != ARCHIVE_OK && result != ARCHIVE_WARN)
        return fail(archive, "the archive is damaged", error);
    *out = (lg_archive_entry){
        .name = name ? name : "",
        .bytes = archive_entry_size_is_set(entry) ? archive_entry_size(entry) : -1,
        .file = name && archive_entry_filetype(entry) == AE_IFREG && !archive_entry_hardlink(entry),
        .encrypted = archive_entry_is_encrypted(entry) != 0};
    return LG_OK;
}

static lg_status put(int to, const uint8_t *data, size_t bytes, lg_error *error)
{
    for (size_t done = 0; done < bytes;) {
        const ssize_t wrote = write(to, data + done, bytes - done);
        if (wrote < 0 && errno != EINTR)
            return lg_fail(error, errno == ENOSPC ? LG_ERROR_MEMORY : LG_ERROR_IO,
                           "the member cannot be held: %s", strerror(errno));
        done += wrote > 0 ? (size_t)wrote : 0;
    }
    return LG_OK;
}

static lg_status copy_data(void *archive, const lg_archive_entry *entry, int64_t limit, int to,
                           lg_error *error)
{
    uint8_t block[BLOCK];
    int64_t done = 0;
    const int64_t most = entry->bytes >= 0 ? entry->bytes : limit;
    for (;;) {
        const la_ssize_t got = archive_read_data(archive, block, sizeof block);
        if (got == ARCHIVE_RETRY)
            continue;
        if (got < 0)
            return fail(archive, "the member is damaged", error);
        if (got == 0)
            break;
        done += got;
        if (done > most && entry->bytes >= 0)
            return lg_fail(error, LG_ERROR_DATA,
                           "the member is damaged: it has more than the %lld bytes that the "
                           "archive states",
                           (long long)entry->bytes);
        if (done > most)
            return lg_fail(error, LG_ERROR_LIMIT, "the member has more than %lld bytes",
                           (long long)limit);
        const lg_status status = put(to, block, (size_t)got, error);
        if (status)
            return status;
    }
    if (entry->bytes >= 0 && done < entry->bytes)
        return lg_fail(error, LG_ERROR_DATA,
                       "truncated: the member has %lld bytes, the archive states %lld",
                       (long long)done, (long long)entry->bytes);
    return LG_OK;
}

static void close_archive(void *archive)
{
    archive_read_free(archive);
}

extern LG_API const lg_archive_table lg_archive_module;

LG_API const lg_archive_table lg_archive_module = {
    .version = lg_version,
    .open = open_archive,
    .packed = is_packed,
    .next = next_entry,
    .copy = copy_data,
    .close = close_archive,
};

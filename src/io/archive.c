// Members of archives as files, by names such as photos.zip/a.png: which part of a name is the
// archive, the module that reads it, and the archives that are open.
#include "io/archive.h"

#include "core/module.h"
#include "io/archive_members.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>

size_t lg_archive_length(const char *path)
{
    char part[PATH_MAX];
    struct stat found;
    for (const char *slash = path ? strchr(path + (*path == '/'), '/') : NULL; slash;
         slash = strchr(slash + 1, '/')) {
        const size_t length = (size_t)(slash - path);
        if (length >= sizeof part)
            return 0;
        memcpy(part, path, length);
        part[length] = '\0';
        if (stat(part, &found) != 0)
            return 0;
        if (S_ISREG(found.st_mode))
            return length;
    }
    return 0;
}

#ifdef LG_HAVE_ARCHIVE

#define OPEN    64 // archives at a time, with the members that are stored of them
#define READERS 4  // of these, at a time: some hold a large dictionary

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // guards all that follows
static const lg_archive_table *loaded;
static lg_archive_source *sources[OPEN]; // the one that was used last in front

static lg_status load(lg_error *error)
{
    static const char name[] = "liblumagraph-archive.so";
    void *module = NULL;
    const lg_status status = lg_module_open(LG_MODULE_OF_LUMAGRAPH, name, &module, error);
    if (status)
        return status;
    const lg_archive_table *table = lg_module_symbol(module, "lg_archive_module");
    if (!table || strcmp(table->version(), lg_version()) != 0)
        return lg_fail(error, LG_ERROR_UNSUPPORTED, "%s is of another version", name);
    loaded = table;
    return LG_OK;
}

static lg_status need_module(lg_error *error)
{
    lg_error why = {LG_OK, ""};
    const lg_status status = loaded ? LG_OK : load(&why);
    if (status == LG_OK || status == LG_ERROR_MEMORY)
        return status ? lg_fail(error, status, "%s", why.message) : LG_OK;
    return lg_fail(error, status,
                   "archives are read through libarchive, which cannot be loaded; install it, and "
                   "liblumagraph-archive.so, which the build makes (%.240s)",
                   why.message);
}

// The archive of this name, open, in front of the others.
static lg_status need_source(const char *path, lg_archive_source **out, lg_error *error)
{
    size_t at = 0;
    lg_status status = need_module(error);
    if (status)
        return status;
    while (at < OPEN - 1 && sources[at] && strcmp(sources[at]->path, path) != 0)
        at++;
    lg_archive_source *found = sources[at];
    if (found && (strcmp(found->path, path) != 0 || !lg_archive_source_is_current(found)))
        lg_archive_source_close(&found);
    memmove(sources + 1, sources, at * sizeof *sources);
    if (at >= READERS && sources[READERS])
        lg_archive_source_rewind(sources[READERS]);
    if (!found)
        status = lg_archive_source_open(loaded, path, &found, error);
    if (status) // what was in front of it has moved up
        memmove(sources, sources + 1, at * sizeof *sources);
    sources[status ? at : 0] = found;
    *out = found;
    return status;
}

// The archive in the name of a member, open, and the rest of that name.
static lg_status need_member(const char *path, lg_archive_source **source, const char **member,
                             lg_error *error)
{
    char archive[PATH_MAX];
    const size_t length = lg_archive_length(path);
    if (!length)
        return lg_fail(error, LG_ERROR_IO, "names no member of an archive");
    memcpy(archive, path, length);
    archive[length] = '\0';
    *member = path + length + 1;
    return need_source(archive, source, error);
}

lg_status lg_archive_open(const char *path, int *fd, lg_error *error)
{
    const char *member = NULL;
    lg_archive_source *source = NULL;
    pthread_mutex_lock(&lock);
    lg_status status = need_member(path, &source, &member, error);
    if (!status)
        status = lg_archive_source_read(source, member, fd, error);
    pthread_mutex_unlock(&lock);
    return status;
}

lg_status lg_archive_member_size(const char *path, int64_t *bytes, lg_error *error)
{
    const char *member = NULL;
    lg_archive_source *source = NULL;
    if (!path || !bytes)
        return lg_fail_null(error, "the name of a member, and a place for its size");
    pthread_mutex_lock(&lock);
    lg_status status = need_member(path, &source, &member, error);
    if (!status)
        status = lg_archive_source_size(source, member, bytes, error);
    pthread_mutex_unlock(&lock);
    return status;
}

typedef struct listing {
    lg_archive_member_fn member; // or
    lg_archive_choose_fn choose;
    const char *folder; // for members that are kept
    void *priv;
} listing;

static lg_status take_entry(lg_archive_source *source, const listing *l, lg_error *error)
{
    const char *name = lg_member_name(source->entry.name);
    if (!l->choose)
        return l->member(l->priv, name) ? LG_OK : lg_fail_cancelled(error);
    const lg_archive_choice choice = l->choose(l->priv, name);
    if (choice == LG_ARCHIVE_END)
        return lg_fail_cancelled(error);
    return choice == LG_ARCHIVE_KEEP ? lg_archive_source_store(source, l->folder, error) : LG_OK;
}

static lg_status list_members(const char *path, const listing *l, lg_error *error)
{
    bool more = true;
    lg_archive_source *source = NULL;
    pthread_mutex_lock(&lock);
    lg_status status = need_source(path, &source, error);
    if (!status)
        lg_archive_source_rewind(source);
    while (!status && (status = lg_archive_source_next(source, &more, error)) == LG_OK && more)
        status = source->first ? take_entry(source, l, error) : LG_OK;
    pthread_mutex_unlock(&lock);
    return status;
}

lg_status lg_archive_list(const char *path, lg_archive_member_fn member, void *priv,
                          lg_error *error)
{
    if (!path || !member)
        return lg_fail_null(error, "the name of an archive, and a function for its members");
    return list_members(path, &(listing){.member = member, .priv = priv}, error);
}

lg_status lg_archive_list_keep(const char *path, const char *folder, lg_archive_choose_fn choose,
                               void *priv, lg_error *error)
{
    if (!path || !folder || !choose)
        return lg_fail_null(error, "the name of an archive, a folder, and a function for members");
    return list_members(path, &(listing){.choose = choose, .folder = folder, .priv = priv}, error);
}

void lg_archive_shutdown(void)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < OPEN; i++)
        lg_archive_source_close(&sources[i]);
    pthread_mutex_unlock(&lock);
}

#else

static lg_status fail_build(lg_error *error)
{
    return lg_fail(error, LG_ERROR_UNSUPPORTED,
                   "archives are read through libarchive, and this build has no "
                   "liblumagraph-archive; unpack it first");
}

lg_status lg_archive_open(const char *path, int *fd, lg_error *error)
{
    return fail_build(error);
}

lg_status lg_archive_member_size(const char *path, int64_t *bytes, lg_error *error)
{
    return fail_build(error);
}

lg_status lg_archive_list(const char *path, lg_archive_member_fn member, void *priv,
                          lg_error *error)
{
    return fail_build(error);
}

lg_status lg_archive_list_keep(const char *path, const char *folder, lg_archive_choose_fn choose,
                               void *priv, lg_error *error)
{
    return fail_build(error);
}

void lg_archive_shutdown(void)
{
}

#endif

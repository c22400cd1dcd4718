#include "io/folder_tree.h"

#include "core/core.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const metadata[] = {".zgroup", ".zattrs", ".zarray", ".zmetadata", "zarr.json"};

// ---- in signal handlers: no memory, no lists of folders ---------------------------------------------

// Adds "/name"; the length with it, 0: it is too long.
static size_t append(char path[PATH_MAX], size_t length, const char *name)
{
    if (length + strlen(name) + 2 > PATH_MAX)
        return 0;
    path[length++] = '/';
    while ((path[length] = *name++))
        length++;
    return length;
}

static size_t append_number(char path[PATH_MAX], size_t length, unsigned number)
{
    char digits[12], *at = digits + sizeof digits - 1;
    *at = '\0';
    do
        *--at = (char)('0' + number % 10);
    while (number /= 10);
    return append(path, length, at);
}

#define DEPTH 7 // level, time, channel, slice, row, column

// `missing`: numbers behind which nobody looks for more.
static void remove_numbered(char path[PATH_MAX], size_t length, int depth, unsigned missing)
{
    unsigned gap = 0;
    for (size_t i = 0; i < sizeof metadata / sizeof metadata[0]; i++)
        if (append(path, length, metadata[i]))
            unlink(path);
    for (unsigned n = 0;; n++) {
        const size_t longer = append_number(path, length, n);
        if (!longer)
            break;
        if (unlink(path) == 0)
            continue;
        if (errno == ENOENT && ++gap < missing)
            continue;
        if (errno == ENOENT || errno == ENOTDIR || depth == DEPTH)
            break;
        remove_numbered(path, longer, depth + 1, missing); // a folder cannot be unlinked
        rmdir(path);
    }
    path[length] = '\0';
}

void lg_tree_remove_numbered(const char *name)
{
    static const char suffix[] = LG_TREE_OLD;
    char path[PATH_MAX];
    size_t length = strlen(name);
    if (length + sizeof suffix > sizeof path)
        return;
    memcpy(path, name, length);
    memcpy(path + length, suffix, sizeof suffix);
    if (rename(name, path) != 0)
        return;
    length += sizeof suffix - 1;
    // Under the old name nothing can be made any more, but a file may be that another thread was about to
    // make.
    for (unsigned turn = 0; turn < 10 && rmdir(path) != 0 && errno != ENOENT; turn++) {
        poll(NULL, 0, 2);
        remove_numbered(path, length, 0, turn ? 1 << 14 : 1);
    }
}

// ---- elsewhere --------------------------------------------------------------------------------------

static bool remove_all(char path[PATH_MAX], size_t length)
{
    DIR *folder = opendir(path);
    if (!folder)
        return errno == ENOENT;
    bool good = true;
    for (const struct dirent *e; (e = readdir(folder));) {
        struct stat info;
        const size_t longer = append(path, length, e->d_name);
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        const bool inner = longer && fstatat(AT_FDCWD, path, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
                           S_ISDIR(info.st_mode);
        good = longer && (inner ? remove_all(path, longer) : unlink(path) == 0) && good;
    }
    path[length] = '\0';
    closedir(folder);
    return rmdir(path) == 0 && good;
}

bool lg_tree_remove(const char *name)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s", name) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return false;
    }
    return remove_all(path, strlen(path));
}

#ifdef RENAME_EXCHANGE // Linux: there is always a folder of that name
static int exchange(const char *from, const char *to)
{
    return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_EXCHANGE) == 0 ? 0 : errno;
}
#else
static int exchange(const char *from, const char *to)
{
    (void)from, (void)to;
    return ENOSYS;
}
#endif

static int exchange_names(const char *from, const char *to)
{
    char old[PATH_MAX];
    if (exchange(from, to) == 0)
        return 0;
    if (snprintf(old, sizeof old, "%s" LG_TREE_OLD, from) >= (int)sizeof old)
        return ENAMETOOLONG;
    if (rename(to, old) != 0)
        return errno;
    const int code = rename(from, to) == 0 ? 0 : errno;
    if (rename(old, code ? to : from) != 0 && !code)
        lg_tree_remove(old);
    return code;
}

int lg_tree_exchange(const char *from, const char *to)
{
    if (rename(from, to) == 0) // also where an empty one is there
        return 0;
    struct stat info;
    const int code = errno;
    return stat(to, &info) == 0 && S_ISDIR(info.st_mode) ? exchange_names(from, to) : code;
}

bool lg_tree_is_zarr(const char *name)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s", name) >= (int)sizeof path)
        return false;
    const size_t length = strlen(path);
    bool found = false;
    for (size_t i = 0; i < sizeof metadata / sizeof metadata[0] && !found; i++)
        found = append(path, length, metadata[i]) && access(path, F_OK) == 0;
    return found;
}

// ---- what is replaced ---------------------------------------------------------------------------------

typedef enum kind { OTHER, GROUP, ARRAY, CHUNKS } kind;

static bool is_metadata(const char *name)
{
    for (size_t i = 0; i < LG_COUNT(metadata); i++)
        if (strcmp(name, metadata[i]) == 0)
            return strcmp(name, "zarr.json") != 0; // of Zarr 3, which is not written
    return false;
}

// "3", and with dots "0.12.3".
static bool is_number(const char *name, bool dots)
{
    static const char digits[] = "0123456789";
    size_t length;
    while ((length = strspn(name, digits)) > 0 && dots && name[length] == '.')
        name += length + 1;
    return length > 0 && !name[length];
}

static bool has_array(char path[PATH_MAX], size_t length)
{
    struct stat info;
    const bool found = append(path, length, ".zarray") &&
                       fstatat(AT_FDCWD, path, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
                       S_ISREG(info.st_mode);
    path[length] = '\0';
    return found;
}

// What a folder in such a folder is: levels of an image, and in an array folders of chunks.
static kind inside(kind above, char path[PATH_MAX], size_t length, const char *name)
{
    return !is_number(name, false) || above == OTHER ? OTHER
           : above != GROUP                          ? CHUNKS
           : has_array(path, length)                 ? ARRAY
                                                     : OTHER;
}

// Whether there is something else than Zarr writes, then its name is left in `path`.
static bool find_other(char path[PATH_MAX], size_t length, kind where, int depth)
{
    DIR *folder = opendir(path);
    bool found = !folder;
    for (const struct dirent *e; !found && (e = readdir(folder));) {
        struct stat info;
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        const size_t longer = append(path, length, e->d_name);
        if (!longer || fstatat(AT_FDCWD, path, &info, AT_SYMLINK_NOFOLLOW) != 0) {
            found = true;
        } else if (S_ISDIR(info.st_mode)) {
            const kind what = inside(where, path, longer, e->d_name);
            found = what == OTHER || depth == 0 || find_other(path, longer, what, depth - 1);
        } else {
            const bool own = is_metadata(e->d_name) ? where == GROUP || where == ARRAY
                                                    : where >= ARRAY && is_number(e->d_name, true);
            found = !own || !S_ISREG(info.st_mode);
        }
        if (!found)
            path[length] = '\0';
    }
    if (folder)
        closedir(folder);
    return found;
}

bool lg_tree_is_replaceable(const char *name, char other[PATH_MAX])
{
    if (snprintf(other, PATH_MAX, "%s", name) >= PATH_MAX)
        return false;
    const size_t length = strlen(other);
    const kind what = has_array(other, length) ? ARRAY : lg_tree_is_zarr(name) ? GROUP : OTHER;
    if (!find_other(other, length, what, DEPTH + 2))
        return true;
    const size_t below = length + (other[length] == '/');
    memmove(other, other + below, strlen(other + below) + 1);
    return false;
}

#include "core/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

// Whether the name still leads to the file of the descriptor.
static bool is_named(int fd, int folder, const char *path, struct stat *out)
{
    struct stat there;
    return fstat(fd, out) == 0 && fstatat(folder, path, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
           there.st_dev == out->st_dev && there.st_ino == out->st_ino;
}

// NONBLOCK: opening a pipe that someone put there must not hang.
static bool remove_stale(int folder, const char *path)
{
    const int fd = openat(folder, path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return false;
    struct stat info;
    const bool gone = flock(fd, LOCK_EX | LOCK_NB) == 0 && is_named(fd, folder, path, &info) &&
                      S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
                      unlinkat(folder, path, 0) == 0;
    close(fd);
    return gone;
}

static int create_locked(int folder, const char *path, mode_t mode)
{
    const int fd = openat(folder, path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (fd < 0)
        return -1;
    const bool locked = flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    struct stat info;
    if (locked && is_named(fd, folder, path, &info))
        return fd;
    close(fd); // another process found it before it was locked, and took it for a stale one
    errno = EEXIST;
    return -1;
}

int lg_temporary_create(int folder, const char *path, mode_t mode)
{
    const int fd = create_locked(folder, path, mode);
    if (fd >= 0 || errno != EEXIST)
        return fd;
    if (!remove_stale(folder, path)) {
        errno = EEXIST;
        return -1;
    }
    return create_locked(folder, path, mode);
}

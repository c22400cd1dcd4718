#include "io/zarr_folder.h"

#include "core/portable.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static lg_status fail_file(const char *name, int code, lg_error *error)
{
    return lg_fail(error, code == ENOMEM ? LG_ERROR_MEMORY : LG_ERROR_IO, "cannot read %.200s: %s",
                   name, strerror(code));
}

// O_NONBLOCK: opening a named pipe must not hang before it is known to be one.
lg_status lg_zarr_open_file(int folder, const char *name, int *fd, int64_t *size, lg_error *error)
{
    struct stat file;
    *fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*fd < 0)
        return errno == ENOENT ? LG_OK : fail_file(name, errno, error);
    const int code = fstat(*fd, &file) == 0 ? 0 : errno;
    if (!code && S_ISREG(file.st_mode)) {
        *size = file.st_size;
        return LG_OK;
    }
    close(*fd);
    *fd = -1;
    return code ? fail_file(name, code, error)
                : lg_fail(error, LG_ERROR_DATA, "damaged Zarr: %.200s is %s, not a file", name,
                          S_ISDIR(file.st_mode)    ? "a folder"
                          : S_ISFIFO(file.st_mode) ? "a pipe"
                                                   : "a device");
}

lg_status lg_zarr_fail_group(const char *path, lg_error *error)
{
    return lg_fail(error, LG_ERROR_UNSUPPORTED,
                   "a group of Zarr without levels of an image; name an array in it, as %.200s/0",
                   path);
}

lg_status lg_zarr_folder_open(int above, const char *name, const char *path, lg_zarr_folder *out,
                              lg_error *error)
{
    if (snprintf(out->path, sizeof out->path, "%s%s%s", path, *name ? "/" : "", name) >=
        (int)sizeof out->path)
        return fail_file(name, ENAMETOOLONG, error);
    out->fd = *name ? openat(above, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_DIRECTORY)
                    : fcntl(above, F_DUPFD_CLOEXEC, 0);
    if (out->fd < 0)
        return fail_file(name, errno, error);
    out->open = true;
    return fstat(out->fd, &out->own) == 0 && fstatat(out->fd, ".zarray", &out->array, 0) == 0
               ? LG_OK
               : fail_file(".zarray", errno, error);
}

lg_status lg_zarr_folder_check(const lg_zarr_folder *folder, lg_error *error)
{
    struct stat own, array;
    const struct stat *was = &folder->array;
    if (stat(folder->path, &own) != 0 || own.st_dev != folder->own.st_dev ||
        own.st_ino != folder->own.st_ino)
        return lg_fail(error, LG_ERROR_IO,
                       "the file changed while it was read: another one has its name, or none");
    if (fstatat(folder->fd, ".zarray", &array, 0) != 0 || array.st_size != was->st_size ||
        array.st_ino != was->st_ino || array.st_mtim.tv_sec != was->st_mtim.tv_sec ||
        array.st_mtim.tv_nsec != was->st_mtim.tv_nsec)
        return lg_fail(error, LG_ERROR_IO, "the file changed while it was read: it was written to");
    return LG_OK;
}

void lg_zarr_folder_close(lg_zarr_folder *folder)
{
    if (folder->open)
        close(folder->fd);
    folder->open = false;
}

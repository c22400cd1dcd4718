// Opens what bytes are read from: a file, a pipe, or a member of an archive. Apart from the rest of
// the input, which modules have copies of.
#include "io/archive.h"
#include "io/io_internal.h"
#include "io/zarr_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// What Zarr says about an array or its levels, in place of the folder.
static lg_status open_metadata(lg_input *input, const char *path, lg_error *error)
{
    static const char *const names[] = {".zarray", ".zattrs", "zarr.json"};
    int fd = -1, group = -1;
    int64_t size;
    lg_status status = LG_OK;
    for (size_t i = 0; i < LG_COUNT(names) && fd < 0 && !status; i++)
        status = lg_zarr_open_file(input->fd, names[i], &fd, &size, error);
    if (!status && fd < 0)
        status = lg_zarr_open_file(input->fd, ".zgroup", &group, &size, error);
    if (group >= 0) {
        close(group);
        return lg_zarr_fail_group(path, error);
    }
    if (!status && fd < 0)
        status = lg_fail(error, LG_ERROR_IO,
                         "is a folder, not an image; name its files, as in "
                         "FOLDER/*.png");
    if (status)
        return status;
    input->folder = true;
    input->folder_fd = input->fd;
    input->fd = fd;
    return LG_OK;
}

lg_status lg_input_open(lg_input *input, const char *path, lg_error *error)
{
    *input = (lg_input){.fd = STDIN_FILENO, .size = -1};
    if (strcmp(path, "-") != 0) {
        // O_NONBLOCK: opening a named pipe must not hang before it is known to be one.
        input->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (input->fd < 0 && errno == ENOTDIR && lg_archive_length(path)) {
            const lg_status status = lg_archive_open(path, &input->fd, error);
            if (status)
                return status;
            input->member = true;
        } else if (input->fd < 0) {
            return lg_fail_read(error, errno);
        }
        input->owned = true;
    }
    struct stat status;
    if (fstat(input->fd, &status) != 0) {
        lg_input_close(input);
        return lg_fail_read(error, errno);
    }
    lg_status refusal = LG_OK;
    if (S_ISDIR(status.st_mode) && !(refusal = open_metadata(input, path, error)) &&
        fstat(input->fd, &status) != 0)
        refusal = lg_fail_read(error, errno);
    if (refusal) {
        lg_input_close(input);
        return refusal;
    }
    if (input->owned)
        fcntl(input->fd, F_SETFL, fcntl(input->fd, F_GETFL) & ~O_NONBLOCK);
    if (S_ISREG(status.st_mode)) {
        int64_t start = lseek(input->fd, 0, SEEK_CUR); // standard input may be read in part already
        input->seekable = start >= 0;
        input->start = LG_MAX(start, 0);
        input->size = start >= 0 ? (int64_t)status.st_size - start : -1;
    }
    return LG_OK;
}

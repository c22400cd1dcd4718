// Opens what bytes are read from: a file, a pipe, or a member of an archive. Apart from the rest of
// the input, which modules have copies of.
#include "io/archive.h"
#include "io/io_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// What Zarr says about an array or its levels, in place of the folder. false: it is another folder.
static bool open_metadata(lg_input *input, const char *path)
{
    static const char *const names[] = {".zarray", ".zattrs", "zarr.json"};
    for (size_t i = 0; i < LG_COUNT(names); i++) {
        char name[PATH_MAX];
        if (snprintf(name, sizeof name, "%s/%s", path, names[i]) >= (int)sizeof name)
            return false;
        const int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (fd < 0)
            continue;
        close(input->fd);
        input->fd = fd;
        input->folder = true;
        return true;
    }
    return false;
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
    if (S_ISDIR(status.st_mode) && open_metadata(input, path) && fstat(input->fd, &status) != 0) {
        lg_input_close(input);
        return lg_fail_read(error, errno);
    }
    if (S_ISDIR(status.st_mode)) {
        lg_input_close(input);
        return lg_fail(error, LG_ERROR_IO,
                       "is a folder, not an image; name its files, as in "
                       "FOLDER/*.png");
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

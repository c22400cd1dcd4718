// A pipe whose bytes are needed at any place: they go to a scratch file.
#include "core/scratch.h"
#include "io/io_internal.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

// 0, or an errno.
static int copy_rest(lg_input *input, int to)
{
    uint8_t block[1 << 14];
    for (size_t got; (got = lg_input_read(input, block, sizeof block)) > 0;)
        for (size_t done = 0; done < got;) {
            const ssize_t put = write(to, block + done, got - done);
            if (put < 0 && errno != EINTR)
                return errno;
            done += put > 0 ? (size_t)put : 0;
        }
    return 0;
}

lg_status lg_input_settle(const lg_context *context, lg_input *input, lg_error *error)
{
    const char *folder = context->scratch_folder;
    char path[4096];
    if (input->seekable || !folder)
        return LG_OK;
    const int fd = lg_scratch_file(folder, path, sizeof path);
    if (fd >= 0 && *path) { // a name that stays until the file is closed
        close(fd);
        unlink(path);
    }
    if (fd < 0 || *path) // the heap holds it
        return LG_OK;
    const int why = copy_rest(input, fd);
    const off_t end = why ? -1 : lseek(fd, 0, SEEK_CUR);
    if (why || input->failure || end < 0 || lseek(fd, 0, SEEK_SET) != 0) {
        close(fd);
        return why ? lg_fail(error, LG_ERROR_IO, "what comes through the pipe, to %.200s: %s",
                             folder, strerror(why))
                   : lg_input_short(input, "a pipe", error);
    }
    if (input->owned)
        close(input->fd);
    input->fd = fd;
    input->owned = input->seekable = true;
    input->size = end;
    input->start = input->offset = 0;
    input->begin = input->end = 0;
    return LG_OK;
}

#include "core/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static lg_status fail_io(const lg_scratch *s, const char *what, lg_error *error)
{
    return lg_fail(error, LG_ERROR_IO, "%s a scratch file in %.200s: %s", what, s->folder,
                   strerror(errno));
}

int lg_scratch_file(const char *folder, char *path, size_t room)
{
    if (snprintf(path, room, "%s/lumagraph-XXXXXX", folder) >= (int)room) {
        *path = 0;
        errno = ENAMETOOLONG;
        return -1;
    }
    const int fd = mkstemp(path);
    if (fd < 0 || unlink(path) == 0)
        *path = 0;
#ifdef FD_CLOEXEC // Windows hands down no such file
    if (fd >= 0)
        (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
#endif
    return fd;
}

static lg_status create(lg_scratch *s, lg_error *error)
{
    if (s->stream)
        return LG_OK;
    const int fd = lg_scratch_file(s->folder, s->path, sizeof s->path);
    if (fd < 0 && errno == ENAMETOOLONG)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "the name of the folder for scratch files is too long");
    if (fd < 0)
        return fail_io(s, "creating", error);
    s->stream = fdopen(fd, "w+b");
    if (s->stream && setvbuf(s->stream, NULL, _IONBF, 0) == 0)
        return LG_OK;
    const bool memory = errno == ENOMEM;
    const lg_status status = memory ? lg_fail_memory(error, sizeof(FILE), "a scratch file")
                                    : fail_io(s, "opening", error);
    if (!s->stream)
        close(fd);
    return status;
}

lg_status lg_scratch_write(lg_scratch *s, int64_t at, const void *bytes, size_t size,
                           lg_error *error)
{
    const lg_status status = size ? create(s, error) : LG_OK;
    if (status || !size)
        return status;
    return fseeko(s->stream, at, SEEK_SET) == 0 && fwrite(bytes, size, 1, s->stream) == 1
               ? LG_OK
               : fail_io(s, "writing", error);
}

lg_status lg_scratch_read(const lg_scratch *s, int64_t at, void *bytes, size_t size,
                          lg_error *error)
{
    if (!size)
        return LG_OK;
    errno = 0; // a file that is too short has no other reason
    return fseeko(s->stream, at, SEEK_SET) == 0 && fread(bytes, size, 1, s->stream) == 1
               ? LG_OK
               : fail_io(s, "reading", error);
}

void lg_scratch_close(lg_scratch *s)
{
    if (s->stream)
        fclose(s->stream);
    if (*s->path)
        unlink(s->path);
    s->stream = NULL;
    *s->path = 0;
}

#include "core/scratch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static lg_status fail_io(const lg_scratch *s, const char *what, lg_error *error)
{
    return lg_fail(error, LG_ERROR_IO, "%s a scratch file in %.200s: %s", what, s->folder,
                   strerror(errno));
}

static lg_status create(lg_scratch *s, lg_error *error)
{
    if (s->stream)
        return LG_OK;
    if (snprintf(s->path, sizeof s->path, "%s/lumagraph-XXXXXX", s->folder) >= (int)sizeof s->path)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "the name of the folder for scratch files is too "
                       "long");
    const int fd = mkstemp(s->path);
    if (fd < 0) {
        *s->path = 0;
        return fail_io(s, "creating", error);
    }
    if (unlink(s->path) == 0) // else when it is closed
        *s->path = 0;
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

#include "io/nameless.h"

#include "io/io_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int lg_nameless_file(const char *folder)
{
    static const char name[] = "/lumagraph-XXXXXX";
    const size_t length = strlen(folder);
    char *path = lg_alloc(length + sizeof name);
    if (!path) {
        errno = ENOMEM;
        return -1;
    }
    memcpy(path, folder, length);
    memcpy(path + length, name, sizeof name);
    int fd = mkstemp(path);
    if (fd >= 0 && unlink(path) != 0) {
        close(fd);
        fd = -1;
    }
#ifdef FD_CLOEXEC // Windows hands down no such file
    if (fd >= 0)
        (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
#endif
    lg_free(path);
    return fd;
}

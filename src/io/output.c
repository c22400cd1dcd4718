// Output files: complete or not there at all.
#include "core/temporary.h"
#include "io/folder_tree.h"
#include "io/io_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SLOTS 16

// Names of the temporary files that exist now. A signal handler has no other way to find them, so
// this is the one process-wide state; a slot is read only while its flag is up.
static struct {
    atomic_int used; // 0 free, 1 the file comes or goes, 2 it is there, 3 with a folder beside it
    char path[PATH_MAX];
    char folder[PATH_MAX];
} slots[SLOTS];

struct lg_output {
    FILE *stream;
    int slot;   // of the temporary file's name, -1: none
    char *path; // final name
    char *temporary;
    char *folder;  // the unfinished folder, beside the temporary file; NULL: a file is written
    int lock;      // descriptor of the temporary file while it exists, -1: there is none
    bool standard; // standard output
};

static atomic_bool ending; // the process: no temporary file may come into being any more

// A slot whose file is about to be made; -1: there is none. A process that ends gets no further.
static int slot_reserve(const char *path)
{
    for (int i = 0; i < SLOTS; i++) {
        int expected = 0;
        if (atomic_compare_exchange_strong(&slots[i].used, &expected, 1)) {
            snprintf(slots[i].path, sizeof slots[i].path, "%s", path);
            while (atomic_load(&ending)) {
                atomic_store(&slots[i].used, 0);
                pause();
            }
            return i;
        }
    }
    return -1;
}

static void slot_set(int slot, int used)
{
    if (slot >= 0)
        atomic_store(&slots[slot].used, used);
}

// A signal may reach a thread while another one makes or removes a file, which is done a moment later. That
// thread has blocked signals, so that it never waits for itself. poll() may be called in a handler.
void lg_output_unlink_all(void)
{
    atomic_store(&ending, true);
    for (int i = 0; i < SLOTS; i++) {
        for (int turn = 0; turn < 1000 && atomic_load(&slots[i].used) == 1; turn++)
            poll(NULL, 0, 1);
        const int used = atomic_load(&slots[i].used);
        if (used == 3)
            lg_tree_remove_numbered(slots[i].folder);
        if (used >= 2)
            unlink(slots[i].path);
    }
}

static void block_signals(sigset_t *old)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, old);
}

static int name_folder(const lg_output *output, const char *name)
{
    sigset_t old;
    block_signals(&old);
    slot_set(output->slot, 1);
    const int code = lg_tree_exchange(output->folder, name);
    slot_set(output->slot, 3);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return code;
}

// The temporary file gets its name, or goes where there is none. The handler forgets it first: the
// next file that is called so may be another process's.
static int leave_temporary(lg_output *output, const char *name)
{
    sigset_t old;
    int code = name && output->folder ? name_folder(output, name) : 0;
    if (output->folder) // what is left of it, or the one that was replaced
        lg_tree_remove(output->folder);
    block_signals(&old);
    slot_set(output->slot, 1);
    if (name && !output->folder && rename(output->temporary, name) != 0)
        code = errno;
    if (output->folder || code || !name)
        unlink(output->temporary);
    slot_set(output->slot, 0);
    output->slot = -1;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    close(output->lock);
    output->lock = -1;
    return code;
}

static void output_free(lg_output **output)
{
    if ((*output)->stream && !(*output)->standard)
        fclose((*output)->stream);
    if ((*output)->lock >= 0)
        leave_temporary(*output, NULL);
    lg_free((*output)->path);
    lg_free((*output)->temporary);
    lg_free((*output)->folder);
    lg_free(*output);
    *output = NULL;
}

#define NUMBERS 10000 // of temporary files that are written in one folder at the same time

// The signal handler knows a temporary file as soon as it exists, and not before: it must not
// remove the file of another process. EEXIST: another number is needed.
static int create_temporary(const char *path, int *slot)
{
    sigset_t old;
    block_signals(&old);
    *slot = slot_reserve(path);
    const int fd = lg_temporary_create(AT_FDCWD, path, 0666), code = errno;
    slot_set(*slot, fd < 0 ? 0 : 2);
    *slot = fd < 0 ? -1 : *slot;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    errno = code;
    return fd;
}

static char *folder_beside(const lg_output *output, const char *suffix)
{
    char *name = lg_alloc(PATH_MAX);
    if (name && snprintf(name, PATH_MAX, "%s%s", output->temporary, suffix) >= PATH_MAX) {
        lg_free(name);
        name = NULL;
    }
    return name;
}

// Folders that a killed process left, whose number this file has now.
static void remove_stale_folders(const lg_output *output)
{
    static const char *const suffixes[] = {LG_TREE_SUFFIX, LG_TREE_SUFFIX LG_TREE_OLD};
    for (size_t i = 0; i < LG_COUNT(suffixes); i++) {
        char *name = folder_beside(output, suffixes[i]);
        if (name)
            lg_tree_remove(name);
        lg_free(name);
    }
}

// Creates the temporary file beside the final one, with the mode a plain open() would give.
static lg_status temporary_open(lg_output *output, const struct stat *old, lg_error *error)
{
    const char *slash = strrchr(output->path, '/');
    int folder = slash ? (int)(slash - output->path + 1) : 0;
    output->temporary = lg_alloc(PATH_MAX);
    if (!output->temporary)
        return lg_fail_memory(error, PATH_MAX, "a file name");
    for (int number = 0; output->lock < 0; number++) {
        int length = snprintf(output->temporary, PATH_MAX, "%.*s.lumagraph-%d.tmp", folder,
                              output->path, number);
        if (length >= PATH_MAX)
            return lg_fail_write(error, ENAMETOOLONG);
        output->lock = create_temporary(output->temporary, &output->slot);
        if (output->lock < 0 && (errno != EEXIST || number == NUMBERS))
            return lg_fail_write(error, errno);
    }
    remove_stale_folders(output);
    if (old && fchmod(output->lock, old->st_mode & 07777) != 0) { // the default mode: no failure
    }
    const int fd = fcntl(output->lock, F_DUPFD_CLOEXEC, 0);
    output->stream = fd >= 0 ? fdopen(fd, "w+b") : NULL;
    if (output->stream)
        return LG_OK;
    const int code = errno;
    if (fd >= 0)
        close(fd);
    return lg_fail_write(error, code);
}

static lg_status direct_open(lg_output *output, lg_error *error)
{
    int fd = open(output->path, O_WRONLY | O_CLOEXEC);
    output->stream = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (output->stream)
        return LG_OK;
    int code = errno;
    if (fd >= 0)
        close(fd);
    return lg_fail_write(error, code);
}

#define MAX_LINKS 40 // as Linux has it

// Replaces `path` (PATH_MAX bytes) by what the link there points at; false when it is no link.
static bool follow_link(char *path)
{
    char target[PATH_MAX];
    const ssize_t length = readlink(path, target, sizeof target - 1);
    if (length <= 0)
        return false;
    target[length] = '\0';
    char *slash = strrchr(path, '/');
    const size_t folder = target[0] == '/' || !slash ? 0 : (size_t)(slash - path) + 1;
    if (folder + (size_t)length >= PATH_MAX)
        return false;
    memcpy(path + folder, target, (size_t)length + 1);
    return true;
}

// The file that a name stands for, through symbolic links, whether it is there or not.
static char *final_name(const char *path)
{
    char *resolved = realpath(path, NULL), *out = NULL;
    if (resolved) {
        out = lg_strdup(resolved);
    } else if (strlen(path) < PATH_MAX && (out = lg_alloc(PATH_MAX))) {
        strcpy(out, path);
        for (int i = 0; i < MAX_LINKS && follow_link(out); i++) {
        }
    } else {
        out = lg_strdup(path);
    }
    free(resolved);
    return out;
}

static lg_status output_start(lg_output *output, const char *path, lg_error *error)
{
    if (strcmp(path, "-") == 0) {
        output->standard = true;
        output->stream = stdout;
        return LG_OK;
    }
    // A symbolic link keeps pointing: its target is replaced, or made.
    output->path = final_name(path);
    if (!output->path)
        return lg_fail_memory(error, strlen(path), "a file name");
    struct stat old;
    if (stat(output->path, &old) != 0)
        return errno == ELOOP ? lg_fail_write(error, ELOOP) : temporary_open(output, NULL, error);
    if (S_ISDIR(old.st_mode))
        return lg_fail(error, LG_ERROR_IO, "cannot write: it is a folder; name a file");
    if (!S_ISREG(old.st_mode))
        return direct_open(output, error);
    if (access(output->path, W_OK) != 0)
        return lg_fail_write(error, errno);
    return temporary_open(output, &old, error);
}

lg_status lg_output_open(const char *path, lg_output **out, lg_error *error)
{
    if (!path || !out)
        return lg_fail_null(error, "the name of a file, and a place for it");
    lg_output *output = lg_alloc(sizeof *output);
    if (!output)
        return lg_fail_memory(error, sizeof *output, "an output file");
    output->slot = output->lock = -1;
    lg_status status = output_start(output, path, error);
    if (status != LG_OK) {
        output_free(&output);
        return status;
    }
    *out = output;
    return LG_OK;
}

FILE *lg_output_stream(lg_output *output)
{
    return output ? output->stream : NULL;
}

// ---- folders --------------------------------------------------------------------------------------

// The temporary file says that there is a process that writes the folder: both have the same number.
static lg_status begin_folder(lg_output *output, lg_error *error)
{
    sigset_t old;
    output->folder = folder_beside(output, LG_TREE_SUFFIX);
    if (!output->folder)
        return lg_fail_memory(error, PATH_MAX, "a file name");
    block_signals(&old);
    if (output->slot >= 0)
        memcpy(slots[output->slot].folder, output->folder, PATH_MAX);
    slot_set(output->slot, 1);
    const int code = mkdir(output->folder, 0777) == 0 ? 0 : errno;
    slot_set(output->slot, code ? 2 : 3);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return code ? lg_fail_write(error, code) : LG_OK;
}

static lg_status start_folder(lg_output *output, const char *path, lg_error *error)
{
    struct stat old;
    char other[PATH_MAX];
    output->path = final_name(path);
    if (!output->path)
        return lg_fail_memory(error, strlen(path), "a file name");
    const bool there = stat(output->path, &old) == 0;
    if (there && !S_ISDIR(old.st_mode))
        return lg_fail(error, LG_ERROR_IO,
                       "cannot write: it is a file, and Zarr is a folder; remove it, or use "
                       "another name");
    if (there && !lg_tree_is_replaceable(output->path, other))
        return lg_fail(error, LG_ERROR_IO,
                       "cannot write: it is a folder of other things than the image that would be "
                       "replaced, such as %.100s; remove it, or use another name",
                       *other ? other : "what may not be looked at");
    const lg_status status = temporary_open(output, NULL, error);
    return status ? status : begin_folder(output, error);
}

lg_status lg_output_open_folder(const char *path, lg_output **out, lg_error *error)
{
    lg_output *output = lg_alloc(sizeof *output);
    if (!output)
        return lg_fail_memory(error, sizeof *output, "an output folder");
    output->slot = output->lock = -1;
    const lg_status status = start_folder(output, path, error);
    if (status)
        output_free(&output);
    else
        *out = output;
    return status;
}

const char *lg_output_folder(const lg_output *output)
{
    return output->folder;
}

// ---- the end --------------------------------------------------------------------------------------

const char *lg_output_temporary(const lg_output *output)
{
    return output->lock >= 0 ? output->temporary : NULL;
}

// The new name survives a power cut only when its folder was synced too; a file system that cannot
// do that is no reason to fail.
static void folder_sync(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, LG_MAX((size_t)(slash - path), 1)) : strdup(".");
    int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    free(folder);
}

static int output_finish(lg_output *output)
{
    struct stat old;
    char other[PATH_MAX];
    if (fflush(output->stream) != 0)
        return errno;
    if (ferror(output->stream))
        return EIO;
    if (output->standard)
        return 0;
#ifdef __linux__ // elsewhere each file was synced
    if (output->folder && syncfs(output->lock) != 0)
        return errno;
#endif
    if (output->lock >= 0 && fsync(fileno(output->stream)) != 0)
        return errno;
    FILE *stream = output->stream;
    output->stream = NULL;
    if (fclose(stream) != 0)
        return errno;
    if (output->lock < 0)
        return 0;
    if (output->folder && stat(output->path, &old) == 0 &&
        !lg_tree_is_replaceable(output->path, other)) // which it was when it began
        return ENOTEMPTY;
    const int code = leave_temporary(output, output->path);
    if (!code)
        folder_sync(output->path);
    return code;
}

lg_status lg_output_commit(lg_output **output, lg_error *error)
{
    if (!output || !*output)
        return lg_fail_null(error, "an output file");
    int code = output_finish(*output);
    if (code == 0) {
        output_free(output);
        return LG_OK;
    }
    lg_output_discard(output);
    return lg_fail_write(error, code);
}

void lg_output_discard(lg_output **output)
{
    if (!output || !*output)
        return;
    output_free(output);
}

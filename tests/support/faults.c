#include "faults.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Programs with large files call functions of other names.
#ifdef __USE_FILE_OFFSET64
#define LARGE(name) name##64
#else
#define LARGE(name) name
#endif

static _Atomic int64_t fail_at[FAULTS_KINDS] = {-1, -1, -1, -1}, calls[FAULTS_KINDS];
static _Atomic int64_t syncs, folder_syncs, live;
static atomic_bool fired;

void faults_arm(faults_kind kind, int64_t at)
{
    for (int k = 0; k < FAULTS_KINDS; k++) {
        atomic_store(&calls[k], 0);
        atomic_store(&fail_at[k], k == (int)kind ? at : -1);
    }
    atomic_store(&fired, false);
}

bool faults_disarm(void)
{
    for (int k = 0; k < FAULTS_KINDS; k++)
        atomic_store(&fail_at[k], -1);
    return atomic_load(&fired);
}

int64_t faults_calls(faults_kind kind)
{
    return atomic_load(&calls[kind]);
}

int64_t faults_syncs(void)
{
    return atomic_load(&syncs);
}

int64_t faults_folder_syncs(void)
{
    return atomic_load(&folder_syncs);
}

int64_t faults_live(void)
{
    return atomic_load(&live);
}

static bool fails(faults_kind kind)
{
    const int64_t call = atomic_fetch_add(&calls[kind], 1);
    const int64_t at = atomic_load(&fail_at[kind]);
    if (at < 0 || call != at)
        return false;
    atomic_store(&fired, true);
    errno = kind == FAULTS_MEMORY ? ENOMEM : EIO;
    return true;
}

// ---- blocks that live ---------------------------------------------------------------------------

enum { BUCKETS = 1 << 16 };

typedef struct block {
    void *at;
    struct block *next;
} block;

static block *blocks[BUCKETS];
static pthread_mutex_t blocks_lock = PTHREAD_MUTEX_INITIALIZER;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t size);
void __real_free(void *pointer);

static block **bucket(const void *pointer)
{
    return &blocks[((uintptr_t)pointer >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 48];
}

static void *note(void *pointer)
{
    block *b = pointer ? __real_malloc(sizeof *b) : NULL;
    if (!b)
        return pointer;
    pthread_mutex_lock(&blocks_lock);
    *b = (block){pointer, *bucket(pointer)};
    *bucket(pointer) = b;
    pthread_mutex_unlock(&blocks_lock);
    atomic_fetch_add(&live, 1);
    return pointer;
}

// What libc allocated inside is not here.
static void forget(const void *pointer)
{
    block *found = NULL;
    pthread_mutex_lock(&blocks_lock);
    for (block **at = bucket(pointer); *at && !found; at = found ? at : &(*at)->next)
        if ((*at)->at == pointer) {
            found = *at;
            *at = found->next;
            break;
        }
    pthread_mutex_unlock(&blocks_lock);
    if (found)
        atomic_fetch_sub(&live, 1);
    __real_free(found);
}

// ---- memory -------------------------------------------------------------------------------------

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t size);
void __wrap_free(void *pointer);
FILE *__real_open_memstream(char **text, size_t *size);
FILE *__wrap_open_memstream(char **text, size_t *size);
char *__real_realpath(const char *path, char *out);
char *__wrap_realpath(const char *path, char *out);
FILE *__real_fdopen(int fd, const char *mode);
FILE *__wrap_fdopen(int fd, const char *mode);
int __wrap_asprintf(char **out, const char *format, ...) __attribute__((format(printf, 2, 3)));

void *__wrap_malloc(size_t size)
{
    return fails(FAULTS_MEMORY) ? NULL : note(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails(FAULTS_MEMORY) ? NULL : note(__real_calloc(count, size));
}

void *__wrap_realloc(void *old, size_t size)
{
    if (fails(FAULTS_MEMORY))
        return NULL;
    if (old)
        forget(old);
    void *now = __real_realloc(old, size);
    note(now ? now : old);
    return now;
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return fails(FAULTS_MEMORY) ? NULL : note(__real_aligned_alloc(alignment, size));
}

char *__wrap_strdup(const char *text)
{
    return fails(FAULTS_MEMORY) ? NULL : note(__real_strdup(text));
}

char *__wrap_strndup(const char *text, size_t size)
{
    return fails(FAULTS_MEMORY) ? NULL : note(__real_strndup(text, size));
}

void __wrap_free(void *pointer)
{
    if (pointer)
        forget(pointer);
    __real_free(pointer);
}

void *faults_malloc(size_t size)
{
    return __wrap_malloc(size);
}

void faults_free(void *pointer)
{
    __wrap_free(pointer);
}

FILE *__wrap_open_memstream(char **text, size_t *size)
{
    return fails(FAULTS_MEMORY) ? NULL : __real_open_memstream(text, size);
}

char *__wrap_realpath(const char *path, char *out)
{
    return fails(FAULTS_MEMORY) ? NULL : __real_realpath(path, out);
}

FILE *__wrap_fdopen(int fd, const char *mode)
{
    return fails(FAULTS_MEMORY) ? NULL : __real_fdopen(fd, mode);
}

int __wrap_asprintf(char **out, const char *format, ...)
{
    if (fails(FAULTS_MEMORY))
        return -1;
    va_list args;
    va_start(args, format);
    const int length = vasprintf(out, format, args);
    va_end(args);
    if (length >= 0)
        note(*out);
    return length;
}

// ---- threads and files --------------------------------------------------------------------------

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*main)(void *),
                          void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*main)(void *),
                          void *arg);
int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
int LARGE(__real_openat)(int folder, const char *path, int flags, ...);
int LARGE(__wrap_openat)(int folder, const char *path, int flags, ...);
int __real_fclose(FILE *stream);
int __wrap_fclose(FILE *stream);
int __real_fflush(FILE *stream);
int __wrap_fflush(FILE *stream);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*main)(void *),
                          void *arg)
{
    return fails(FAULTS_THREAD) ? EAGAIN : __real_pthread_create(thread, how, main, arg);
}

int __wrap_fsync(int fd)
{
    struct stat is;
    atomic_fetch_add(fstat(fd, &is) == 0 && S_ISDIR(is.st_mode) ? &folder_syncs : &syncs, 1);
    return fails(FAULTS_FILE) ? -1 : __real_fsync(fd);
}

int __wrap_rename(const char *from, const char *to)
{
    return fails(FAULTS_FILE) ? -1 : __real_rename(from, to);
}

int LARGE(__wrap_openat)(int folder, const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
    va_end(args);
    return fails(FAULTS_FILE) ? -1 : LARGE(__real_openat)(folder, path, flags, mode);
}

// Closes in any case, as close() does. A stream into memory is no file.
int __wrap_fclose(FILE *stream)
{
    const bool failing = fileno(stream) >= 0 && fails(FAULTS_FILE);
    const int closed = __real_fclose(stream);
    errno = failing ? EIO : errno;
    return failing ? EOF : closed;
}

int __wrap_fflush(FILE *stream)
{
    return fails(FAULTS_FILE) ? EOF : __real_fflush(stream);
}

// ---- scratch files --------------------------------------------------------------------------------

int LARGE(__real_mkstemp)(char *path);
int LARGE(__wrap_mkstemp)(char *path);
int LARGE(__real_fseeko)(FILE *stream, off_t offset, int whence);
int LARGE(__wrap_fseeko)(FILE *stream, off_t offset, int whence);
size_t __real_fwrite(const void *from, size_t size, size_t count, FILE *stream);
size_t __wrap_fwrite(const void *from, size_t size, size_t count, FILE *stream);
size_t __real_fread(void *to, size_t size, size_t count, FILE *stream);
size_t __wrap_fread(void *to, size_t size, size_t count, FILE *stream);

static bool fails_at(FILE *stream)
{
    struct stat is;
    const bool scratch = fileno(stream) >= 0 && fstat(fileno(stream), &is) == 0 &&
                         S_ISREG(is.st_mode) && is.st_nlink == 0;
    return scratch && fails(FAULTS_SCRATCH);
}

int LARGE(__wrap_mkstemp)(char *path)
{
    return fails(FAULTS_SCRATCH) ? -1 : LARGE(__real_mkstemp)(path);
}

int LARGE(__wrap_fseeko)(FILE *stream, off_t offset, int whence)
{
    return fails_at(stream) ? -1 : LARGE(__real_fseeko)(stream, offset, whence);
}

// A part is written and read, as on a disk that becomes full.
size_t __wrap_fwrite(const void *from, size_t size, size_t count, FILE *stream)
{
    if (!fails_at(stream))
        return __real_fwrite(from, size, count, stream);
    const size_t some = __real_fwrite(from, size, count / 2, stream);
    errno = EIO;
    return some;
}

size_t __wrap_fread(void *to, size_t size, size_t count, FILE *stream)
{
    if (!fails_at(stream))
        return __real_fread(to, size, count, stream);
    const size_t some = __real_fread(to, size, count / 2, stream);
    errno = EIO;
    return some;
}

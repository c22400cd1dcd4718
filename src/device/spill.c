#include "device/spill.h"

#include "core/portable.h"
#include "core/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifndef _WIN32
#include <sys/statvfs.h>
#endif
#include <time.h>
#include <unistd.h>

#define LEAST      ((size_t)256 << 10) // bytes of a block that is worth a file
#define MOST_PART  ((size_t)256 << 20)
#define MORE_PAGES 64
#define AROUND     ((size_t)64 << 10) // bytes that Linux maps around one that is read

typedef struct block {
    void *at;
    size_t bytes;
    bool mapped;
    struct block *next;
} block;

// A part of the limit is for the pages of files that are in memory, as much again for those that come until
// they are seen and for what a program takes itself, and the rest for blocks of the heap.
static size_t part_of_files(size_t limit)
{
    return LG_MIN(limit / 4, MOST_PART);
}

struct lg_spill {
    pthread_mutex_t mutex;
    pthread_cond_t changed; // the first block is mapped, or the watch ends
    lg_thread *watch;
    bool stop;
    block *blocks;
    size_t limit;      // 0: the heap takes all
    size_t part, page; // bytes for files, at the last limit; of a page
    size_t heap;       // bytes of the blocks that are there
    uint64_t mapped, most;
    _Atomic bool any; // blocks are mapped: without any, nobody waits for the mutex after a job
    char *folder;
    int status;   // a file that tells how much of the process is in memory; -1: there is none
    int64_t rest; // pages of files that were in memory when ours had been let go of
};

// ---- pages that are in memory ---------------------------------------------------------------------

#ifndef LG_PORTABLE

static int open_status(void)
{
    return open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
}

// Of all files that the process has mapped; -1: not known.
static int64_t shared_pages(const struct lg_spill *s)
{
    char text[128];
    const ssize_t got = s->status >= 0 ? pread(s->status, text, sizeof text - 1, 0) : -1;
    if (got <= 0)
        return -1;
    text[got] = 0;
    char *at = text;
    for (int i = 0; i < 2; i++)
        (void)strtoll(at, &at, 10);
    return strtoll(at, NULL, 10);
}

#else

static int open_status(void)
{
    return -1;
}

static int64_t shared_pages(const struct lg_spill *s)
{
    return -1;
}

#endif

#ifdef _WIN32 // the heap goes to the paging file by itself

enum { LETS_GO = false };

static void *map_file(const char *folder, size_t bytes)
{
    return lg_alloc_aligned(bytes); // zeros, as a file has
}

static size_t page_size(void)
{
    return 4096;
}

static void unmap(block *b)
{
    lg_free(b->at);
}

static void let_go(const block *b)
{
}

#else

enum { LETS_GO = true };

// For systems and file systems that cannot set room aside. An errno.
static int write_zeros(int fd, size_t bytes)
{
    static const char zeros[1 << 16];
    for (size_t done = 0; done < bytes;) {
        const ssize_t wrote = write(fd, zeros, LG_MIN(bytes - done, sizeof zeros));
        if (wrote < 0 && errno != EINTR)
            return errno;
        done += wrote > 0 ? (size_t)wrote : 0;
    }
    return 0;
}

// At most half of the room that is left: others need some, and an image that says it is large may lie.
static int take_room(int fd, size_t bytes)
{
    struct statvfs found;
    if (fstatvfs(fd, &found) == 0 &&
        (double)found.f_bavail * (double)found.f_frsize < 2 * (double)bytes)
        return ENOSPC;
#ifdef LG_PORTABLE
    return write_zeros(fd, bytes);
#else
    const int why = posix_fallocate(fd, 0, (off_t)bytes);
    return why == EOPNOTSUPP || why == EINVAL ? write_zeros(fd, bytes) : why;
#endif
}

// Room is taken at once: a full disk would end the process when a page is written.
static void *map_file(const char *folder, size_t bytes)
{
    char path[4096];
    const int fd = lg_scratch_file(folder, path, sizeof path);
    if (fd < 0)
        return NULL;
    if (*path)
        unlink(path);
    void *at = MAP_FAILED;
    errno = take_room(fd, bytes);
    if (!errno)
        at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    const int why = errno;
    close(fd);
    errno = why;
    return at == MAP_FAILED ? NULL : at;
}

static size_t page_size(void)
{
    const long bytes = sysconf(_SC_PAGESIZE);
    return bytes > 0 ? (size_t)bytes : 4096;
}

static void unmap(block *b)
{
    munmap(b->at, b->bytes);
}

static void let_go(const block *b)
{
    (void)madvise(b->at, b->bytes,
                  MADV_DONTNEED); // of a shared file: the kernel keeps what was written
}

#endif

// Whoever waits for the blocks waits no longer than the kernel takes to look through its tables. Pages that
// other threads have mapped again by then are ours: the rest grows slowly, as libraries do. Returns whether
// it is known that there were too many.
static bool relieve(struct lg_spill *s)
{
    // Jobs bring more until they ask again.
    const int64_t pages = shared_pages(s), most = (int64_t)(s->part / 8 * 5 / s->page);
    if (pages >= 0 && pages - s->rest <= most)
        return false;
    for (const block *b = s->blocks; b; b = b->next)
        if (b->mapped)
            let_go(b);
    s->rest = LG_MIN(shared_pages(s), s->rest + MORE_PAGES);
    return pages >= 0;
}

static bool relieve_now(struct lg_spill *s)
{
    if (!atomic_load_explicit(&s->any, memory_order_relaxed))
        return false;
    pthread_mutex_lock(&s->mutex);
    const bool many = relieve(s);
    pthread_mutex_unlock(&s->mutex);
    return many;
}

static void relieve_pool(void *priv)
{
    relieve_now(priv);
}

bool lg_blocks_relieve(lg_context *context)
{
    return context && context->spill && relieve_now(context->spill);
}

void lg_context_relieve(lg_context *context)
{
    lg_blocks_relieve(context);
}

// On a machine where all processors have other work to do it may be late.
static void watch(void *priv)
{
    struct lg_spill *s = priv;
    pthread_mutex_lock(&s->mutex);
    while (!s->stop) {
        if (!s->mapped) {
            pthread_cond_wait(&s->changed, &s->mutex);
            continue;
        }
        const bool many = relieve(s);
        pthread_mutex_unlock(&s->mutex);
        const struct timespec pause = {.tv_nsec = many ? 50000 : 500000};
        nanosleep(&pause, NULL);
        pthread_mutex_lock(&s->mutex);
    }
    pthread_mutex_unlock(&s->mutex);
}

// ---- blocks ---------------------------------------------------------------------------------------

static lg_status fail_file(const struct lg_spill *s, size_t bytes, const char *what,
                           lg_error *error)
{
    if (errno == ENOMEM)
        return lg_fail_memory(error, bytes, what);
    if (errno == ENAMETOOLONG)
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "the name of the folder for scratch files is too long");
    const bool full = errno == ENOSPC || errno == EFBIG;
    return lg_fail(error, LG_ERROR_IO, "%s: a scratch file of %.3f MB in %.200s: %s%s", what,
                   (double)bytes / 1e6, s->folder, strerror(errno),
                   full ? " (half of the free room is used at most); name a folder with more room"
                        : "");
}

static lg_status take_file(struct lg_spill *s, block *b, const char *what, lg_error *error)
{
    b->at = map_file(s->folder, b->bytes);
    b->mapped = true;
    return b->at ? LG_OK : fail_file(s, b->bytes, what, error);
}

static lg_status take_heap(block *b, const char *what, bool zeroed, lg_error *error)
{
    b->at = zeroed ? lg_alloc_aligned(b->bytes) : lg_alloc_uninit(b->bytes);
    return b->at ? LG_OK : lg_fail_memory(error, b->bytes, what);
}

static void list(struct lg_spill *s, block *b)
{
    pthread_mutex_lock(&s->mutex);
    b->next = s->blocks;
    s->blocks = b;
    if (b->mapped)
        s->mapped += b->bytes;
    if (s->mapped > s->most)
        s->most = s->mapped;
    atomic_store(&s->any, s->mapped > 0);
    if (LETS_GO && b->mapped && !s->watch)
        s->watch = lg_thread_start(watch, s); // without it the kernel alone decides
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&s->mutex);
}

// Bytes that the heap may have.
static size_t most_of_heap(const struct lg_spill *s)
{
    return s->limit ? s->limit - 2 * part_of_files(s->limit) : SIZE_MAX;
}

size_t lg_blocks_room(const lg_context *context)
{
    struct lg_spill *s = context->spill;
    if (!s)
        return SIZE_MAX;
    pthread_mutex_lock(&s->mutex);
    const size_t most = most_of_heap(s), room = most - LG_MIN(most, s->heap);
    pthread_mutex_unlock(&s->mutex);
    return room;
}

// Whether the heap may have so many bytes more, which then count.
static bool reserve(struct lg_spill *s, size_t bytes)
{
    pthread_mutex_lock(&s->mutex);
    const size_t most = most_of_heap(s);
    const bool fits = s->heap <= most && bytes <= most - s->heap;
    if (fits)
        s->heap += bytes;
    pthread_mutex_unlock(&s->mutex);
    return fits;
}

static void count_less(struct lg_spill *s, size_t bytes)
{
    pthread_mutex_lock(&s->mutex);
    s->heap -= bytes;
    pthread_mutex_unlock(&s->mutex);
}

static lg_status take(lg_context *context, size_t bytes, const char *what, bool zeroed, void **out,
                      lg_error *error)
{
    struct lg_spill *s = context->spill;
    block plain = {.bytes = bytes};
    if (!s || bytes < LEAST) {
        const lg_status status = take_heap(&plain, what, zeroed, error);
        *out = plain.at;
        return status;
    }
    block *b = lg_alloc(sizeof *b);
    if (!b)
        return lg_fail_memory(error, sizeof *b, what);
    b->bytes = bytes;
    const bool heap = reserve(s, bytes);
    const lg_status status =
        heap ? take_heap(b, what, zeroed, error) : take_file(s, b, what, error);
    if (!status) {
        list(s, b);
        *out = b->at;
        return LG_OK;
    }
    if (heap)
        count_less(s, bytes);
    lg_free(b);
    return status;
}

lg_status lg_block_take(lg_context *context, size_t bytes, const char *what, void **out,
                        lg_error *error)
{
    return take(context, bytes, what, false, out, error);
}

lg_status lg_block_take_zeroed(lg_context *context, size_t bytes, const char *what, void **out,
                               lg_error *error)
{
    return take(context, bytes, what, true, out, error);
}

static block *unlist(struct lg_spill *s, const void *at)
{
    pthread_mutex_lock(&s->mutex);
    block **link = &s->blocks;
    while (*link && (*link)->at != at)
        link = &(*link)->next;
    block *b = *link;
    if (b) {
        *link = b->next;
        *(b->mapped ? &s->mapped : &s->heap) -= b->bytes;
        atomic_store(&s->any, s->mapped > 0);
    }
    pthread_mutex_unlock(&s->mutex);
    return b;
}

bool lg_blocks_are_mapped(const lg_context *context)
{
    return context->spill && atomic_load(&context->spill->any);
}

int32_t lg_mapped_side(const lg_context *context)
{
    if (!lg_blocks_are_mapped(context))
        return 0;
    pthread_mutex_lock(&context->spill->mutex);
    const size_t part = context->spill->part;
    pthread_mutex_unlock(&context->spill->mutex);
    const size_t rows = part / (AROUND + AROUND / 2) / (size_t)lg_pool_threads(context->pool);
    return (int32_t)LG_MIN(LG_MAX(rows / 16 * 16, 16), 512);
}

void lg_block_give(lg_context *context, void *at)
{
    block *b = at && context && context->spill ? unlist(context->spill, at) : NULL;
    if (b && b->mapped)
        unmap(b);
    else
        lg_free(at);
    lg_free(b);
}

// ---- the limit ------------------------------------------------------------------------------------

static struct lg_spill *create(void)
{
    struct lg_spill *s = lg_alloc(sizeof *s);
    if (!s)
        return NULL;
    pthread_mutex_init(&s->mutex, NULL);
    pthread_cond_init(&s->changed, NULL);
    s->page = page_size();
    s->status = open_status();
    s->rest = shared_pages(s);
    return s;
}

lg_status lg_context_set_memory(lg_context *context, uint64_t bytes, const char *folder,
                                lg_error *error)
{
    const lg_status status = lg_context_check(context, error);
    if (status)
        return status;
    if (bytes && (!folder || !*folder))
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "a limit of memory needs a folder for scratch files");
    char *copy = bytes ? lg_strdup(folder) : NULL;
    if (bytes && !copy)
        return lg_fail_memory(error, strlen(folder) + 1, "the name of a folder");
    if (bytes && !context->spill && !(context->spill = create())) {
        lg_free(copy);
        return lg_fail_memory(error, sizeof *context->spill, "a limit of memory");
    }
    struct lg_spill *s = context->spill;
    if (!s)
        return LG_OK;
    pthread_mutex_lock(&s->mutex);
    s->limit = (size_t)LG_MIN(bytes, (uint64_t)SIZE_MAX);
    if (bytes)
        s->part = part_of_files(s->limit);
    if (copy) {
        lg_free(s->folder);
        s->folder = copy;
    }
    context->scratch_folder = bytes ? s->folder : NULL;
    pthread_mutex_unlock(&s->mutex);
    lg_pool_relieve(context->pool, relieve_pool, s);
    return LG_OK;
}

uint64_t lg_context_scratch(const lg_context *context)
{
    struct lg_spill *s = context ? context->spill : NULL;
    if (!s)
        return 0;
    pthread_mutex_lock(&s->mutex);
    const uint64_t most = s->most;
    pthread_mutex_unlock(&s->mutex);
    return most;
}

void lg_spill_destroy(lg_context *context)
{
    struct lg_spill *s = context->spill;
    if (!s)
        return;
    pthread_mutex_lock(&s->mutex);
    s->stop = true;
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&s->mutex);
    lg_thread_join(&s->watch);
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->mutex);
    if (s->status >= 0)
        close(s->status);
    lg_free(s->folder);
    lg_free(s);
    context->spill = NULL;
}

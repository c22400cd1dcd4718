// A libcuda.so.1 for tests, on the memory of the host. It imports the memory that lavapipe exports, a
// file whose header says where its bytes begin, and does the work of a stream only when somebody waits
// for it: what reads earlier reads old pixels. There are no semaphores, as lavapipe shares none.
//
// The environment, read with each call:
//   FAKE_CUDA_UUIDS    of the devices, 32 hexadecimal digits each, with commas between; by default none
//   FAKE_CUDA_FAIL     the name of a call that fails
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PUBLIC __attribute__((visibility("default")))
// A call of the driver: declared, and what it does.
#define CALL(name, ...)                                                                            \
    PUBLIC int name(__VA_ARGS__);                                                                  \
    int name(__VA_ARGS__)
#define FAILS(name)                                                                                \
    if (is_to_fail(name))                                                                          \
    return FAILURE

enum { INVALID = 1, NO_DEVICE = 100, NOT_READY = 600, FAILURE = 999, MOST = 64, PENDING = 64 };

typedef struct end {
    size_t x, y;
    int memory;
    void *host;
    uint64_t device;
    void *array;
    size_t pitch;
} end;

typedef struct copy {
    end from, to;
    size_t width, height;
} copy;

typedef struct stream {
    copy pending[PENDING];
    int count;
    struct stream *behind; // whose work comes first
    struct stream *next;   // of all
} stream;

typedef struct block {
    char *memory;
    size_t size;
    int device;
} block;

typedef struct handle {
    int type;
    union {
        int fd;
        void *others[2];
    } source;
    unsigned long long size;
    unsigned flags, reserved[16];
} handle;

typedef struct range {
    unsigned long long offset, size;
    unsigned flags, reserved[16];
} range;

typedef struct imported {
    char *file;
    size_t bytes, begin, size;
} imported;

static stream default_stream; // the first of the list of all
static block blocks[MOST];
static int live, waits, retained; // retained: the device

PUBLIC int fake_cuda_live(void);
PUBLIC int fake_cuda_waits(void);
PUBLIC void *fake_cuda_alloc(size_t bytes, int device);
PUBLIC void fake_cuda_free(void *memory);
PUBLIC void fake_cuda_fill(void *to, const void *from, size_t bytes, void *s);

static int is_to_fail(const char *name)
{
    const char *wanted = getenv("FAKE_CUDA_FAIL");
    return wanted && !strcmp(wanted, name);
}

static const char *uuids(void)
{
    const char *list = getenv("FAKE_CUDA_UUIDS");
    return list ? list : "";
}

static void note(char *memory, size_t size, int device)
{
    for (int i = 0; i < MOST; i++)
        if (!blocks[i].memory) {
            blocks[i] = (block){memory, size, device};
            return;
        }
}

static void forget(const char *memory)
{
    for (int i = 0; i < MOST; i++)
        if (blocks[i].memory == memory)
            blocks[i].memory = NULL;
}

// ---- for tests ------------------------------------------------------------------------------------

// Objects that were made and not destroyed.
int fake_cuda_live(void)
{
    return live;
}

// How often all work of the device was waited for.
int fake_cuda_waits(void)
{
    return waits;
}

void *fake_cuda_alloc(size_t bytes, int device)
{
    char *memory = calloc(1, bytes);
    note(memory, bytes, device);
    return memory;
}

void fake_cuda_free(void *memory)
{
    forget(memory);
    free(memory);
}

// A kernel that writes, in a stream. `from` stays until it has run.
void fake_cuda_fill(void *to, const void *from, size_t bytes, void *at)
{
    stream *s = (uintptr_t)at < 3 ? &default_stream : at;
    s->pending[s->count++] = (copy){.from = {.device = (uintptr_t)from, .pitch = bytes},
                                    .to = {.device = (uintptr_t)to, .pitch = bytes},
                                    .width = bytes,
                                    .height = 1};
}

// ---- devices --------------------------------------------------------------------------------------

CALL(cuInit, unsigned flags)
{
    FAILS("cuInit");
    return flags ? INVALID : !*uuids() ? NO_DEVICE : 0;
}

CALL(cuGetErrorString, int result, const char **out)
{
    *out = result == NO_DEVICE ? "no CUDA-capable device is detected" : "made to fail";
    return 0;
}

CALL(cuDeviceGetCount, int *out)
{
    FAILS("cuDeviceGetCount");
    *out = (int)(strlen(uuids()) + 1) / 33;
    return 0;
}

CALL(cuDeviceGet, int *out, int number)
{
    *out = number;
    return 0;
}

CALL(cuDeviceGetUuid, uint8_t out[16], int device)
{
    FAILS("cuDeviceGetUuid");
    for (int i = 0; i < 16; i++) {
        unsigned byte = 0;
        sscanf(uuids() + 33 * device + 2 * i, "%2x", &byte);
        out[i] = (uint8_t)byte;
    }
    return 0;
}

CALL(cuDevicePrimaryCtxRetain, void **out, int device)
{
    FAILS("cuDevicePrimaryCtxRetain");
    retained = device;
    live++;
    *out = &default_stream;
    return 0;
}

CALL(cuDevicePrimaryCtxRelease_v2, int device)
{
    (void)device;
    live--;
    return 0;
}

CALL(cuCtxPushCurrent_v2, void *context)
{
    FAILS("cuCtxPushCurrent");
    live++;
    return context ? 0 : INVALID;
}

CALL(cuCtxPopCurrent_v2, void **out)
{
    live--;
    *out = &default_stream;
    return 0;
}

// ---- streams --------------------------------------------------------------------------------------

static void work(stream *s)
{
    if (s->behind) {
        stream *first = s->behind;
        s->behind = NULL;
        work(first);
    }
    for (int i = 0; i < s->count; i++)
        for (size_t y = 0; y < s->pending[i].height; y++) {
            const copy *c = &s->pending[i];
            memcpy((char *)(uintptr_t)c->to.device + y * c->to.pitch,
                   (const char *)(uintptr_t)c->from.device + y * c->from.pitch, c->width);
        }
    s->count = 0;
}

static stream *stream_of(void *at)
{
    return (uintptr_t)at < 3 ? &default_stream : at;
}

CALL(cuCtxSynchronize, void)
{
    waits++;
    for (stream *s = &default_stream; s; s = s->next)
        work(s);
    return 0;
}

CALL(cuStreamCreate, void **out, unsigned flags)
{
    FAILS("cuStreamCreate");
    (void)flags;
    live++;
    stream *made = calloc(1, sizeof *made);
    made->next = default_stream.next;
    default_stream.next = made;
    *out = made;
    return 0;
}

CALL(cuStreamDestroy_v2, void *at)
{
    live--;
    stream *before = &default_stream;
    while (before->next != at)
        before = before->next;
    before->next = before->next->next;
    work(at);
    free(at);
    return 0;
}

CALL(cuStreamQuery, void *at)
{
    const stream *s = stream_of(at);
    return s->count || s->behind ? NOT_READY : 0;
}

CALL(cuStreamSynchronize, void *at)
{
    FAILS("cuStreamSynchronize");
    work(stream_of(at));
    return 0;
}

CALL(cuEventCreate, void **out, unsigned flags)
{
    FAILS("cuEventCreate");
    (void)flags;
    live++;
    *out = calloc(1, sizeof(stream *));
    return 0;
}

CALL(cuEventDestroy_v2, void *event)
{
    live--;
    free(event);
    return 0;
}

CALL(cuEventRecord, void *event, void *at)
{
    *(stream **)event = stream_of(at);
    return 0;
}

CALL(cuStreamWaitEvent, void *at, void *event, unsigned flags)
{
    (void)flags;
    stream *s = stream_of(at), *first = *(stream **)event;
    s->behind = s == first ? NULL : first;
    return 0;
}

// ---- memory ---------------------------------------------------------------------------------------

CALL(cuPointerGetAttribute, void *out, int attribute, uint64_t pointer)
{
    if (attribute != 9)
        return INVALID;
    for (int i = 0; i < MOST; i++) {
        const uint64_t first = (uintptr_t)blocks[i].memory;
        if (first && pointer >= first && pointer < first + blocks[i].size) {
            memcpy(out, &blocks[i].device, sizeof(int));
            return 0;
        }
    }
    return INVALID;
}

CALL(cuMemcpy2DAsync_v2, const copy *c, void *at)
{
    FAILS("cuMemcpy2DAsync");
    stream *s = stream_of(at);
    if (s->count == PENDING || c->from.pitch < c->width || c->to.pitch < c->width)
        return INVALID;
    s->pending[s->count++] = *c;
    return 0;
}

CALL(cuMemcpyDtoDAsync_v2, uint64_t to, uint64_t from, size_t bytes, void *at)
{
    FAILS("cuMemcpyDtoDAsync");
    fake_cuda_fill((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes, at);
    return 0;
}

CALL(cuImportExternalMemory, void **out, const handle *h)
{
    FAILS("cuImportExternalMemory");
    struct stat file;
    if (h->type != 1 || fstat(h->source.fd, &file))
        return INVALID;
    imported *i = calloc(1, sizeof *i);
    i->bytes = (size_t)file.st_size;
    i->file = mmap(NULL, i->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, h->source.fd, 0);
    memcpy(&i->begin, i->file + sizeof(size_t), sizeof i->begin);
    i->size = h->size;
    close(h->source.fd);
    live++;
    *out = i;
    return i->begin + i->size <= i->bytes ? 0 : INVALID;
}

CALL(cuExternalMemoryGetMappedBuffer, uint64_t *out, void *memory, const range *r)
{
    FAILS("cuExternalMemoryGetMappedBuffer");
    const imported *i = memory;
    if (r->offset + r->size > i->size)
        return INVALID;
    char *at = i->file + i->begin + r->offset;
    note(at, r->size, retained);
    live++;
    *out = (uintptr_t)at;
    return 0;
}

CALL(cuMemFree_v2, uint64_t pointer)
{
    live--;
    forget((const char *)(uintptr_t)pointer);
    return 0;
}

CALL(cuDestroyExternalMemory, void *memory)
{
    imported *i = memory;
    live--;
    munmap(i->file, i->bytes);
    free(i);
    return 0;
}

// ---- semaphores: not of lavapipe ------------------------------------------------------------------

CALL(cuImportExternalSemaphore, void **out, const void *from)
{
    (void)out, (void)from;
    return FAILURE;
}

CALL(cuDestroyExternalSemaphore, void *semaphore)
{
    (void)semaphore;
    return FAILURE;
}

CALL(cuSignalExternalSemaphoresAsync, const void *list, const void *values, unsigned count, void *s)
{
    (void)list, (void)values, (void)count, (void)s;
    return FAILURE;
}

CALL(cuWaitExternalSemaphoresAsync, const void *list, const void *values, unsigned count, void *s)
{
    (void)list, (void)values, (void)count, (void)s;
    return FAILURE;
}

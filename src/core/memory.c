#include "core/core.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LG_CACHE_LINE 64
// Bytes from which large pages are asked for: first writes to small ones cost more than the rest.
#define LARGE_LEAST ((size_t)4 << 20)
#define PAGE        ((size_t)65536) // a multiple of every size that pages have where this runs

// Tests count this down to make one allocation fail; below zero nothing fails.
static _Atomic int64_t fail_after = -1;

void lg_alloc_fail_after(int64_t count)
{
    atomic_store(&fail_after, count);
}

static bool refused(void)
{
    if (atomic_load_explicit(&fail_after, memory_order_relaxed) < 0)
        return false;
    return atomic_fetch_sub(&fail_after, 1) == 0;
}

void *lg_alloc(size_t bytes)
{
    return lg_alloc_array(1, bytes);
}

void *lg_alloc_array(size_t count, size_t size)
{
    return refused() ? NULL : calloc(count ? count : 1, size ? size : 1);
}

void *lg_alloc_uninit(size_t bytes)
{
    if (refused() || bytes > SIZE_MAX - LG_CACHE_LINE)
        return NULL;
    void *pointer =
        aligned_alloc(LG_CACHE_LINE, lg_align_up(LG_MAX(bytes, (size_t)1), LG_CACHE_LINE));
    lg_use_large_pages(pointer, bytes);
    return pointer;
}

// Zeroes memory of the heap. Whole pages go back to the kernel, which hands out zeros at the first
// access: pixels that are written next are then touched once, and by the threads that write them.
static void zero(void *pointer, size_t bytes)
{
#if defined(__linux__)
    char *const begin = pointer, *const end = begin + bytes;
    if (bytes >= LARGE_LEAST) {
        char *const first = (char *)lg_align_up((uintptr_t)begin, PAGE);
        char *const last = (char *)((uintptr_t)end & ~(uintptr_t)(PAGE - 1));
        *first = 1; // memory that is shared would keep it
        if (madvise(first, (size_t)(last - first), MADV_DONTNEED) == 0 && !*first) {
            memset(begin, 0, (size_t)(first - begin));
            memset(last, 0, (size_t)(end - last));
            return;
        }
    }
#endif
    memset(pointer, 0, bytes);
}

void *lg_alloc_aligned(size_t bytes)
{
    void *pointer = lg_alloc_uninit(bytes);
    if (pointer)
        zero(pointer, bytes);
    return pointer;
}

void lg_free(void *pointer)
{
    free(pointer);
}

void lg_use_large_pages(void *pointer, size_t bytes)
{
#if defined(MADV_HUGEPAGE)
    const size_t page = 4096;
    if (!pointer || bytes < LARGE_LEAST)
        return;
    const uintptr_t begin = lg_align_up((uintptr_t)pointer, page);
    const uintptr_t end = ((uintptr_t)pointer + bytes) & ~(uintptr_t)(page - 1);
    (void)madvise((void *)begin, end - begin, MADV_HUGEPAGE); // advice: nothing depends on it
#endif
}

char *lg_strdup(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = lg_alloc(size);
    if (copy)
        memcpy(copy, text, size);
    return copy;
}

uint64_t lg_hash(const void *data, size_t size, uint64_t seed)
{
    // FNV-1a over bytes with a final mix: small and good enough for names and keys.
    const uint8_t *bytes = data;
    uint64_t hash = seed ^ 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    hash ^= hash >> 32;
    hash *= 0xd6e8feb86659fd93u;
    return hash ^ (hash >> 32);
}

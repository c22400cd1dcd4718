#include "check.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static uint64_t passed, failed, skipped;
static uint64_t seed_used = 1, state = 0x9e3779b97f4a7c15u;

__attribute__((format(__printf__, 4, 0))) static void
failure(const char *file, int line, const char *expression, const char *format, va_list args)
{
    printf("%s:%d: FAILED %s (seed %llu): ", file, line, expression, (unsigned long long)seed_used);
    vprintf(format, args);
    printf("\n");
    fflush(stdout);
}

void check_that(bool condition, const char *file, int line, const char *expression,
                const char *format, ...)
{
    if (condition) {
        passed++;
        return;
    }
    failed++;
    if (failed > 40) // a broken kernel fails everywhere: the first lines say enough
        return;
    va_list args;
    va_start(args, format);
    failure(file, line, expression, format, args);
    va_end(args);
}

void check_need(bool condition, const char *file, int line, const char *expression,
                const char *format, ...)
{
    if (condition) {
        passed++;
        return;
    }
    failed++;
    va_list args;
    va_start(args, format);
    failure(file, line, expression, format, args);
    va_end(args);
    exit(check_finish(program_invocation_short_name));
}

void check_skip(const char *reason)
{
    // Not on the heap: tests count the blocks that live there.
    static char seen[64][256];
    skipped++;
    for (size_t i = 0; i < 64; i++) {
        if (strncmp(seen[i], reason, sizeof seen[i] - 1) == 0)
            return;
        if (!seen[i][0]) {
            snprintf(seen[i], sizeof seen[i], "%s", reason);
            printf("skipped: %s\n", reason);
            return;
        }
    }
}

int check_finish(const char *name)
{
    printf("%s: %llu passed, %llu failed, %llu skipped\n", name, (unsigned long long)passed,
           (unsigned long long)failed, (unsigned long long)skipped);
    return failed > 0 || passed + skipped == 0;
}

void random_seed(uint64_t seed)
{
    seed_used = seed;
    state = seed * 0x9e3779b97f4a7c15u + 0x7f4a7c15u;
}

uint64_t random_u64(void)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545f4914f6cdd1du;
}

uint32_t random_below(uint32_t limit)
{
    return (uint32_t)(((random_u64() >> 32) * limit) >> 32);
}

double random_unit(void)
{
    return (double)(random_u64() >> 11) * 0x1p-53;
}

double random_normal(void)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += random_unit();
    return sum;
}

void random_bytes(void *data, size_t size)
{
    uint8_t *bytes = data;
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(random_u64() >> 56);
}

bool test_wants_vulkan(void)
{
    const char *wish = getenv("LUMAGRAPH_TEST_VULKAN");
    return !wish || strcmp(wish, "0") != 0;
}

bool test_is_short(void)
{
    const char *wish = getenv("LUMAGRAPH_TEST_SHORT");
    return wish && strcmp(wish, "1") == 0;
}

bool test_is_full(void)
{
    const char *wish = getenv("LUMAGRAPH_TEST_FULL");
    return wish && strcmp(wish, "1") == 0 && !test_is_short();
}

int test_extent(int shorter, int usual, int full)
{
    if (test_is_short())
        return shorter;
    return test_is_full() ? full : usual;
}

bool remove_tree(const char *folder)
{
    DIR *entries = opendir(folder);
    bool gone = entries != NULL;
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        char path[PATH_MAX];
        struct stat found;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        const bool is_folder = lstat(path, &found) == 0 && S_ISDIR(found.st_mode);
        gone = (is_folder ? remove_tree(path) : unlink(path) == 0) && gone;
    }
    if (entries)
        closedir(entries);
    return gone && rmdir(folder) == 0;
}

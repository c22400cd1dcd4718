// What every test program uses: counted checks, a seeded generator, a closing line.
#ifndef LG_TEST_CHECK_H
#define LG_TEST_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// CHECK(condition, "format", ...) counts one check and prints file, line and message on failure.
#define CHECK(condition, ...) check_that((condition), __FILE__, __LINE__, #condition, __VA_ARGS__)

// As CHECK, for what the lines below cannot do without: a failure ends the program, with its counts.
#define NEED(condition, ...) check_need((condition), __FILE__, __LINE__, #condition, __VA_ARGS__)

void check_that(bool condition, const char *file, int line, const char *expression,
                const char *format, ...) __attribute__((format(__printf__, 5, 6)));
void check_need(bool condition, const char *file, int line, const char *expression,
                const char *format, ...) __attribute__((format(__printf__, 5, 6)));
// Counts one skipped check; the reason is printed once per reason.
void check_skip(const char *reason);
// Prints `NAME: N passed, N failed, N skipped` and returns the exit status.
int check_finish(const char *name);

// The defaults of a structure of parameters with some members set, which `it` stands for:
//   WITH(lg_label_params, it.connectivity = 4, it.fill_holes = true)
#define WITH(type, ...)                                                                            \
    __extension__({                                                                                \
        type it = type##_default();                                                                \
        __VA_ARGS__;                                                                               \
        it;                                                                                        \
    })
// The same, as what a pointer is wanted to; it lives as long as the block around it.
#define WITH_REF(type, ...) ((const type[]){WITH(type, __VA_ARGS__)})

// xorshift64*: the same numbers everywhere. The seed is printed with a failure.
void random_seed(uint64_t seed);
uint64_t random_u64(void);
uint32_t random_below(uint32_t limit); // 0 .. limit-1
double random_unit(void);              // [0, 1)
double random_normal(void);            // about normal, deviation 1
void random_bytes(void *data, size_t size);

// 0: the CPU only. Otherwise also run on Vulkan: LUMAGRAPH_TEST_VULKAN=0 turns it off.
bool test_wants_vulkan(void);
// LUMAGRAPH_TEST_SHORT=1 (set under sanitizers and validation layers, which are slow): fewer
// repetitions of the same kind are enough.
bool test_is_short(void);
// LUMAGRAPH_TEST_FULL=1: every combination, for real hardware. Software Vulkan compiles each
// kernel for a second, so that the usual run takes a choice of them.
bool test_is_full(void);
// As many as suit the short, the usual and the full form of the tests.
int test_extent(int shorter, int usual, int full);

// Removes a folder with all that is in it; false when something stays.
bool remove_tree(const char *folder);

#endif

// Vulkan contexts for tests: opened or reported as missing, closed with a check on what they said.
#ifndef LG_TEST_DEVICE_H
#define LG_TEST_DEVICE_H

#include "core/core.h"

// A context on Vulkan with the optional features of the comma-separated list `without` masked
// (NULL: none). NULL where there is no device: one skipped check with the reason. `cache_dir` NULL:
// nothing is kept on disk.
lg_context *device_open(const char *cache_dir, const char *without);

// A context on the CPU that keeps nothing on disk, with as many threads as there are processors or
// as are asked for; NULL is a failed check.
lg_context *device_open_cpu(void);
lg_context *device_open_threads(int threads);

// The same of one instruction-set level; NULL, a skipped check, where the processor lacks it, and NULL alone
// where the build does.
lg_context *device_open_level(lg_cpu_level level, int threads);

// A context on Vulkan whose device alone computes, on one thread. NULL where there is no device: one skipped
// check.
lg_context *device_open_strict(void);

// Software, which compiles each kernel for a second, outside the full form.
bool device_is_slow(const lg_context *context);

// How often a context has measured which variant of a kernel is the fastest, over all contexts.
unsigned device_choices(void);

// Counts validation messages, logged errors and a lost device as failures, and so what the CPU did in
// the device's place but for known reasons, which are skipped checks.
void device_close(lg_context **context);

// The CPU and, where there is one, a Vulkan device, otherwise one skipped check that names `what`
// is not tried there. Returns how many.
int device_open_both(lg_context *contexts[2], const char *what);
void device_close_both(lg_context *contexts[2]);

// The backend alone; with LUMAGRAPH_TEST_ADOPT=1 on the device of support/adopted.h, as all of the above.
lg_status device_vk(const lg_context_params *params, const char *cache_dir, struct lg_vk **out,
                    lg_error *error);

// The whole program: runs with the device, where there is one, in *context. Returns the exit status.
int device_main(const char *name, lg_context **context, void (*run)(void));

#endif

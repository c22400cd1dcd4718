// lumagraph: a context is a device (the CPU or one Vulkan device) plus its caches.
#ifndef LUMAGRAPH_CONTEXT_H
#define LUMAGRAPH_CONTEXT_H

#include <lumagraph/common.h>

#ifdef __cplusplus
extern "C" {
#endif

// Thread-safety: a context may be used from one thread at a time; different contexts are
// independent. A process that is forked has neither the threads nor the device of its parent's
// contexts: there every call with one of them is LG_ERROR_DEVICE, and destroying one, or what was
// made with it, frees the memory of the host and returns at once. A context that is created after
// fork() works. Worker threads block signals, so that handlers run on the caller's threads.
typedef struct lg_context lg_context;

typedef enum lg_device_kind {
    LG_DEVICE_AUTO,   // a hardware Vulkan device when one works, else the CPU
    LG_DEVICE_CPU,    // SIMD and threads
    LG_DEVICE_VULKAN, // the Vulkan device of device_index; an error when it cannot be had
} lg_device_kind;

// Instruction sets the CPU kernels are compiled for. A level that this processor lacks is refused.
typedef enum lg_cpu_level {
    LG_CPU_BEST = -1, // the highest this processor runs
    LG_CPU_BASE = 0,  // the compiler's baseline for the architecture
    LG_CPU_V2,        // x86-64-v2: SSE4.2
    LG_CPU_V3,        // x86-64-v3: AVX2
    LG_CPU_V4,        // x86-64-v4: AVX-512
    LG_CPU_NEON,      // AArch64 Advanced SIMD
    LG_CPU_LEVELS
} lg_cpu_level;

typedef enum lg_log_level {
    LG_LOG_ERROR, // a result is missing
    LG_LOG_WARN,  // a result is right but was reached another way (a fallback)
    LG_LOG_INFO,  // decisions: device, variants, caches
    LG_LOG_DEBUG,
} lg_log_level;

// Called from the thread that uses the context. `message` has no line end.
typedef void (*lg_log_fn)(void *priv, lg_log_level level, const char *message);

// How far a long call is: `part` of its present step, 0 to 1. A call may have several steps, and each
// begins again near 0. Called at most every 20 ms, from the thread that made the call. Returns true
// to go on. After false the call stops as soon as it can, and returns LG_ERROR_CANCELLED: between two
// tiles of a CPU's work, between two pieces of an upload or download, before the next submission to a
// device. Nothing is made then; pixels and values for which the caller gave room may be written in
// part. The function calls nothing of this library that takes a context.
typedef bool (*lg_progress_fn)(void *priv, double part);

typedef struct lg_context_params {
    size_t size; // sizeof(lg_context_params) of the caller; the defaults set it
    lg_device_kind device;
    int device_index;       // of lg_devices_list(), for LG_DEVICE_VULKAN; -1: the best one
    int threads;            // CPU worker threads, 1 .. 1024; -1: one per processor of this process
    lg_cpu_level cpu_level; // LG_CPU_BEST, or a lower one to compare
    lg_log_fn log;          // NULL: silent
    void *log_priv;
    const char *cache_dir; // NULL: $XDG_CACHE_HOME/lumagraph or ~/.cache/lumagraph
    bool use_cache;        // keep pipelines and measured choices on disk
    bool validation; // turn on the Vulkan validation layers; their messages are logged as errors.
                     // Calls also check that device copies of images are those of the host pixels
                     // (lg_image_upload), which takes as long as reading these
    bool strict; // what a Vulkan device cannot do, or does no longer, is LG_ERROR_DEVICE; without
                 // it the CPU does it, with a line in the log and in lg_context_report()
    lg_progress_fn progress; // of every call that takes this context; NULL: none
    void *progress_priv;
} lg_context_params;

// Writes the defaults into the first `size` bytes, for callers of another version; see docs/abi.md.
LG_API void lg_context_params_init(lg_context_params *params, size_t size);

// The defaults, to be changed and passed on, as with every structure of parameters:
//   lg_context_params params = lg_context_params_default();
//   params.device = LG_DEVICE_CPU;
// LG_DEVICE_AUTO, the best device, all processors, the highest level, silent, with a cache.
static inline lg_context_params lg_context_params_default(void)
{
    lg_context_params params;
    lg_context_params_init(&params, sizeof params);
    return params;
}

// Creates a context; params NULL means defaults. The environment variable LUMAGRAPH_CPU (base, v2,
// v3, v4, neon) lowers cpu_level. When LG_DEVICE_AUTO finds no usable Vulkan device, one log line
// says why and the context computes on the CPU.
// Errors: LG_ERROR_DEVICE (no such device, missing feature, CPU level this processor lacks),
// LG_ERROR_ARGUMENT, LG_ERROR_MEMORY.
LG_API lg_status lg_context_create(const lg_context_params *params, lg_context **out,
                                   lg_error *error);

// Destroys the context and sets *context to NULL. Images and results made with it must be destroyed
// before. NULL and pointer to NULL are fine.
LG_API void lg_context_destroy(lg_context **context);

// One device as `lumagraph devices` shows it.
typedef struct lg_device_info {
    lg_device_kind kind; // LG_DEVICE_CPU or LG_DEVICE_VULKAN
    int index;           // for device_index; -1 for the CPU
    bool usable;
    bool hardware; // false for software Vulkan such as lavapipe
    char name[256];
    char driver[256];      // driver name and version; on the CPU the SIMD level in use
    char api[32];          // Vulkan version, or the CPU architecture
    char reason[256];      // why it is not usable; empty when it is
    bool compiler;         // filters can be compiled for it; the CPU needs no compiler
    char no_compiler[256]; // why they cannot: those that were not kept on disk run on the CPU
    uint64_t memory;       // bytes of the largest device-local heap; 0 when unknown
    int subgroup_size;     // 0 on the CPU
    int threads;           // CPU threads; 0 on Vulkan
} lg_device_info;

// Lists the devices, the CPU first. Writes at most `capacity` entries and returns how many there
// are in *count. Without a Vulkan loader or driver only the CPU is listed and `why_no_vulkan`
// (optional, 256 bytes) gets one line; it is empty when a loader answered.
LG_API lg_status lg_devices_list(lg_device_info *out, size_t capacity, size_t *count,
                                 char *why_no_vulkan, lg_error *error);

// The device a context computes on.
LG_API void lg_context_device(const lg_context *context, lg_device_info *out);

LG_API const char *lg_cpu_level_name(lg_cpu_level level);

// The highest level that this processor runs and this build contains.
LG_API lg_cpu_level lg_cpu_level_best(void);

#ifdef __cplusplus
}
#endif

#endif

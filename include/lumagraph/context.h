// lumagraph: a context is a device (the CPU or one Vulkan device) plus its caches.
#ifndef LUMAGRAPH_CONTEXT_H
#define LUMAGRAPH_CONTEXT_H

#include <lumagraph/common.h>

#ifdef __cplusplus
extern "C" {
#endif

// Thread-safety: one thread at a time uses a context; different contexts are independent. After
// fork() the child has neither the worker threads nor the device of its parent's contexts. There
// every call with such a context is LG_ERROR_DEVICE. Destroying the context, or an object made with
// it, frees host memory and returns at once. A context created after fork() works as usual. Worker
// threads block signals, so signal handlers run on the caller's threads.
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

// Progress of a long call. `part` runs from 0 to 1 within one step; a call may have several steps,
// and `part` starts near 0 in each. The function is called at most every 20 ms, from the thread
// that made the call. It returns true to continue. After false the call ends with
// LG_ERROR_CANCELLED at its next check: between two tiles on the CPU, between two pieces of a
// transfer, before the next submission to a device. A cancelled call creates nothing, but may have
// written part of the caller's memory. The function must not call this library with a context.
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
                     // Calls also compare device copies with the host pixels (lg_image_upload),
                     // which costs a pass over the pixels
    bool strict; // work that a Vulkan device cannot do, or fails to do, is LG_ERROR_DEVICE. false:
                 // the CPU does it, and the log and lg_context_report() say so
    lg_progress_fn progress; // called by every long call with this context; NULL: none
    void *progress_priv;
} lg_context_params;

// Writes the defaults into the first `size` bytes, for callers of another version; see docs/abi.md.
LG_API void lg_context_params_init(lg_context_params *params, size_t size);

// The defaults. Callers change members and pass the structure on, as with all parameter structures:
//   lg_context_params params = lg_context_params_default();
//   params.device = LG_DEVICE_CPU;
// LG_DEVICE_AUTO, the best device, all processors, the highest level, no log, with a cache.
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

// Destroys the context and sets *context to NULL. Destroy images and results made with it first.
// NULL and a pointer to NULL are fine.
LG_API void lg_context_destroy(lg_context **context);

// Sets how many bytes of memory pixels take on the host: those of images that the library allocates,
// and of the work of filters and measurements on them. What goes beyond lies in scratch files without
// names in `folder`, which are mapped: a half of `bytes`, but at most 512 MiB, is for pages of these
// files that are in memory at a time. Results are the same. The limit holds for what is allocated from then
// on; 0: none, as at first. A disk without room fails the call that needs it (LG_ERROR_IO). On Windows
// the paging file takes the place of scratch files.
// Errors: LG_ERROR_ARGUMENT, LG_ERROR_MEMORY.
LG_API lg_status lg_context_set_memory(lg_context *context, uint64_t bytes, const char *folder,
                                       lg_error *error);

// Bytes that scratch files of this context took at the most.
LG_API uint64_t lg_context_scratch(const lg_context *context);

// Lets go of pages of scratch files when many are in memory. A thread of the context does so every half
// millisecond, and calls while they work. A caller that goes through many pixels may do so in between,
// from any thread, as that thread may be late on a busy machine.
LG_API void lg_context_relieve(lg_context *context);

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
    bool compiler;         // filters can be compiled for it; always true for the CPU
    char no_compiler[256]; // why not: filters without a kernel in the disk cache run on the CPU
    uint64_t memory;       // bytes of the largest device-local heap; 0 when unknown
    int subgroup_size;     // 0 on the CPU
    int threads;           // CPU threads; 0 on Vulkan
    uint8_t uuid[16]; // of the device as other interfaces know it (Vulkan's deviceUUID, which CUDA
                      // and NVML have too); zeros on the CPU
} lg_device_info;

// Lists the devices, the CPU first. Writes at most `capacity` entries and sets *count to the number
// of devices. Without a Vulkan loader or driver only the CPU is listed, and `why_no_vulkan`
// (optional, 256 bytes) gets the reason in one line; it is empty when a loader answered.
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

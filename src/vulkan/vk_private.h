// Inside the Vulkan backend: function table, device state, fault seam.
#ifndef LG_VK_PRIVATE_H
#define LG_VK_PRIVATE_H

#define VK_NO_PROTOTYPES
#include "vulkan/vk.h"
#include <vulkan/vulkan.h>

// All Vulkan functions that the backend calls; the loader fills them in three steps.
#define LG_VK_GLOBAL_FUNCTIONS(X)                                                                  \
    X(vkCreateInstance)                                                                            \
    X(vkEnumerateInstanceExtensionProperties)                                                      \
    X(vkEnumerateInstanceLayerProperties)                                                          \
    X(vkEnumerateInstanceVersion)

#define LG_VK_INSTANCE_FUNCTIONS(X)                                                                \
    X(vkDestroyInstance)                                                                           \
    X(vkEnumeratePhysicalDevices)                                                                  \
    X(vkEnumerateDeviceExtensionProperties)                                                        \
    X(vkGetPhysicalDeviceProperties)                                                               \
    X(vkGetPhysicalDeviceProperties2)                                                              \
    X(vkGetPhysicalDeviceFeatures2)                                                                \
    X(vkGetPhysicalDeviceMemoryProperties)                                                         \
    X(vkGetPhysicalDeviceQueueFamilyProperties)                                                    \
    X(vkGetPhysicalDeviceExternalBufferProperties)                                                 \
    X(vkGetPhysicalDeviceExternalSemaphoreProperties)                                              \
    X(vkCreateDevice)                                                                              \
    X(vkGetDeviceProcAddr)

#define LG_VK_DEVICE_FUNCTIONS(X)                                                                  \
    X(vkDestroyDevice)                                                                             \
    X(vkDeviceWaitIdle)                                                                            \
    X(vkGetDeviceQueue)                                                                            \
    X(vkQueueSubmit)                                                                               \
    X(vkAllocateMemory)                                                                            \
    X(vkFreeMemory)                                                                                \
    X(vkMapMemory)                                                                                 \
    X(vkCreateBuffer)                                                                              \
    X(vkDestroyBuffer)                                                                             \
    X(vkGetBufferMemoryRequirements)                                                               \
    X(vkBindBufferMemory)                                                                          \
    X(vkGetBufferDeviceAddress)                                                                    \
    X(vkCreateSemaphore)                                                                           \
    X(vkDestroySemaphore)                                                                          \
    X(vkWaitSemaphores)                                                                            \
    X(vkSignalSemaphore)                                                                           \
    X(vkGetSemaphoreCounterValue)                                                                  \
    X(vkCreateShaderModule)                                                                        \
    X(vkDestroyShaderModule)                                                                       \
    X(vkCreatePipelineLayout)                                                                      \
    X(vkDestroyPipelineLayout)                                                                     \
    X(vkCreatePipelineCache)                                                                       \
    X(vkDestroyPipelineCache)                                                                      \
    X(vkGetPipelineCacheData)                                                                      \
    X(vkCreateComputePipelines)                                                                    \
    X(vkDestroyPipeline)                                                                           \
    X(vkCreateCommandPool)                                                                         \
    X(vkDestroyCommandPool)                                                                        \
    X(vkAllocateCommandBuffers)                                                                    \
    X(vkBeginCommandBuffer)                                                                        \
    X(vkEndCommandBuffer)                                                                          \
    X(vkCreateQueryPool)                                                                           \
    X(vkDestroyQueryPool)                                                                          \
    X(vkGetQueryPoolResults)                                                                       \
    X(vkResetQueryPool)                                                                            \
    X(vkCmdBindPipeline)                                                                           \
    X(vkCmdPushConstants)                                                                          \
    X(vkCmdDispatch)                                                                               \
    X(vkCmdFillBuffer)                                                                             \
    X(vkCmdCopyBuffer)                                                                             \
    X(vkCmdCopyBufferToImage)                                                                      \
    X(vkCmdCopyImageToBuffer)                                                                      \
    X(vkCmdPipelineBarrier)                                                                        \
    X(vkCmdResetQueryPool)                                                                         \
    X(vkCmdWriteTimestamp)

// Null on a device or instance that lacks the extension.
#define LG_VK_OPTIONAL_FUNCTIONS(X)                                                                \
    X(vkGetMemoryFdKHR)                                                                            \
    X(vkGetSemaphoreFdKHR)                                                                         \
    X(vkImportSemaphoreFdKHR)
#define LG_VK_DEBUG_FUNCTIONS(X)                                                                   \
    X(vkCreateDebugUtilsMessengerEXT)                                                              \
    X(vkDestroyDebugUtilsMessengerEXT)

typedef struct lg_vk_functions {
    PFN_vkGetInstanceProcAddr vkGetInstanceProcAddr;
#define LG_VK_MEMBER(name) PFN_##name name;
    LG_VK_GLOBAL_FUNCTIONS(LG_VK_MEMBER)
    LG_VK_INSTANCE_FUNCTIONS(LG_VK_MEMBER)
    LG_VK_DEVICE_FUNCTIONS(LG_VK_MEMBER)
    LG_VK_OPTIONAL_FUNCTIONS(LG_VK_MEMBER)
    LG_VK_DEBUG_FUNCTIONS(LG_VK_MEMBER)
#undef LG_VK_MEMBER
} lg_vk_functions;

// Fault injection for tests, owned by the test. The fail_at-th call (from 1) that can fail returns
// `result` without reaching the driver. The probe counts live objects.
typedef struct lg_vk_probe {
    const char *library; // instead of libvulkan.so.1; NULL: the usual one
    int64_t calls, fail_at;
    VkResult result;
    int64_t created, destroyed;
    const char *failed; // name of the call that failed
} lg_vk_probe;

// What kernels and the backend use of the features of a device.
typedef struct lg_vk_features {
    bool addresses, scalar_layout, storage8, storage16, timelines; // required
    bool float64, int64, int16, int8, float16, int64_atomics, int64_shared_atomics;
    bool float32_atomic_add, dot_product, subgroup_sizes, full_subgroups, host_query_reset;
    bool memory_model, memory_model_device, maintenance4, zero_initialize;
} lg_vk_features;

// A device that the application has made and lends.
typedef struct lg_vk_adopted {
    lg_vk_features features;
    const char *const *extensions; // of the application, until the device is open
    uint32_t extension_count;
    uint32_t family, queue, transfer_family, transfer_queue;
    void (*lock)(void *priv, uint32_t family, uint32_t queue);
    void (*unlock)(void *priv, uint32_t family, uint32_t queue);
    void *priv;
} lg_vk_adopted;

// The properties of a physical device; `reason` is empty when it is usable.
typedef struct lg_vk_physical {
    VkPhysicalDevice handle;
    VkPhysicalDeviceProperties properties;
    VkPhysicalDeviceMemoryProperties memory;
    uint32_t queue_family, timestamp_bits;
    uint32_t copy_family, copy_queues,
        copy_timestamp_bits; // that only copies; queues 0: there is none
    bool host_query_reset;
    uint64_t heap_size;
    uint8_t driver_uuid[VK_UUID_SIZE];
    bool denorm_all, rounding_all; // lg_float_modes
    bool subgroup_size_control, full_subgroups, int8, int16, dot_product, maintenance4;
    bool memory_model, memory_model_device, zero_initialize, driver_properties,
        int64_shared_atomics;
    uint32_t max_subgroups;       // per workgroup, with subgroup size control
    bool memory_fd, semaphore_fd; // buffers, and timelines, can be shared by file descriptors
    const char *extensions[12];   // to enable
    uint32_t extension_count;
    lg_vk_limits limits;
    lg_device_info info;
    char reason[256];
} lg_vk_physical;

enum { LG_VK_MEMORIES = 3, LG_VK_STAGING_SLICES = 4, LG_VK_LOOSE = 4 };
#define LG_VK_STAGING_SIZE ((size_t)8 << 20) // bytes of one slice

typedef struct lg_vk_block lg_vk_block;

struct lg_vk_pipeline {
    VkPipeline handle; // null: not made yet
    bool wanted;       // lg_vk_pipelines_make is to make it
    uint64_t key;      // of one that is made
    const lg_spirv *spirv;
    uint32_t constants[LG_VK_MAX_CONSTANTS], count, subgroup_size;
    lg_vk_pipeline *next;
};

struct lg_vk_buffer_private {
    const lg_vk *owner; // the device that it is on
    VkBuffer buffer;
    VkDeviceSize offset; // of the buffer within VkBuffer (pool blocks)
    VkDeviceMemory memory;
    lg_vk_block *block; // NULL: its own allocation
    uint64_t need;      // bytes of the block or allocation that it uses
    bool imported;      // what somebody else has exported
    bool foreign;       // the application's VkBuffer
    bool shared;        // of memory that can be exported
    lg_vk_memory kind;
    lg_vk_buffer *next; // in the list of buffers kept after a device loss, or of retired ones
    uint64_t until; // of a retired one: the value of the first lane's timeline that it waits for
    lg_vk_buffer *older, *newer; // in the list of live buffers
};

// A place where commands run in order, with a timeline of its own.
typedef struct lg_vk_lane {
    VkQueue queue;
    uint32_t family, index, timestamp_bits;
    bool only_copies; // what else needs a compute queue is left out
    VkSemaphore timeline;
    uint64_t submitted, finished; // timeline values
    uint64_t work, work_finished; // dispatches submitted and finished, for the timeout
} lg_vk_lane;

// A ring of staging slices for one direction.
typedef struct lg_vk_ring {
    lg_vk_buffer *buffer;
    lg_vk_commands *commands[LG_VK_STAGING_SLICES];
} lg_vk_ring;

// Choices measured on this device, as kept on disk.
typedef struct lg_vk_choice {
    char key[64];
    int32_t value;
} lg_vk_choice;

struct lg_vk_commands {
    lg_vk *vk;
    lg_vk_lane *lane;
    VkCommandPool pool;
    VkCommandBuffer handle;
    VkQueryPool queries;
    uint32_t timestamps;
    VkPipeline bound;
    uint32_t dispatches; // recorded
    bool dirty;          // something was recorded after the last barrier
    bool recording, ready;
    VkResult trouble;              // result of vkBeginCommandBuffer, reported by lg_vk_end
    lg_error failure;              // of a pipeline, reported by lg_vk_end
    bool lacks;                    // lg_vk_lacks_pipelines
    const char *misuse;            // a mistake in the recording, reported by lg_vk_end
    struct lg_vk_hazards *hazards; // NULL: uses are not checked
    uint64_t value;                // timeline value of the last submission; 0: never submitted
    uint64_t work;                 // of the lane just after that submission
    lg_vk_commands *next;          // in the list of command buffers kept after a device loss
};

typedef struct lg_vk_compiler lg_vk_compiler;
typedef struct lg_vk_shader lg_vk_shader;

struct lg_vk {
    lg_vk_functions fn;
    lg_vk_adopted *adopted; // NULL: the device is our own
    lg_vk_probe *probe;
    lg_logger log;
    VkInstance instance;
    uint32_t api; // version the instance was created for
    VkDebugUtilsMessengerEXT messenger;
    lg_vk_physical physical;
    VkDevice device;
    lg_vk_lane lanes[LG_VK_USES]; // the first one computes
    int lane_count;
    lg_vk_lane *lane_of[LG_VK_USES];
    double timeout; // seconds for one dispatch
    uint32_t submissions, recordings;
    bool lost;
    int process;       // the process that made the device: a forked child must not call the driver
    uint32_t messages; // of the validation layers

    lg_vk_block *blocks[LG_VK_MEMORIES];
    bool poison;         // freed memory is overwritten
    bool barriers;       // see hazards.c
    lg_vk_buffer *live;  // the newest
    bool separate;       // no pool, no spare: GPU-assisted validation only knows whole allocations
    lg_vk_buffer *spare; // a freed large buffer, for the next temporary image
    lg_vk_buffer *kept_buffers;
    lg_vk_buffer *retired; // to be freed when what was submitted before has ended
    lg_vk_commands *kept_commands;
    lg_vk_ring rings[2];                // upload, download
    lg_vk_commands *loose[LG_VK_LOOSE]; // for submissions that nobody waits for, in turns
    unsigned next_loose;
    uint64_t unwatched; // value of the first lane's timeline up to which nobody may have waited
    lg_vk_point awaited[LG_VK_POINTS]; // the next submission that computes waits for these
    uint32_t awaited_count;
    lg_pool *pool;

    VkPipelineLayout layout;
    VkPipelineCache cache;
    lg_vk_pipeline *pipelines;
    uint64_t *known; // keys of the pipelines in the cache file
    size_t known_count;
    uint32_t compiled;
    bool collecting; // pipelines are only noted
    const lg_vk_commands *collector;

    lg_vk_shader *shaders; // kernels compiled at run time
    bool shaders_loaded;
    uint32_t shaders_compiled;
    lg_vk_compiler *compiler; // of kernels; NULL until one is compiled

    char *cache_dir; // NULL: no disk cache
    uint64_t identity;
    lg_vk_choice *choices;
    size_t choice_count;
    bool choices_loaded;
};

// Structures of optional features, linked only where the feature is there.
typedef struct lg_vk_feature_chain {
    VkPhysicalDeviceFeatures2 base;
    VkPhysicalDeviceVulkan11Features vulkan11;
    VkPhysicalDeviceVulkan12Features vulkan12;
    VkPhysicalDeviceSubgroupSizeControlFeatures size_control;
    VkPhysicalDeviceShaderIntegerDotProductFeatures dot_product;
    VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomic_float;
    VkPhysicalDeviceMaintenance4Features maintenance4;
    VkPhysicalDeviceZeroInitializeWorkgroupMemoryFeatures zero_initialize;
} lg_vk_feature_chain;

// ---- calls and their failures -------------------------------------------------------------------

// Calls fn.name through the fault injection; remembers any device loss.
#define LG_VK_CALL(vk, name, ...)                                                                  \
    lg_vk_seen((vk), #name,                                                                        \
               lg_vk_fault((vk), #name) ? (vk)->probe->result : (vk)->fn.name(__VA_ARGS__))

bool lg_vk_fault(lg_vk *vk, const char *name);
VkResult lg_vk_seen(lg_vk *vk, const char *name, VkResult result);
void lg_vk_count(lg_vk *vk, int change); // +1: an object was created, -1: destroyed
const char *lg_vk_result_name(VkResult result);
lg_status lg_vk_fail(lg_error *error, const char *what, VkResult result);
void lg_vk_lose(lg_vk *vk, const char *what);

// ---- parts --------------------------------------------------------------------------------------

lg_status lg_vk_create_probed(const lg_context_params *params, const lg_logger *log,
                              const char *cache_dir, lg_vk_probe *probe, lg_vk **out,
                              lg_error *error);
// The same with a device of the application; NULL: its own.
lg_status lg_vk_open_probed(const lg_context_params *params, const struct lg_vulkan_device *lent,
                            const lg_logger *log, const char *cache_dir, lg_vk_probe *probe,
                            lg_vk **out, lg_error *error);
// Loads the library and creates the instance; validation may be NULL, "core", "sync" or "gpu".
lg_status lg_vk_load(lg_vk *vk, const char *validation, lg_error *error);
void lg_vk_unload(lg_vk *vk);
lg_status lg_vk_load_instance_functions(lg_vk *vk, bool debug, lg_error *error);
bool lg_vk_load_device_functions(lg_vk *vk);
void lg_vk_features_read(const VkPhysicalDeviceFeatures2 *chain, lg_vk_features *out);
bool lg_vk_memory_is_shareable(const lg_vk *vk, VkPhysicalDevice handle);
bool lg_vk_semaphore_is_shareable(const lg_vk *vk, VkPhysicalDevice handle);
// Fills vk->adopted, vk->physical and vk->device, and opens the queues.
lg_status lg_vk_take_device(lg_vk *vk, const struct lg_vulkan_device *device, lg_error *error);
lg_status lg_vk_physical_devices(lg_vk *vk, VkPhysicalDevice **out, uint32_t *count,
                                 lg_error *error);
// Fills *out; `reason` says what an unusable device lacks.
lg_status lg_vk_physical_read(lg_vk *vk, VkPhysicalDevice handle, int index, lg_vk_physical *out,
                              lg_error *error);
// Fills vk->physical with the device of that index, or the best; creates device, queue, timeline.
lg_status lg_vk_choose(lg_vk *vk, int index, lg_error *error);
lg_status lg_vk_create_device(lg_vk *vk, lg_error *error);
bool lg_vk_disabled(const char *name); // named by LUMAGRAPH_VK_DISABLE

// Waits for a timeline value; the timeout grows with the dispatches before it.
lg_status lg_vk_wait_value(lg_vk *vk, lg_vk_lane *lane, uint64_t value, uint64_t work,
                           lg_error *error);
// Queues and timelines of the device; vk->fn has its functions. After a failure some may be there.
lg_status lg_vk_lanes_create(lg_vk *vk, lg_error *error);
void lg_vk_lanes_destroy(lg_vk *vk);
// True when nothing runs on the device, or when a lost device reports that it stopped.
bool lg_vk_idle(lg_vk *vk);
// True in a process forked after the device was made. Objects destroyed there are only forgotten.
bool lg_vk_is_forked(const lg_vk *vk);
void lg_vk_commands_free(lg_vk *vk, lg_vk_commands *commands);
void lg_vk_copy_regions(lg_vk_commands *c, const lg_vk_buffer *from, const lg_vk_buffer *to,
                        const VkBufferCopy *regions, uint32_t count);

// Checks in tests how commands use memory: see hazards.c. Uses are declared first (lg_vk_reads and
// its neighbours), then comes their command.
bool lg_vk_hazards_create(lg_vk_commands *c);
void lg_vk_hazards_destroy(lg_vk_commands *c);
void lg_vk_hazards_begin(lg_vk_commands *c);
void lg_vk_hazards_push(lg_vk_commands *c, const char *name, const void *push, uint32_t size);
void lg_vk_hazards_command(lg_vk_commands *c, const char *name);
void lg_vk_hazards_forget(
    lg_vk_commands *c); // drops the declared uses of a command that is not recorded
void lg_vk_hazards_barrier(lg_vk_commands *c);
void lg_vk_hazards_end(lg_vk_commands *c);

#define LG_VK_BUFFER_USAGE                                                                         \
    (VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |              \
     VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT)

// One VkBuffer with memory behind it.
typedef struct lg_vk_allocation {
    VkBuffer buffer;
    VkDeviceMemory memory;
    VkDeviceAddress address;
    void *map;
} lg_vk_allocation;

// Allocates memory of a kind. dedicated: for this buffer alone.
lg_status lg_vk_allocate(lg_vk *vk, size_t size, lg_vk_memory memory, bool dedicated,
                         lg_vk_allocation *out, lg_error *error);
void lg_vk_release(lg_vk *vk, const lg_vk_allocation *a);
VkResult lg_vk_raw_buffer(lg_vk *vk, size_t size, const void *next, VkBuffer *out);
// Allocates memory for a->buffer, binds and maps it, and gets its address. next: the structures of
// an import or a dedicated allocation.
VkResult lg_vk_back_buffer(lg_vk *vk, lg_vk_allocation *a, uint64_t bytes, uint32_t type, bool map,
                           const void *next);
// A buffer of an allocation, which it releases in the end, also where this call fails. FOREIGN: the VkBuffer
// is the application's, and there is no memory.
typedef enum lg_vk_owner {
    LG_VK_BUFFER_IMPORTED,
    LG_VK_BUFFER_SHARED,
    LG_VK_BUFFER_FOREIGN
} lg_vk_owner;
lg_status lg_vk_buffer_of(lg_vk *vk, const lg_vk_allocation *a, size_t size, lg_vk_owner owner,
                          lg_vk_buffer **out, lg_error *error);
lg_status lg_vk_fail_size(lg_vk *vk, size_t size, VkResult result, lg_error *error);

lg_status lg_vk_pool_alloc(lg_vk *vk, lg_vk_buffer *buffer, lg_vk_memory memory, lg_error *error);
void lg_vk_pool_free(lg_vk *vk, const lg_vk_buffer *buffer);
void lg_vk_buffer_free(lg_vk *vk, lg_vk_buffer *buffer);
void lg_vk_free_retired(lg_vk *vk, bool all); // those that nothing uses any more
uint32_t lg_vk_memory_type(const lg_vk *vk, uint32_t allowed, lg_vk_memory memory);
void lg_vk_blocks_destroy(lg_vk *vk);
void lg_vk_spare_destroy(lg_vk *vk);
void lg_vk_rings_destroy(lg_vk *vk);
void lg_vk_loose_destroy(lg_vk *vk);
// Structures of features to enable, linked to each other: they must not be moved.
void lg_vk_features_fill(const lg_vk_physical *physical, lg_vk_feature_chain *out);

// What goes to a queue together.
typedef struct lg_vk_batch {
    const VkCommandBuffer *commands;
    uint32_t count;
    const lg_vk_commands *after; // begins when their last submission has ended; NULL: none
    const lg_vk_point *waits;    // and when these are reached
    const lg_vk_point *signals;  // when all has ended; at most LG_VK_POINTS of both
    uint32_t wait_count, signal_count;
} lg_vk_batch;

// The one place from which queues are used. Behind it lane->submitted is the batch's value.
lg_status lg_vk_queue_submit(lg_vk *vk, lg_vk_lane *lane, const lg_vk_batch *batch,
                             lg_error *error);

lg_status lg_vk_pipelines_create(lg_vk *vk, lg_error *error);
void lg_vk_pipelines_destroy(lg_vk *vk);
// Makes all pipelines that are wanted, on all threads; afterwards none is wanted.
lg_status lg_vk_pipelines_make(lg_vk *vk, lg_error *error);
uint64_t lg_vk_pipeline_key(const lg_vk_pipeline *p);
// Whether c can use a pipeline. One that is not made yet is noted for the collector and made for
// other commands; lg_vk_end reports failures.
bool lg_vk_pipeline_ready(lg_vk_commands *c, const lg_vk_pipeline *pipeline);

// Compiles a text that lg_vk_compile has only noted, in three steps: on the caller's thread before,
// on any thread, and on the caller's thread for all texts afterwards. Other modules are left alone.
lg_status lg_vk_shader_prepare(lg_vk *vk, const lg_spirv *spirv, lg_error *error);
lg_status lg_vk_shader_make(lg_vk *vk, const lg_spirv *spirv, lg_error *error);
void lg_vk_shaders_settle(lg_vk *vk);
void lg_vk_shaders_destroy(lg_vk *vk);
// Creates the pipeline cache from the cache file; sets vk->known.
lg_status lg_vk_pipeline_cache_load(lg_vk *vk, lg_error *error);
void lg_vk_pipeline_cache_save(lg_vk *vk);

// A file of the cache folder. Its header binds it to this library, device and driver, and has a
// digest of the payload. Read returns false for anything else; free the payload with lg_free.
bool lg_vk_cache_read(lg_vk *vk, const char *kind, void **payload, size_t *size);
bool lg_vk_cache_write(lg_vk *vk, const char *kind, const void *payload, size_t size);

// Rows of an image to copy through staging memory.
typedef struct lg_vk_rows {
    char *host;
    size_t host_row_stride, host_layer_stride;
    const lg_vk_buffer *device;
    size_t device_offset, device_row_stride; // layers are dense
    size_t row_bytes, rows_per_layer, rows;
    bool padding;  // bytes between device rows may be overwritten
    size_t packed; // packed RGB: bytes of a sample; the device has four per pixel. Else 0
} lg_vk_rows;

lg_status lg_vk_transfer(lg_vk *vk, const lg_vk_rows *rows, bool upload, lg_error *error);

#endif

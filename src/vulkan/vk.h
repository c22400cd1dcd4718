// The Vulkan backend: one device, its memory, pipelines and command recording.
// A build without Vulkan headers has stubs.c instead, where lg_vk_create fails with a message.
#ifndef LG_VK_H
#define LG_VK_H

#include "core/core.h"

typedef struct lg_vk lg_vk;
typedef struct lg_vk_commands lg_vk_commands;

// A SPIR-V module embedded at build time (generated: lg_spirv_NAME).
typedef struct lg_spirv {
    const char *name;
    const uint32_t *words;
    size_t size; // bytes
    uint64_t hash;
} lg_spirv;

typedef struct lg_vk_limits {
    uint32_t subgroup_size;
    uint32_t subgroup_size_min, subgroup_size_max; // equal without subgroup size control
    uint32_t max_workgroup_size;                   // invocations
    uint32_t max_workgroups[3];
    uint32_t shared_memory; // bytes
    uint32_t compute_units; // 0 when the device does not tell
    uint64_t max_allocation;
    uint64_t heap_size;      // largest device-local heap
    double timestamp_period; // ns per tick; 0: no timestamps
    bool hardware;
    bool byte_kernels;  // use the byte variants of blurs and edges
    bool short_kernels; // software: no latency to hide, and unrolled loops take seconds to compile
    bool int16, integer_dot; // 16-bit arithmetic, packed 4 x 8-bit dot products
    bool float64, int64, int64_atomics, float16, float32_atomic_add;
    bool denorm_preserve, rounding_rte, nan_preserve; // float32 execution modes
} lg_vk_limits;

// params->device_index counts Vulkan devices in enumeration order; -1 is the best one.
// LUMAGRAPH_VK_DISABLE masks optional features for tests; commas separate names: float64,
// int64, ...
lg_status lg_vk_create(const lg_context_params *params, const lg_logger *log, const char *cache_dir,
                       lg_vk **out, lg_error *error);
void lg_vk_destroy(lg_vk **vk);
const lg_vk_limits *lg_vk_get_limits(const lg_vk *vk);
void lg_vk_info(const lg_vk *vk, lg_device_info *out);
bool lg_vk_lost(const lg_vk *vk);
void lg_vk_uuids(const lg_vk *vk, uint8_t device[16], uint8_t driver[16]);
void lg_vk_use_log(lg_vk *vk, const lg_logger *log);
lg_status lg_vk_fail_lost(const lg_vk *vk, lg_error *error); // LG_ERROR_DEVICE: the device was lost
// Identity of device and driver for cache keys.
uint64_t lg_vk_identity(const lg_vk *vk);
// Number of validation messages since creation (0 when validation is off).
uint32_t lg_vk_validation_messages(const lg_vk *vk);

// Enumerates devices without creating one.
lg_status lg_vk_list(lg_device_info *out, size_t capacity, size_t *count, char *why,
                     lg_error *error);

// A device that the application has made (lumagraph/vulkan.h); stays its own. validation, device and
// device_index of the parameters do not count.
struct lg_vulkan_device;
lg_status lg_vk_adopt(const lg_context_params *params, const struct lg_vulkan_device *device,
                      const lg_logger *log, const char *cache_dir, lg_vk **out, lg_error *error);

// ---- memory -------------------------------------------------------------------------------------

typedef enum lg_vk_memory {
    LG_VK_DEVICE,   // device local, not mapped
    LG_VK_UPLOAD,   // host visible, written by the host
    LG_VK_READBACK, // host visible and cached, read by the host
} lg_vk_memory;

typedef struct lg_vk_buffer {
    uint64_t address; // buffer device address
    size_t size;
    void *map; // NULL for LG_VK_DEVICE
    struct lg_vk_buffer_private *priv;
} lg_vk_buffer;

// Large buffers get their own allocation, small ones come from blocks of a pool.
lg_status lg_vk_buffer_create(lg_vk *vk, size_t size, lg_vk_memory memory, lg_vk_buffer **out,
                              lg_error *error);
// A VkBuffer of the application, from `offset` on; `size` bytes hold pixels. address 0: it is asked for.
lg_status lg_vk_buffer_wrap(lg_vk *vk, uint64_t handle, uint64_t offset, size_t size,
                            uint64_t address, lg_vk_buffer **out, lg_error *error);
void lg_vk_buffer_handle(const lg_vk_buffer *buffer, uint64_t *handle, uint64_t *offset);
void lg_vk_buffer_destroy(lg_vk *vk, lg_vk_buffer **buffer);

// Device memory that others use, too, by an opaque file descriptor. An import duplicates `fd`, which
// stays the caller's. LG_ERROR_UNSUPPORTED where the device cannot.
lg_status lg_vk_buffer_create_shared(lg_vk *vk, size_t size, lg_vk_buffer **out, lg_error *error);
lg_status lg_vk_buffer_export(lg_vk *vk, const lg_vk_buffer *buffer, int *fd, lg_error *error);
lg_status lg_vk_buffer_import_fd(lg_vk *vk, int fd, size_t size, lg_vk_buffer **out,
                                 lg_error *error);

// Copies host rows to a device buffer (and back) through the staging ring, in slices; waits.
lg_status lg_vk_upload(lg_vk *vk, lg_vk_buffer *to, size_t offset, size_t row_stride,
                       const void *from, size_t from_stride, size_t row_bytes, size_t rows,
                       lg_error *error);
lg_status lg_vk_download(lg_vk *vk, void *to, size_t to_stride, const lg_vk_buffer *from,
                         size_t offset, size_t row_stride, size_t row_bytes, size_t rows,
                         lg_error *error);

// How the pixels of an image lie on a device. lg_vk_image_stage copies the host pixels of an image to memory
// of that layout.
typedef struct lg_vk_layout {
    size_t row_bytes, row_stride, layer_stride, rows;
    size_t bytes; // of the pixels; a buffer has more
} lg_vk_layout;

lg_status lg_vk_image_layout(const lg_image_params *shape, lg_vk_layout *out, lg_error *error);
void lg_vk_image_stage(lg_vk *vk, const lg_image *image, const lg_vk_layout *layout, void *to);

// The device copy of an image in memory of the application, with the strides of its shape; in memory that
// others use, too; and in such memory that was exported elsewhere, for an image of the same shape.
lg_status lg_vk_image_wrap(lg_vk *vk, lg_image_private *image, uint64_t handle, uint64_t offset,
                           uint64_t address, lg_error *error);
lg_status lg_vk_image_share(lg_vk *vk, lg_image_private *image, lg_error *error);
lg_status lg_vk_image_import(lg_vk *vk, lg_image_private *image, int fd, size_t size,
                             lg_error *error);

// The device copy of an image, or a temporary one that is filled now. The caller destroys *out
// after the work when *temporary is true.
lg_status lg_vk_image(lg_vk *vk, const lg_image *image, lg_vk_buffer **out, size_t *row_stride,
                      size_t *layer_stride, bool *temporary, double *upload_seconds,
                      lg_error *error);

// The device copy of an image: rows padded to 16 bytes, layers dense, and at least 256 bytes behind
// the end, which kernels may read. Upload allocates it if need be; download needs host memory in
// image->image.data. Release accepts an image without one.
lg_status lg_vk_image_allocate(lg_vk *vk, lg_image_private *image, lg_error *error);
lg_status lg_vk_image_upload(lg_vk *vk, lg_image_private *image, lg_error *error);
lg_status lg_vk_image_download(lg_vk *vk, lg_image_private *image, lg_error *error);
// Downloads rows first .. end - 1 of every layer.
lg_status lg_vk_image_download_rows(lg_vk *vk, lg_image_private *image, int64_t first, int64_t end,
                                    lg_error *error);
void lg_vk_image_release(lg_vk *vk, lg_image_private *image);

// The threads that copy between host rows and staging memory; NULL (the default): the calling
// thread.
void lg_vk_use_pool(lg_vk *vk, lg_pool *pool);

// ---- pipelines ----------------------------------------------------------------------------------

#define LG_VK_MAX_CONSTANTS 16

typedef struct lg_vk_pipeline lg_vk_pipeline;

// The compute pipeline of a module with specialisation constants 0 .. count-1, created once and
// kept until the device is destroyed. `subgroup_size` 0: the device's default.
lg_status lg_vk_pipeline_get(lg_vk *vk, const lg_spirv *module, const uint32_t *constants,
                             uint32_t count, uint32_t subgroup_size, const lg_vk_pipeline **out,
                             lg_error *error);
// A kernel from GLSL text, compiled at run time and cached on disk under the text's hash; valid
// until the device is destroyed. LG_ERROR_UNSUPPORTED without libshaderc.
lg_status lg_vk_compile(lg_vk *vk, const char *text, const char *name, const lg_spirv **out,
                        lg_error *error);
// Kernels that are needed at the same time are made by all threads at once. After lg_vk_collect
// lg_vk_compile and lg_vk_pipeline_get only note what is wanted, and c leaves out dispatches that lack
// their pipeline. lg_vk_make_collected makes the pipelines unless `status` is a failure, which it
// returns. Where lg_vk_lacks_pipelines says so, c is then to be recorded again. c may be NULL.
void lg_vk_collect(lg_vk *vk, lg_vk_commands *c);
lg_status lg_vk_make_collected(lg_vk *vk, lg_status status, lg_error *error);
bool lg_vk_lacks_pipelines(const lg_vk_commands *c);

uint32_t lg_vk_shaders_compiled(const lg_vk *vk); // since creation (for tests)
// Whether GLSL can be compiled. LUMAGRAPH_VK_DISABLE=compiler acts as if there were no compiler.
lg_status lg_vk_find_compiler(lg_error *error);

// Pipelines compiled since creation that were not in the disk cache (for tests).
uint32_t lg_vk_pipelines_compiled(const lg_vk *vk);

// ---- commands -----------------------------------------------------------------------------------

// What commands are for. Where the device has queues that only copy, uploads and downloads run on these,
// beside what is computed; else all share one queue.
typedef enum lg_vk_use { LG_VK_COMPUTES, LG_VK_UPLOADS, LG_VK_DOWNLOADS, LG_VK_USES } lg_vk_use;

// A command buffer: recorded once, submitted any number of times. Push constants up to 128 bytes.
lg_status lg_vk_commands_create(lg_vk *vk, uint32_t timestamps, lg_vk_commands **out,
                                lg_error *error);
// The same for another use; uploads and downloads have copies and timestamps alone.
lg_status lg_vk_commands_create_for(lg_vk *vk, lg_vk_use use, uint32_t timestamps,
                                    lg_vk_commands **out, lg_error *error);
// Whether that use has a queue, or a place in it, of its own.
bool lg_vk_runs_beside(const lg_vk *vk, lg_vk_use use);
void lg_vk_commands_destroy(lg_vk *vk, lg_vk_commands **commands);
void lg_vk_begin(lg_vk_commands *c); // drops the previous recording
void lg_vk_dispatch(lg_vk_commands *c, const lg_vk_pipeline *pipeline, const void *push,
                    uint32_t push_size, uint32_t x, uint32_t y, uint32_t z);
// Each lg_vk_dispatch is preceded by a declaration of every piece of memory that it uses. With
// LUMAGRAPH_VK_BARRIERS=1, in tests, these declarations reveal missing barriers, which neither
// software devices nor the validation layers detect. Otherwise one costs a call and a comparison:
//     lg_vk_reads(c, push.data, bytes);
//     lg_vk_adds(c, push.totals, 0);
//     lg_vk_dispatch(c, pipeline, &push, sizeof push, x, y, 1);
// `address` is inside a live buffer; 0 declares nothing. `size` 0 extends to the end of the buffer.
//   lg_vk_writes      writes, or reads and writes
//   lg_vk_adds        atomics in any order, or writes to disjoint parts; such dispatches need no
//                     barrier between them
//   lg_vk_uses_again  the memory of the previous dispatch, for loops
//
// Declare every address in the push constants, and every address that a kernel finds in memory.
// lg_vk_end fails with LG_ERROR_ARGUMENT and names the commands and bytes when a declaration is
// missing, or a barrier between two uses of the same bytes that are not both reads or both adds.
// Fills and copies declare their memory themselves. The barriers of lg_vk_begin and lg_vk_end cover
// earlier submissions and the host.
void lg_vk_reads(lg_vk_commands *c, uint64_t address, uint64_t size);
void lg_vk_writes(lg_vk_commands *c, uint64_t address, uint64_t size);
void lg_vk_adds(lg_vk_commands *c, uint64_t address, uint64_t size);
void lg_vk_uses_again(lg_vk_commands *c);
// An address in the next push constants that is only an origin for others and is not accessed
// itself: that of row 0, when memory holds an image from a later row on.
void lg_vk_origin(lg_vk_commands *c, uint64_t address);
void lg_vk_fill(lg_vk_commands *c, lg_vk_buffer *buffer, size_t offset, size_t size,
                uint32_t value);
void lg_vk_copy(lg_vk_commands *c, const lg_vk_buffer *from, size_t from_offset, lg_vk_buffer *to,
                size_t to_offset, size_t size);
// Later commands see what those before it wrote. Nothing is recorded where there are none.
void lg_vk_barrier(
    lg_vk_commands *c); // makes all earlier writes visible to later commands and the host
void lg_vk_timestamp(lg_vk_commands *c, uint32_t index); // after all work recorded so far
lg_status lg_vk_end(lg_vk_commands *c, lg_error *error);
lg_status lg_vk_submit(lg_vk *vk, lg_vk_commands *c, lg_error *error); // does not wait
// The same, to begin on the device when the last submission of `after` has ended there.
lg_status lg_vk_submit_after(lg_vk *vk, lg_vk_commands *c, const lg_vk_commands *after,
                             lg_error *error);
// One after the other, in one submission; commands for computing. None is submitted after a failure.
#define LG_VK_TOGETHER 2
lg_status lg_vk_submit_together(lg_vk *vk, lg_vk_commands *const *commands, uint32_t count,
                                lg_error *error);
lg_status lg_vk_wait(lg_vk *vk, lg_vk_commands *c,
                     lg_error *error); // a timeout counts as device loss
// Whether lg_vk_wait would not wait. Asks the device alone, whose errors are for lg_vk_wait.
bool lg_vk_is_over(const lg_vk *vk, const lg_vk_commands *c);
// Seconds between two timestamps of the last finished submission.
double lg_vk_elapsed(lg_vk *vk, lg_vk_commands *c, uint32_t from, uint32_t to);

// A value of a timeline semaphore, whose handle is VkSemaphore's.
typedef struct lg_vk_point {
    uint64_t semaphore, value;
} lg_vk_point;

#define LG_VK_POINTS 16

// All later commands that compute wait on the device for these points; or the points are signalled when all
// earlier ones have ended.
lg_status lg_vk_sync(lg_vk *vk, const lg_vk_point *points, uint32_t count, bool signals,
                     lg_error *error);
// The same as a wait of lg_vk_sync, for semaphores of lg_vk_semaphore_create and _import alone: nothing is
// submitted, as the next submission waits.
lg_status lg_vk_await(lg_vk *vk, lg_vk_point point, lg_error *error);

// Timeline semaphores, shareable where the device can. An import duplicates `fd`.
lg_status lg_vk_semaphore_create(lg_vk *vk, uint64_t *out, lg_error *error);
void lg_vk_semaphore_destroy(lg_vk *vk, uint64_t semaphore);
lg_status lg_vk_semaphore_export(lg_vk *vk, uint64_t semaphore, int *fd, lg_error *error);
lg_status lg_vk_semaphore_import(lg_vk *vk, int fd, uint64_t *out, lg_error *error);
// Waits on the host; *reached: whether the value was there in time.
lg_status lg_vk_semaphore_wait(lg_vk *vk, lg_vk_point point, double seconds, bool *reached,
                               lg_error *error);
lg_status lg_vk_semaphore_signal(lg_vk *vk, lg_vk_point point, lg_error *error);

// Copies an image in device memory from (reads) or to a VkImage, behind all that was submitted.
struct lg_vulkan_image;
lg_status lg_vk_image_copy(lg_vk *vk, const lg_image_private *at,
                           const struct lg_vulkan_image *image, bool reads, lg_error *error);

// Behind submissions that nobody waits for. Buffers and commands are then destroyed only when these have
// ended.
void lg_vk_leave_running(lg_vk *vk);
lg_status lg_vk_wait_unwatched(lg_vk *vk, lg_error *error);
// Commands for such a submission; lg_vk_begin waits until their last one, some calls ago, has ended.
lg_status lg_vk_loose_commands(lg_vk *vk, lg_vk_commands **out, lg_error *error);

// Submissions since creation (for tests).
uint32_t lg_vk_submissions(const lg_vk *vk);

// How often commands were recorded; resubmissions do not count.
uint32_t lg_vk_recordings(const lg_vk *vk);

// ---- remembered choices -------------------------------------------------------------------------

// Small integers that are measured once per device and cached on disk, such as the choice of a
// variant.
bool lg_vk_remembered(lg_vk *vk, const char *key, int32_t *value);
void lg_vk_remember(lg_vk *vk, const char *key, int32_t value);

#endif

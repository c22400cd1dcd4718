// lumagraph: device memory and semaphores that other contexts, processes and interfaces use, too. They go
// from one to the other as opaque file descriptors (VK_KHR_external_memory_fd, VK_KHR_external_semaphore_fd),
// over a Unix socket (SCM_RIGHTS) or by fork(). Vulkan makes the memory; CUDA imports it with
// cuImportExternalMemory, CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD.
#ifndef LUMAGRAPH_SHARE_H
#define LUMAGRAPH_SHARE_H

#include <lumagraph/image.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- images ---------------------------------------------------------------------------------------

// Memory of an image, as another side gets it. Pixels begin with its first byte.
typedef struct lg_shared_memory {
    int32_t fd;                      // of the receiver, who closes it
    size_t size;                     // bytes of the memory
    size_t row_stride, layer_stride; // of the pixels in it
    uint8_t device[16], driver[16];  // Vulkan's deviceUUID, driverUUID: both sides have the same
} lg_shared_memory;

// An image in device memory that can be exported, pixels undefined. It is used as any other. Errors:
// LG_ERROR_UNSUPPORTED (a CPU context, a device that cannot share memory), LG_ERROR_ARGUMENT (three
// channels, planes), LG_ERROR_MEMORY, LG_ERROR_DEVICE.
LG_API lg_status lg_image_create_shared(lg_context *context, const lg_image_params *shape,
                                        lg_image **out, lg_error *error);

// Makes a descriptor of the memory of such an image; every call makes another one. The memory lives until the
// image and all that was imported are gone, and descriptors are closed. Errors: LG_ERROR_ARGUMENT (not made
// by lg_image_create_shared), LG_ERROR_UNSUPPORTED, LG_ERROR_DEVICE.
LG_API lg_status lg_image_export(lg_image *image, lg_shared_memory *out, lg_error *error);

// An image in memory that another context, perhaps of another process, has exported: no copy, both see the
// same pixels. `shape` is that of the exported image. The descriptor stays the caller's, who may close it
// behind the call. What the other side has written is to be finished first: by the end of its call
// (lg_plan_run and measurements wait), or by a semaphore. Errors: LG_ERROR_ARGUMENT (another shape, another
// device, no such memory), LG_ERROR_UNSUPPORTED, LG_ERROR_MEMORY, LG_ERROR_DEVICE.
LG_API lg_status lg_image_import(lg_context *context, const lg_image_params *shape,
                                 const lg_shared_memory *from, lg_image **out, lg_error *error);

// ---- semaphores -----------------------------------------------------------------------------------

// A timeline semaphore: a number that only grows, from 0. Used by one thread at a time; destroyed before its
// context.
typedef struct lg_semaphore lg_semaphore;

// Errors: LG_ERROR_UNSUPPORTED (a CPU context), LG_ERROR_DEVICE, LG_ERROR_MEMORY.
LG_API lg_status lg_semaphore_create(lg_context *context, lg_semaphore **out, lg_error *error);
LG_API void lg_semaphore_destroy(lg_semaphore **semaphore);

// As for images. LG_ERROR_UNSUPPORTED where the device has semaphores that cannot be shared (lavapipe).
LG_API lg_status lg_semaphore_export(lg_semaphore *semaphore, int *fd, lg_error *error);
LG_API lg_status lg_semaphore_import(lg_context *context, int fd, lg_semaphore **out,
                                     lg_error *error);

// On the device: what later calls with the semaphore's context do there waits until the value is reached; or
// the value is signalled when all that earlier calls did there has ended. Neither call waits.
LG_API lg_status lg_semaphore_queue_wait(lg_semaphore *semaphore, uint64_t value, lg_error *error);
LG_API lg_status lg_semaphore_queue_signal(lg_semaphore *semaphore, uint64_t value,
                                           lg_error *error);

// On the host: waits for at most `seconds`; *reached says whether the value was there in time. Signals a
// value above the present one (LG_ERROR_ARGUMENT).
LG_API lg_status lg_semaphore_wait(lg_semaphore *semaphore, uint64_t value, double seconds,
                                   bool *reached, lg_error *error);
LG_API lg_status lg_semaphore_signal(lg_semaphore *semaphore, uint64_t value, lg_error *error);

#ifdef __cplusplus
}
#endif

#endif

// What is used of CUDA's driver interface: its functions, structures and numbers, as the driver's
// documentation has them. libcuda.so.1 is loaded when it is first needed.
#ifndef LG_CUDA_DRIVER_H
#define LG_CUDA_DRIVER_H

#include "core/core.h"

#include <lumagraph/cuda.h>

typedef int lg_cu_result; // 0: success
typedef int lg_cu_device;
typedef void *lg_cu_handle; // of a context, stream, event, external memory or semaphore
typedef uint64_t lg_cu_pointer;

enum {
    LG_CU_NOT_READY = 600,
    LG_CU_STREAM_NON_BLOCKING = 1,
    LG_CU_EVENT_DISABLE_TIMING = 2,
    LG_CU_MEMORY_DEVICE = 2,         // of lg_cu_copy
    LG_CU_MEMORY_OPAQUE_FD = 1,      // of lg_cu_memory_handle
    LG_CU_SEMAPHORE_TIMELINE_FD = 9, // of lg_cu_semaphore_handle
    LG_CU_POINTER_DEVICE = 9,        // attribute: the device's number
};

typedef union lg_cu_source {
    int fd;
    struct {
        void *handle;
        const void *name;
    } other;
} lg_cu_source;

typedef struct lg_cu_memory_handle { // CUDA_EXTERNAL_MEMORY_HANDLE_DESC
    int type;
    lg_cu_source source;
    unsigned long long size;
    unsigned flags, reserved[16];
} lg_cu_memory_handle;

typedef struct lg_cu_memory_range { // CUDA_EXTERNAL_MEMORY_BUFFER_DESC
    unsigned long long offset, size;
    unsigned flags, reserved[16];
} lg_cu_memory_range;

typedef struct lg_cu_semaphore_handle { // CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC
    int type;
    lg_cu_source source;
    unsigned flags, reserved[16];
} lg_cu_semaphore_handle;

// CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS and ..._WAIT_PARAMS, which have the same size and begin with the
// value.
typedef struct lg_cu_semaphore_value {
    unsigned long long value, others[2];
    unsigned reserved_values[12];
    unsigned flags, reserved[16];
} lg_cu_semaphore_value;

typedef struct lg_cu_end {
    size_t x, y;
    int memory;
    void *host;
    lg_cu_pointer device;
    lg_cu_handle array;
    size_t pitch;
} lg_cu_end;

typedef struct lg_cu_copy { // CUDA_MEMCPY2D
    lg_cu_end from, to;
    size_t width, height;
} lg_cu_copy;

typedef struct lg_cuda_driver {
    lg_cu_result (*cuInit)(unsigned flags);
    lg_cu_result (*cuGetErrorString)(lg_cu_result result, const char **out);
    lg_cu_result (*cuDeviceGetCount)(int *out);
    lg_cu_result (*cuDeviceGet)(lg_cu_device *out, int number);
    lg_cu_result (*cuDeviceGetUuid)(uint8_t out[16], lg_cu_device device);
    lg_cu_result (*cuDevicePrimaryCtxRetain)(lg_cu_handle *out, lg_cu_device device);
    lg_cu_result (*cuDevicePrimaryCtxRelease_v2)(lg_cu_device device);
    lg_cu_result (*cuCtxPushCurrent_v2)(lg_cu_handle context);
    lg_cu_result (*cuCtxPopCurrent_v2)(lg_cu_handle *out);
    lg_cu_result (*cuCtxSynchronize)(void);
    lg_cu_result (*cuStreamCreate)(lg_cu_handle *out, unsigned flags);
    lg_cu_result (*cuStreamDestroy_v2)(lg_cu_handle stream);
    lg_cu_result (*cuStreamQuery)(lg_cu_handle stream);
    lg_cu_result (*cuStreamSynchronize)(lg_cu_handle stream);
    lg_cu_result (*cuStreamWaitEvent)(lg_cu_handle stream, lg_cu_handle event, unsigned flags);
    lg_cu_result (*cuEventCreate)(lg_cu_handle *out, unsigned flags);
    lg_cu_result (*cuEventDestroy_v2)(lg_cu_handle event);
    lg_cu_result (*cuEventRecord)(lg_cu_handle event, lg_cu_handle stream);
    lg_cu_result (*cuPointerGetAttribute)(void *out, int attribute, lg_cu_pointer pointer);
    lg_cu_result (*cuMemcpyDtoDAsync_v2)(lg_cu_pointer to, lg_cu_pointer from, size_t bytes,
                                         lg_cu_handle stream);
    lg_cu_result (*cuMemcpy2DAsync_v2)(const lg_cu_copy *copy, lg_cu_handle stream);
    lg_cu_result (*cuMemFree_v2)(lg_cu_pointer pointer);
    lg_cu_result (*cuImportExternalMemory)(lg_cu_handle *out, const lg_cu_memory_handle *from);
    lg_cu_result (*cuExternalMemoryGetMappedBuffer)(lg_cu_pointer *out, lg_cu_handle memory,
                                                    const lg_cu_memory_range *range);
    lg_cu_result (*cuDestroyExternalMemory)(lg_cu_handle memory);
    lg_cu_result (*cuImportExternalSemaphore)(lg_cu_handle *out,
                                              const lg_cu_semaphore_handle *from);
    lg_cu_result (*cuDestroyExternalSemaphore)(lg_cu_handle semaphore);
    lg_cu_result (*cuSignalExternalSemaphoresAsync)(const lg_cu_handle *semaphores,
                                                    const lg_cu_semaphore_value *values,
                                                    unsigned count, lg_cu_handle stream);
    lg_cu_result (*cuWaitExternalSemaphoresAsync)(const lg_cu_handle *semaphores,
                                                  const lg_cu_semaphore_value *values,
                                                  unsigned count, lg_cu_handle stream);
} lg_cuda_driver;

// Loads and starts the driver. LG_ERROR_UNSUPPORTED without one, LG_ERROR_DEVICE where it does not start.
lg_status lg_cuda_load(lg_cuda_driver *out, lg_error *error);

// LG_ERROR_DEVICE with the driver's words, LG_ERROR_MEMORY where there is none left.
lg_status lg_cuda_fail(const lg_cuda_driver *fn, const char *call, lg_cu_result result,
                       lg_error *error);

#endif

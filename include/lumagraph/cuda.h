// lumagraph: images in memory that CUDA sees, too, and the order of the work of both. Vulkan makes the
// memory and exports it (lumagraph/share.h); CUDA imports it. Torch, CuPy and kernels of your own then
// compute where lumagraph measures and filters, and no pixel is copied. libcuda.so.1, the driver, is
// loaded at run time: neither building nor running needs CUDA's toolkit. lumagraph/lumagraph.h does not
// include this header.
//
//   lg_cuda_find()            the Vulkan device that is a device of CUDA
//   lg_cuda_create()          CUDA's side of a context on that device
//   lg_cuda_image_create()    an image that both see
//   lg_cuda_wait()            what follows with the context begins behind the work of a stream
//   lg_measure_moments(), lg_plan_run(), lg_plan_submit(), ...
//   lg_cuda_signal()          what follows in the stream begins behind all of this
//
// A GPU changes between the kernels of CUDA and those of Vulkan, which takes long beside a small image (150
// us each way on an H200): several images between one lg_cuda_wait and one lg_cuda_signal share that.
#ifndef LUMAGRAPH_CUDA_H
#define LUMAGRAPH_CUDA_H

#include <lumagraph/share.h>

#ifdef __cplusplus
extern "C" {
#endif

// Streams are handles of the driver (CUstream, cudaStream_t) of the primary context of the device, which the
// runtime, torch and CuPy use. 0 and 1 are the legacy default stream, 2 is that of the calling thread.
typedef struct lg_cuda lg_cuda;

// *index: the device_index of lg_context_params for CUDA's device number `device`. They are the same by
// their UUID. Errors: LG_ERROR_UNSUPPORTED (no libcuda.so.1, or it lacks a function), LG_ERROR_DEVICE
// (CUDA does not start, or that device is none of Vulkan's), LG_ERROR_ARGUMENT (there is no such
// device).
LG_API lg_status lg_cuda_find(int device, int *index, lg_error *error);

// Used by one thread at a time, as its context. Destroyed before it, and after its images. Errors: those
// of lg_cuda_find; LG_ERROR_UNSUPPORTED also for a context on the CPU; LG_ERROR_DEVICE also for a device
// that CUDA does not have; LG_ERROR_MEMORY.
LG_API lg_status lg_cuda_create(lg_context *context, lg_cuda **out, lg_error *error);
LG_API void lg_cuda_destroy(lg_cuda **cuda);

LG_API int lg_cuda_device(const lg_cuda *cuda); // CUDA's number of it
// A stream of its own, which lg_cuda_copy is for; it does not wait for the legacy default stream.
LG_API void *lg_cuda_stream(const lg_cuda *cuda);
// Whether semaphores of the device order the work. Where it cannot share them (lavapipe), the host waits.
LG_API bool lg_cuda_has_semaphores(const lg_cuda *cuda);

// ---- images -------------------------------------------------------------------------------------

typedef struct lg_cuda_image {
    lg_image *image;                 // as of lg_image_create_shared, of the context
    void *data;                      // the first pixel, as CUDA sees it
    size_t row_stride, layer_stride; // bytes of both; rows begin at multiples of 16 bytes
} lg_cuda_image;

// Pixels are undefined. Kernels write pixels only, not what is behind them in a row. Errors: those of
// lg_image_create_shared; LG_ERROR_DEVICE (CUDA does not import the memory).
LG_API lg_status lg_cuda_image_create(lg_cuda *cuda, const lg_image_params *shape,
                                      lg_cuda_image **out, lg_error *error);
// Waits for everything that CUDA does on the device.
LG_API void lg_cuda_image_destroy(lg_cuda *cuda, lg_cuda_image **image);

// Copies pixels on the device from memory of CUDA, such as that of a tensor, behind what is in `stream`;
// does not wait. row_stride and layer_stride: bytes between rows and layers of `from`, at least a row.
// Errors: LG_ERROR_ARGUMENT (memory of another GPU, or none of CUDA's; strides), LG_ERROR_DEVICE.
LG_API lg_status lg_cuda_copy(lg_cuda *cuda, const lg_cuda_image *into, const void *from,
                              size_t row_stride, size_t layer_stride, void *stream,
                              lg_error *error);

// ---- order --------------------------------------------------------------------------------------

// What later calls with the context do on the device begins behind what is in the stream now; their host
// does not wait for it here. A later call that waits on the host takes work of the stream that is not
// done within LUMAGRAPH_VK_TIMEOUT (seconds for a dispatch, by default 10) for a hanging device: where
// it may take longer, lg_cuda_finish. Errors: LG_ERROR_DEVICE.
LG_API lg_status lg_cuda_wait(lg_cuda *cuda, void *stream, lg_error *error);
// The host waits until what is in the stream now is done.
LG_API lg_status lg_cuda_finish(lg_cuda *cuda, void *stream, lg_error *error);
// What is put into the stream later begins behind all that earlier calls with the context do on the device.
LG_API lg_status lg_cuda_signal(lg_cuda *cuda, void *stream, lg_error *error);

#ifdef __cplusplus
}
#endif

#endif

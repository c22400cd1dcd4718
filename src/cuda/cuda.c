// CUDA's side of a context: images in memory that Vulkan exports, and the order of the work of both.
#include "cuda/driver.h"

#include <string.h>
#include <unistd.h>

// Their values grow, each as one side signals it. That side does so in one queue or stream.
typedef struct lg_cuda_order {
    lg_semaphore *here;
    lg_cu_handle there; // NULL: CUDA does not have it
    uint64_t value;
} lg_cuda_order;

struct lg_cuda {
    lg_context *context;
    lg_cuda_driver fn;
    lg_cu_device device;
    int number;
    lg_cu_handle primary; // the device's context
    lg_cu_handle stream;
    lg_cu_handle last, event;     // the stream that signalled last, behind the signal
    lg_cuda_order before, behind; // of our work; signalled by CUDA, by Vulkan
};

typedef struct cuda_image {
    lg_cuda_image image;
    lg_cu_handle memory;
    lg_cu_pointer mapped;
} cuda_image;

// ---- devices ------------------------------------------------------------------------------------

static lg_status check_number(const lg_cuda_driver *fn, int number, lg_error *error)
{
    int count = 0;
    const lg_cu_result result = fn->cuDeviceGetCount(&count);
    if (result)
        return lg_cuda_fail(fn, "cuDeviceGetCount", result, error);
    if (number >= 0 && number < count)
        return LG_OK;
    return lg_fail(error, LG_ERROR_ARGUMENT, "there is no device cuda:%d; CUDA has %d", number,
                   count);
}

static lg_status find_uuid(const lg_cuda_driver *fn, int number, lg_cu_device *device,
                           uint8_t out[16], lg_error *error)
{
    lg_cu_result result = fn->cuDeviceGet(device, number);
    if (!result)
        result = fn->cuDeviceGetUuid(out, *device);
    return result ? lg_cuda_fail(fn, "cuDeviceGetUuid", result, error) : LG_OK;
}

lg_status lg_cuda_find(int device, int *index, lg_error *error)
{
    enum { MOST = 64 };
    lg_cuda_driver fn;
    lg_cu_device found;
    uint8_t uuid[16];
    char why[256] = "";
    size_t count = 0;
    if (!index)
        return lg_fail_null(error, "a place for the index");
    lg_status status = lg_cuda_load(&fn, error);
    if (!status)
        status = check_number(&fn, device, error);
    if (!status)
        status = find_uuid(&fn, device, &found, uuid, error);
    if (status)
        return status;
    lg_device_info *list = lg_alloc_array(MOST, sizeof *list);
    if (!list)
        return lg_fail_memory(error, MOST * sizeof *list, "the list of devices");
    status = lg_devices_list(list, MOST, &count, why, error);
    int at = -1;
    for (size_t i = 0; i < LG_MIN(count, MOST) && !status && at < 0; i++)
        if (list[i].kind == LG_DEVICE_VULKAN && list[i].usable &&
            !memcmp(list[i].uuid, uuid, sizeof uuid))
            at = list[i].index;
    lg_free(list);
    if (!status && at < 0)
        status = lg_fail(error, LG_ERROR_DEVICE, "cuda:%d is none of the usable Vulkan devices%s%s",
                         device, *why ? ": " : "", why);
    if (!status)
        *index = at;
    return status;
}

// The device of CUDA that is the context's.
static lg_status find_number(lg_cuda *cuda, lg_error *error)
{
    lg_device_info info;
    int count = 0;
    lg_context_device(cuda->context, &info);
    const lg_cu_result result = cuda->fn.cuDeviceGetCount(&count);
    if (result)
        return lg_cuda_fail(&cuda->fn, "cuDeviceGetCount", result, error);
    for (int i = 0; i < count; i++) {
        uint8_t uuid[16];
        const lg_status status = find_uuid(&cuda->fn, i, &cuda->device, uuid, error);
        cuda->number = i;
        if (status || !memcmp(info.uuid, uuid, sizeof uuid))
            return status;
    }
    return lg_fail(error, LG_ERROR_DEVICE, "%s is none of the %d devices of CUDA", info.name,
                   count);
}

// ---- calls --------------------------------------------------------------------------------------

// Calls of CUDA stand between enter and leave: the caller's thread may have another context.
static lg_status enter(lg_cuda *cuda, lg_error *error)
{
    const lg_status status = lg_context_check(cuda->context, error);
    if (status)
        return status;
    const lg_cu_result result = cuda->fn.cuCtxPushCurrent_v2(cuda->primary);
    return result ? lg_cuda_fail(&cuda->fn, "cuCtxPushCurrent", result, error) : LG_OK;
}

static void leave(lg_cuda *cuda)
{
    lg_cu_handle own;
    cuda->fn.cuCtxPopCurrent_v2(&own);
}

// A semaphore that both have. Where they cannot, the host waits; only a failure of another kind counts.
static lg_status share_order(lg_cuda *cuda, lg_cuda_order *order, lg_error *error)
{
    lg_error why = {LG_OK, ""};
    int fd;
    lg_status status = lg_semaphore_create(cuda->context, &order->here, error);
    if (status)
        return status;
    status = lg_semaphore_export(order->here, &fd, &why);
    if (status)
        return status == LG_ERROR_UNSUPPORTED ? LG_OK : lg_fail(error, status, "%s", why.message);
    const lg_cu_semaphore_handle handle = {.type = LG_CU_SEMAPHORE_TIMELINE_FD, .source.fd = fd};
    if (cuda->fn.cuImportExternalSemaphore(&order->there, &handle)) {
        order->there = NULL;
        close(fd);
    }
    return LG_OK;
}

static lg_status open_device(lg_cuda *cuda, lg_error *error)
{
    lg_cu_result result = cuda->fn.cuDevicePrimaryCtxRetain(&cuda->primary, cuda->device);
    if (result)
        return lg_cuda_fail(&cuda->fn, "cuDevicePrimaryCtxRetain", result, error);
    lg_status status = enter(cuda, error);
    if (status)
        return status;
    result = cuda->fn.cuStreamCreate(&cuda->stream, LG_CU_STREAM_NON_BLOCKING);
    if (!result)
        result = cuda->fn.cuEventCreate(&cuda->event, LG_CU_EVENT_DISABLE_TIMING);
    if (result)
        status = lg_cuda_fail(&cuda->fn, "cuStreamCreate", result, error);
    if (!status)
        status = share_order(cuda, &cuda->before, error);
    if (!status)
        status = share_order(cuda, &cuda->behind, error);
    leave(cuda);
    return status;
}

lg_status lg_cuda_create(lg_context *context, lg_cuda **out, lg_error *error)
{
    lg_device_info info;
    if (!out)
        return lg_fail_null(error, "a place for CUDA's side");
    lg_status status = lg_context_check(context, error);
    if (status)
        return status;
    lg_context_device(context, &info);
    if (info.kind != LG_DEVICE_VULKAN)
        return lg_fail(error, LG_ERROR_UNSUPPORTED,
                       "CUDA gets memory of a Vulkan device; this context is on the CPU");
    lg_cuda *cuda = lg_alloc(sizeof *cuda);
    if (!cuda)
        return lg_fail_memory(error, sizeof *cuda, "CUDA's side of a context");
    cuda->context = context;
    status = lg_cuda_load(&cuda->fn, error);
    if (!status)
        status = find_number(cuda, error);
    if (!status)
        status = open_device(cuda, error);
    if (status)
        lg_cuda_destroy(&cuda);
    else
        *out = cuda;
    return status;
}

void lg_cuda_destroy(lg_cuda **at)
{
    lg_cuda *cuda = at ? *at : NULL;
    if (!cuda)
        return;
    *at = NULL;
    const bool own =
        cuda->primary && !lg_context_check(cuda->context, NULL); // not a forked child's
    if (own && !enter(cuda, NULL)) {
        cuda->fn.cuCtxSynchronize();
        if (cuda->before.there)
            cuda->fn.cuDestroyExternalSemaphore(cuda->before.there);
        if (cuda->behind.there)
            cuda->fn.cuDestroyExternalSemaphore(cuda->behind.there);
        if (cuda->event)
            cuda->fn.cuEventDestroy_v2(cuda->event);
        if (cuda->stream)
            cuda->fn.cuStreamDestroy_v2(cuda->stream);
        leave(cuda);
    }
    if (own)
        cuda->fn.cuDevicePrimaryCtxRelease_v2(cuda->device);
    lg_semaphore_destroy(&cuda->before.here);
    lg_semaphore_destroy(&cuda->behind.here);
    lg_free(cuda);
}

int lg_cuda_device(const lg_cuda *cuda)
{
    return cuda ? cuda->number : -1;
}

void *lg_cuda_stream(const lg_cuda *cuda)
{
    return cuda ? cuda->stream : NULL;
}

bool lg_cuda_has_semaphores(const lg_cuda *cuda)
{
    return cuda && cuda->before.there && cuda->behind.there;
}

// ---- images -------------------------------------------------------------------------------------

static lg_status import_memory(lg_cuda *cuda, cuda_image *own, lg_error *error)
{
    lg_shared_memory memory;
    lg_status status = lg_image_export(own->image.image, &memory, error);
    if (status)
        return status;
    const lg_cu_memory_handle handle = {
        .type = LG_CU_MEMORY_OPAQUE_FD, .source.fd = memory.fd, .size = memory.size};
    const lg_cu_memory_range range = {.size = memory.size};
    const char *call = "cuImportExternalMemory";
    lg_cu_result result = cuda->fn.cuImportExternalMemory(&own->memory, &handle);
    if (result) // CUDA owns what it has imported
        close(memory.fd);
    if (!result) {
        call = "cuExternalMemoryGetMappedBuffer";
        result = cuda->fn.cuExternalMemoryGetMappedBuffer(&own->mapped, own->memory, &range);
    }
    own->image.data = (void *)(uintptr_t)own->mapped;
    own->image.row_stride = memory.row_stride;
    own->image.layer_stride = memory.layer_stride;
    return result ? lg_cuda_fail(&cuda->fn, call, result, error) : LG_OK;
}

lg_status lg_cuda_image_create(lg_cuda *cuda, const lg_image_params *shape, lg_cuda_image **out,
                               lg_error *error)
{
    if (!cuda || !out)
        return lg_fail_null(error, "CUDA's side of a context, and a place for the image");
    cuda_image *own = lg_alloc(sizeof *own);
    if (!own)
        return lg_fail_memory(error, sizeof *own, "an image");
    lg_status status = lg_image_create_shared(cuda->context, shape, &own->image.image, error);
    if (!status)
        status = enter(cuda, error);
    if (!status) {
        status = import_memory(cuda, own, error);
        leave(cuda);
    }
    lg_cuda_image *image = &own->image;
    if (status)
        lg_cuda_image_destroy(cuda, &image);
    else
        *out = image;
    return status;
}

void lg_cuda_image_destroy(lg_cuda *cuda, lg_cuda_image **image)
{
    cuda_image *own = image ? (cuda_image *)*image : NULL;
    if (!own || !cuda)
        return;
    *image = NULL;
    if (own->memory && !enter(cuda, NULL)) {
        cuda->fn.cuCtxSynchronize(); // kernels of any stream may use it
        if (own->mapped)
            cuda->fn.cuMemFree_v2(own->mapped);
        cuda->fn.cuDestroyExternalMemory(own->memory);
        leave(cuda);
    }
    lg_image_destroy(&own->image.image);
    lg_free(own);
}

// Rows of one layer, or of all of them where both sides have these at equal distances.
static lg_cu_result copy_rows(lg_cuda *cuda, lg_cu_pointer to, size_t to_stride, lg_cu_pointer from,
                              size_t from_stride, size_t bytes, size_t rows, lg_cu_handle stream)
{
    if (rows == 1 || (to_stride == bytes && from_stride == bytes))
        return cuda->fn.cuMemcpyDtoDAsync_v2(to, from, bytes * rows, stream);
    const lg_cu_copy copy = {
        .from = {.memory = LG_CU_MEMORY_DEVICE, .device = from, .pitch = from_stride},
        .to = {.memory = LG_CU_MEMORY_DEVICE, .device = to, .pitch = to_stride},
        .width = bytes,
        .height = rows,
    };
    return cuda->fn.cuMemcpy2DAsync_v2(&copy, stream);
}

// Memory of the device itself: that of another one is not read over the bus unnoticed.
static lg_status check_pointer(lg_cuda *cuda, lg_cu_pointer pointer, lg_error *error)
{
    int number = -1;
    if (cuda->fn.cuPointerGetAttribute(&number, LG_CU_POINTER_DEVICE, pointer))
        return lg_fail(error, LG_ERROR_ARGUMENT, "the pixels are not in memory of CUDA");
    if (number == cuda->number)
        return LG_OK;
    return lg_fail(error, LG_ERROR_ARGUMENT,
                   "the pixels are in memory of cuda:%d, the context is on cuda:%d", number,
                   cuda->number);
}

lg_status lg_cuda_copy(lg_cuda *cuda, const lg_cuda_image *into, const void *from,
                       size_t row_stride, size_t layer_stride, void *stream, lg_error *error)
{
    if (!cuda || !into || !from)
        return lg_fail_null(error, "CUDA's side of a context, an image, and pixels");
    const lg_image_params *s = &into->image->shape;
    const size_t bytes = (size_t)s->width * (size_t)s->channels * lg_type_size(s->type);
    const size_t height = (size_t)s->height, layers = (size_t)s->layers;
    if (row_stride < bytes || (layers > 1 && layer_stride < bytes))
        return lg_fail(error, LG_ERROR_ARGUMENT, "strides %zu and %zu: a row has %zu bytes",
                       row_stride, layer_stride, bytes);
    lg_status status = enter(cuda, error);
    if (status)
        return status;
    const lg_cu_pointer start = (uintptr_t)from, to = (uintptr_t)into->data;
    status = check_pointer(cuda, start, error);
    const bool together = layers == 1 || layer_stride == height * row_stride;
    lg_cu_result result = 0;
    for (size_t z = 0; z < (together ? 1 : layers) && !status && !result; z++)
        result =
            copy_rows(cuda, to + z * into->layer_stride, into->row_stride, start + z * layer_stride,
                      row_stride, bytes, together ? height * layers : height, stream);
    if (result)
        status = lg_cuda_fail(&cuda->fn, "cuMemcpy2DAsync", result, error);
    leave(cuda);
    return status;
}

// ---- order --------------------------------------------------------------------------------------

lg_status lg_cuda_finish(lg_cuda *cuda, void *stream, lg_error *error)
{
    if (!cuda)
        return lg_fail_null(error, "CUDA's side of a context");
    const lg_status status = enter(cuda, error);
    if (status)
        return status;
    const lg_cu_result result = cuda->fn.cuStreamSynchronize(stream);
    leave(cuda);
    return result ? lg_cuda_fail(&cuda->fn, "cuStreamSynchronize", result, error) : LG_OK;
}

// Values grow, whatever streams the caller has: another stream signals behind the last signal.
static lg_cu_result signal_behind(lg_cuda *cuda, lg_cu_handle stream)
{
    lg_cu_result result = 0;
    if (cuda->before.value && stream != cuda->last)
        result = cuda->fn.cuStreamWaitEvent(stream, cuda->event, 0);
    const lg_cu_semaphore_value value = {.value = cuda->before.value + 1};
    if (!result)
        result = cuda->fn.cuSignalExternalSemaphoresAsync(&cuda->before.there, &value, 1, stream);
    cuda->last = stream;
    return result ? result : cuda->fn.cuEventRecord(cuda->event, stream);
}

lg_status lg_cuda_wait(lg_cuda *cuda, void *stream, lg_error *error)
{
    if (!lg_cuda_has_semaphores(cuda))
        return lg_cuda_finish(cuda, stream, error);
    const lg_status status = enter(cuda, error);
    if (status)
        return status;
    lg_cu_result result = cuda->fn.cuStreamQuery(stream);
    const bool works = result == LG_CU_NOT_READY;
    if (works)
        result = signal_behind(cuda, stream);
    leave(cuda);
    if (result)
        return lg_cuda_fail(&cuda->fn, "cuSignalExternalSemaphoresAsync", result, error);
    return works ? lg_semaphore_queue_wait(cuda->before.here, ++cuda->before.value, error) : LG_OK;
}

lg_status lg_cuda_signal(lg_cuda *cuda, void *stream, lg_error *error)
{
    const double forever = 1e9;
    if (!cuda)
        return lg_fail_null(error, "CUDA's side of a context");
    lg_cuda_order *order = &cuda->behind;
    lg_status status = lg_semaphore_queue_signal(order->here, order->value + 1, error);
    if (status)
        return status;
    order->value++;
    bool reached;
    if (!lg_cuda_has_semaphores(cuda))
        return lg_semaphore_wait(order->here, order->value, forever, &reached, error);
    status = enter(cuda, error);
    if (status)
        return status;
    const lg_cu_semaphore_value value = {.value = order->value};
    const lg_cu_result result =
        cuda->fn.cuWaitExternalSemaphoresAsync(&order->there, &value, 1, stream);
    leave(cuda);
    return result ? lg_cuda_fail(&cuda->fn, "cuWaitExternalSemaphoresAsync", result, error) : LG_OK;
}

#include "cuda/driver.h"

#include "core/module.h"

#include <string.h>

#define CALL(name)                                                                                 \
    {                                                                                              \
#name, offsetof(lg_cuda_driver, name)                                                      \
    }

static const struct {
    const char *name;
    size_t offset;
} calls[] = {
    CALL(cuInit),
    CALL(cuGetErrorString),
    CALL(cuDeviceGetCount),
    CALL(cuDeviceGet),
    CALL(cuDeviceGetUuid),
    CALL(cuDevicePrimaryCtxRetain),
    CALL(cuDevicePrimaryCtxRelease_v2),
    CALL(cuCtxPushCurrent_v2),
    CALL(cuCtxPopCurrent_v2),
    CALL(cuCtxSynchronize),
    CALL(cuStreamCreate),
    CALL(cuStreamDestroy_v2),
    CALL(cuStreamQuery),
    CALL(cuStreamSynchronize),
    CALL(cuStreamWaitEvent),
    CALL(cuEventCreate),
    CALL(cuEventDestroy_v2),
    CALL(cuEventRecord),
    CALL(cuPointerGetAttribute),
    CALL(cuMemcpyDtoDAsync_v2),
    CALL(cuMemcpy2DAsync_v2),
    CALL(cuMemFree_v2),
    CALL(cuImportExternalMemory),
    CALL(cuExternalMemoryGetMappedBuffer),
    CALL(cuDestroyExternalMemory),
    CALL(cuImportExternalSemaphore),
    CALL(cuDestroyExternalSemaphore),
    CALL(cuSignalExternalSemaphoresAsync),
    CALL(cuWaitExternalSemaphoresAsync),
};

enum { OUT_OF_MEMORY = 2 };

lg_status lg_cuda_fail(const lg_cuda_driver *fn, const char *call, lg_cu_result result,
                       lg_error *error)
{
    const char *words = NULL;
    if (fn->cuGetErrorString(result, &words) || !words)
        words = "unknown failure";
    return lg_fail(error, result == OUT_OF_MEMORY ? LG_ERROR_MEMORY : LG_ERROR_DEVICE,
                   "CUDA: %s: %s (%d)", call, words, result);
}

lg_status lg_cuda_load(lg_cuda_driver *out, lg_error *error)
{
    void *library;
    lg_error why = {LG_OK, ""};
    const lg_status status = lg_module_open(LG_MODULE_OF_SYSTEM, "libcuda.so.1", &library, &why);
    if (status)
        return lg_fail(error, status, "there is no CUDA here: %.200s", why.message);
    for (size_t i = 0; i < LG_COUNT(calls); i++) {
        void *symbol = lg_module_symbol(library, calls[i].name);
        if (!symbol)
            return lg_fail(error, LG_ERROR_UNSUPPORTED, "CUDA's driver has no %s: it is too old",
                           calls[i].name);
        memcpy((char *)out + calls[i].offset, &symbol, sizeof symbol);
    }
    const lg_cu_result result = out->cuInit(0);
    return result ? lg_cuda_fail(out, "cuInit", result, error) : LG_OK;
}

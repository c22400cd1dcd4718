// Memory that CUDA sees, too, with the driver of tests/cuda_driver on the memory that lavapipe exports:
// devices by UUID, images, copies of tensors, the order of streams, and the failure of every call.
#include "check.h"
#include "device.h"

#include <dirent.h>
#include <lumagraph/cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Of the driver.
int fake_cuda_live(void);
int fake_cuda_waits(void);
void *fake_cuda_alloc(size_t bytes, int device);
void fake_cuda_free(void *memory);
void fake_cuda_fill(void *to, const void *from, size_t bytes, void *stream);

static lg_error error;

#define GOOD(call) CHECK((call) == LG_OK, "%s", error.message)

enum { W = 333, H = 57, LAYERS = 2, ROW = 2 * W };

static const lg_image_params shape = {
    .width = W, .height = H, .layers = LAYERS, .channels = 1, .type = LG_U16};

static int open_descriptors(void)
{
    DIR *list = opendir("/proc/self/fd");
    int count = 0;
    while (list && readdir(list))
        count++;
    if (list)
        closedir(list);
    return count;
}

// CUDA's devices: one that Vulkan does not have, and that of the context.
static void name_devices(const lg_context *context)
{
    lg_device_info info;
    char text[80] = "0123456789abcdef0123456789abcdef,";
    lg_context_device(context, &info);
    for (int i = 0; i < 16; i++)
        snprintf(text + 33 + 2 * i, sizeof text - 33 - 2 * (size_t)i, "%02x", info.uuid[i]);
    setenv("FAKE_CUDA_UUIDS", text, 1);
}

static lg_moments measure_host(const void *pixels, size_t row_stride, size_t layer_stride)
{
    lg_context *cpu = device_open_cpu();
    lg_image *image = NULL;
    lg_moments found;
    lg_image_params at = shape;
    at.row_stride = row_stride;
    at.layer_stride = layer_stride;
    memset(&found, 0, sizeof found);
    lg_moments_params params = lg_moments_params_default();
    params.stack = true;
    GOOD(lg_image_wrap(cpu, &at, (void *)(uintptr_t)pixels, &image, &error));
    GOOD(lg_measure_moments(cpu, image, &params, &found, 1, &error));
    lg_image_destroy(&image);
    lg_context_destroy(&cpu);
    return found;
}

static lg_moments measure(lg_context *context, const lg_image *image)
{
    lg_moments found;
    memset(&found, 0, sizeof found);
    lg_moments_params params = lg_moments_params_default();
    params.stack = true;
    GOOD(lg_measure_moments(context, image, &params, &found, 1, &error));
    return found;
}

static bool equal(lg_moments a, lg_moments b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

// ---- devices --------------------------------------------------------------------------------------

static void test_devices(lg_context *context)
{
    lg_device_info info;
    lg_context *cpu = device_open_cpu();
    lg_cuda *cuda = NULL;
    int index = -7;
    lg_context_device(context, &info);
    GOOD(lg_cuda_find(1, &index, &error));
    CHECK(index == info.index, "index %d, not %d", index, info.index);
    CHECK(lg_cuda_find(0, &index, &error) == LG_ERROR_DEVICE && strstr(error.message, "cuda:0"),
          "%s", error.message);
    CHECK(lg_cuda_find(2, &index, &error) == LG_ERROR_ARGUMENT && strstr(error.message, "has 2"),
          "%s", error.message);
    CHECK(lg_cuda_find(-1, &index, &error) == LG_ERROR_ARGUMENT, "%s", error.message);
    CHECK(lg_cuda_create(cpu, &cuda, &error) == LG_ERROR_UNSUPPORTED && !cuda, "%s", error.message);
    GOOD(lg_cuda_create(context, &cuda, &error));
    CHECK(lg_cuda_device(cuda) == 1, "device %d", lg_cuda_device(cuda));
    lg_cuda_destroy(&cuda);
    setenv("FAKE_CUDA_UUIDS", "0123456789abcdef0123456789abcdef", 1);
    CHECK(lg_cuda_create(context, &cuda, &error) == LG_ERROR_DEVICE && !cuda, "%s", error.message);
    setenv("FAKE_CUDA_UUIDS", "", 1);
    CHECK(lg_cuda_find(0, &index, &error) == LG_ERROR_DEVICE &&
              strstr(error.message, "no CUDA-capable device"),
          "%s", error.message);
    name_devices(context);
    lg_context_destroy(&cpu);
}

// ---- images ---------------------------------------------------------------------------------------

static void test_images(lg_context *context)
{
    lg_cuda *cuda = NULL;
    lg_cuda_image *image = NULL, *result = NULL;
    GOOD(lg_cuda_create(context, &cuda, &error));
    GOOD(lg_cuda_image_create(cuda, &shape, &image, &error));
    GOOD(lg_cuda_image_create(cuda, &shape, &result, &error));
    if (!image || !result)
        return;
    const size_t bytes = image->layer_stride * LAYERS;
    CHECK(image->row_stride == 672 && image->layer_stride == (size_t)672 * H, "rows of %zu",
          image->row_stride);
    char *pixels = malloc(bytes);
    random_bytes(pixels, bytes);
    memset(image->data, 0, bytes);
    // A kernel of the caller, in its own stream and in the default one, is not over when we are called.
    void *streams[] = {lg_cuda_stream(cuda), NULL};
    for (size_t i = 0; i < LG_COUNT(streams); i++) {
        pixels[i]++;
        fake_cuda_fill(image->data, pixels, bytes, streams[i]);
        CHECK(memcmp(image->data, pixels, bytes) != 0, "the stream has not waited");
        GOOD(lg_cuda_wait(cuda, streams[i], &error));
        CHECK(equal(measure(context, image->image), measure_host(pixels, 672, (size_t)672 * H)),
              "other moments behind stream %zu", i);
    }
    // What we write, CUDA reads.
    lg_graph *graph = NULL;
    lg_plan *plan = NULL;
    lg_node in, out;
    GOOD(lg_graph_create(&graph, &error));
    GOOD(lg_graph_input(graph, "in", &in, &error));
    GOOD(lg_graph_parse(graph, "color_invert", in, &out, &error));
    GOOD(lg_graph_output(graph, out, &error));
    GOOD(lg_plan_create(context, graph, &shape, 1, NULL, &plan, &error));
    GOOD(lg_plan_submit(plan, &image->image, &result->image, NULL, &error));
    GOOD(lg_cuda_signal(cuda, streams[0], &error));
    int wrong = 0;
    for (size_t y = 0; y < (size_t)H * LAYERS; y++)
        for (size_t x = 0; x < W; x++)
            wrong += ((const uint16_t *)result->data)[y * 336 + x] !=
                     65535 - ((const uint16_t *)(void *)pixels)[y * 336 + x];
    CHECK(!wrong, "%d pixels are not inverted", wrong);
    GOOD(lg_plan_wait(plan, &error));
    lg_plan_destroy(&plan);
    lg_graph_destroy(&graph);
    // The memory goes only when kernels have ended.
    const int waits = fake_cuda_waits();
    lg_cuda_image_destroy(cuda, &image);
    lg_cuda_image_destroy(cuda, &result);
    CHECK(!image && !result && fake_cuda_waits() == waits + 2, "memory of running kernels");
    lg_cuda_destroy(&cuda);
    free(pixels);
}

// ---- copies ---------------------------------------------------------------------------------------

// A tensor of the device, with strides of its own.
static void copy_one(lg_context *context, lg_cuda *cuda, lg_cuda_image *into, size_t row,
                     size_t layer)
{
    const size_t bytes = layer * LAYERS;
    char *tensor = fake_cuda_alloc(bytes, 1);
    void *stream = lg_cuda_stream(cuda);
    random_bytes(tensor, bytes);
    GOOD(lg_cuda_copy(cuda, into, tensor, row, layer, stream, &error));
    GOOD(lg_cuda_finish(cuda, stream, &error));
    CHECK(equal(measure(context, into->image), measure_host(tensor, row, layer)),
          "other moments with rows of %zu bytes, layers of %zu", row, layer);
    fake_cuda_free(tensor);
}

static void test_copies(lg_context *context)
{
    lg_cuda *cuda = NULL;
    lg_cuda_image *into = NULL;
    GOOD(lg_cuda_create(context, &cuda, &error));
    GOOD(lg_cuda_image_create(cuda, &shape, &into, &error));
    if (!into)
        return;
    copy_one(context, cuda, into, ROW, (size_t)ROW * H);
    copy_one(context, cuda, into, ROW + 10, (size_t)(ROW + 10) * H);
    copy_one(context, cuda, into, 672, (size_t)672 * H);
    copy_one(context, cuda, into, ROW, (size_t)ROW * H + 100);
    void *stream = lg_cuda_stream(cuda);
    char *other = fake_cuda_alloc(ROW * H * LAYERS, 0), host[ROW] = "";
    CHECK(lg_cuda_copy(cuda, into, other, ROW, ROW * H, stream, &error) == LG_ERROR_ARGUMENT &&
              strstr(error.message, "cuda:0"),
          "%s", error.message);
    CHECK(lg_cuda_copy(cuda, into, host, ROW, ROW * H, stream, &error) == LG_ERROR_ARGUMENT &&
              strstr(error.message, "not in memory of CUDA"),
          "%s", error.message);
    CHECK(lg_cuda_copy(cuda, into, other, ROW - 1, ROW * H, stream, &error) == LG_ERROR_ARGUMENT,
          "%s", error.message);
    CHECK(lg_cuda_copy(cuda, into, NULL, ROW, ROW * H, stream, &error) == LG_ERROR_ARGUMENT, "%s",
          error.message);
    fake_cuda_free(other);
    lg_cuda_image_destroy(cuda, &into);
    lg_cuda_destroy(&cuda);
}

// ---- failures -------------------------------------------------------------------------------------

static lg_status go_through(lg_context *context)
{
    lg_cuda *cuda = NULL;
    lg_cuda_image *image = NULL;
    char *tensor = fake_cuda_alloc(ROW * H * LAYERS, 1);
    lg_status status = lg_cuda_create(context, &cuda, &error);
    if (!status)
        status = lg_cuda_image_create(cuda, &shape, &image, &error);
    void *stream = lg_cuda_stream(cuda);
    if (!status)
        status = lg_cuda_copy(cuda, image, tensor, ROW, ROW * H, stream, &error);
    if (!status)
        status = lg_cuda_copy(cuda, image, tensor, ROW * LAYERS, ROW, stream, &error);
    if (!status)
        status = lg_cuda_wait(cuda, stream, &error);
    if (!status)
        status = lg_cuda_signal(cuda, stream, &error);
    lg_cuda_image_destroy(cuda, &image);
    lg_cuda_destroy(&cuda);
    fake_cuda_free(tensor);
    return status;
}

static void test_failures(lg_context *context)
{
    static const char *const calls[] = {
        "cuInit",
        "cuDeviceGetCount",
        "cuDeviceGetUuid",
        "cuCtxPushCurrent",
        "cuStreamCreate",
        "cuDevicePrimaryCtxRetain",
        "cuEventCreate",
        "cuStreamSynchronize",
        "cuImportExternalMemory",
        "cuMemcpy2DAsync",
        "cuExternalMemoryGetMappedBuffer",
    };
    GOOD(go_through(context));
    const int live = fake_cuda_live(), descriptors = open_descriptors();
    CHECK(live == 0, "%d objects of CUDA are left", live);
    for (size_t i = 0; i < LG_COUNT(calls); i++) {
        setenv("FAKE_CUDA_FAIL", calls[i], 1);
        const lg_status status = go_through(context);
        CHECK(status == LG_ERROR_DEVICE && strstr(error.message, "made to fail"), "%s: %s",
              calls[i], error.message);
        unsetenv("FAKE_CUDA_FAIL");
        CHECK(fake_cuda_live() == live, "%s: %d objects are left", calls[i],
              fake_cuda_live() - live);
        CHECK(open_descriptors() == descriptors, "%s: %d descriptors, not %d", calls[i],
              open_descriptors(), descriptors);
    }
    GOOD(go_through(context));
    for (int64_t i = 0; i < 40; i++) {
        lg_alloc_fail_after(i);
        const lg_status status = go_through(context);
        lg_alloc_fail_after(-1);
        CHECK(status == LG_OK || status == LG_ERROR_MEMORY, "allocation %d: %s", (int)i,
              error.message);
    }
}

static lg_context *context;

static void run(void)
{
    lg_device_info info;
    if (!context)
        return;
    lg_context_device(context, &info);
    if (info.hardware) {
        check_skip("the driver of tests/cuda_driver imports memory of lavapipe alone");
        return;
    }
    name_devices(context);
    test_devices(context);
    test_images(context);
    test_copies(context);
    test_failures(context);
}

int main(void)
{
    return device_main("cuda", &context, run);
}

// Contexts on a device of the application (lumagraph/vulkan.h): what is refused, its buffers and images,
// copies to and from its textures.
#include "adopted.h"
#include "check.h"
#include "device.h"
#include "lent.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef LG_HAVE_VULKAN

static lg_error error;

#define GOOD(call) CHECK((call) == LG_OK, "%s", error.message)

// ---- the device -----------------------------------------------------------------------------------

static void expect_refusal(const lg_vulkan_device *device, lg_status status, const char *part)
{
    lg_context *context = NULL;
    error.message[0] = '\0';
    const lg_status got = lg_context_create_vulkan(NULL, device, &context, &error);
    CHECK(got == status && !context, "%s: status %d", part, (int)got);
    CHECK(strstr(error.message, part), "'%s' does not say '%s'", error.message, part);
    lg_context_destroy(&context);
}

static void test_needs(const lg_vulkan_device *lent)
{
    const lg_vulkan_needs *needs = NULL;
    lg_vk_features f;
    GOOD(lg_vulkan_needs_create(lent->get_proc_addr, lent->instance, lent->physical, lent->api,
                                &needs, &error));
    lg_vk_features_read(needs->features, &f);
    CHECK(f.addresses && f.scalar_layout && f.storage8 && f.storage16 && f.timelines,
          "a required feature is not asked for");
    CHECK(needs->family == lent->family, "family %u", needs->family);
    lg_vulkan_needs_destroy(&needs);
    CHECK(!needs, "a destroyed result");
    lg_vulkan_needs_destroy(&needs);
    CHECK(lg_vulkan_needs_create(lent->get_proc_addr, lent->instance, lent->physical,
                                 VK_API_VERSION_1_1, &needs, &error) == LG_ERROR_DEVICE,
          "Vulkan 1.1");
    setenv("LUMAGRAPH_VK_DISABLE", "scalarBlockLayout", 1);
    CHECK(lg_vulkan_needs_create(lent->get_proc_addr, lent->instance, lent->physical, lent->api,
                                 &needs, &error) == LG_ERROR_DEVICE &&
              strstr(error.message, "scalarBlockLayout"),
          "%s", error.message);
    unsetenv("LUMAGRAPH_VK_DISABLE");
}

static void test_refusals(const lg_vulkan_device *lent)
{
    lg_vulkan_device d = *lent;
    d.size--;
    expect_refusal(&d, LG_ERROR_ARGUMENT, "lg_vulkan_device.size");
    d = *lent, d.device = VK_NULL_HANDLE;
    expect_refusal(&d, LG_ERROR_ARGUMENT, "NULL");
    d = *lent, d.unlock = NULL;
    expect_refusal(&d, LG_ERROR_ARGUMENT, "go together");
    d = *lent, d.api = VK_API_VERSION_1_1;
    expect_refusal(&d, LG_ERROR_DEVICE, "1.2");
    d = *lent, d.family = 77;
    expect_refusal(&d, LG_ERROR_DEVICE, "compute queue");
    d = *lent, d.transfer_queue = 1000;
    expect_refusal(&d, LG_ERROR_DEVICE, "transfer queue");
    d = *lent, d.physical = (VkPhysicalDevice)(uintptr_t)0x1230;
    expect_refusal(&d, LG_ERROR_ARGUMENT, "not of that instance");
    d = *lent, d.features = NULL;
    expect_refusal(&d, LG_ERROR_DEVICE, "bufferDeviceAddress");
}

// The smallest chain that is enough; without one of its features there is a message that names it.
static void test_features(const lg_vulkan_device *lent)
{
    VkPhysicalDevice16BitStorageFeatures words = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES,
        .storageBuffer16BitAccess = true};
    VkPhysicalDeviceVulkan12Features v12 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
        .pNext = &words,
        .bufferDeviceAddress = true,
        .scalarBlockLayout = true,
        .storageBuffer8BitAccess = true,
        .timelineSemaphore = true};
    const VkPhysicalDeviceFeatures2 chain = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                             .pNext = &v12};
    lg_vulkan_device d = *lent;
    d.features = &chain;
    d.extension_count = 0;
    lg_context *small = NULL;
    GOOD(lg_context_create_vulkan(NULL, &d, &small, &error));
    const lg_vk_limits *l = small ? lg_vk_get_limits(small->vk) : NULL;
    CHECK(l && !l->int64 && !l->float64 && !l->int16 && !l->float32_atomic_add,
          "features that were not enabled");
    float pixels[7][16];
    lg_image *image = NULL;
    lg_moments here[4], there[4];
    for (int i = 0; i < 7 * 16; i++)
        pixels[i / 16][i % 16] = (float)(i * i) / 3;
    const lg_image_params shape = {.width = 16,
                                   .height = 7,
                                   .layers = 1,
                                   .channels = 1,
                                   .type = LG_F32,
                                   .row_stride = 64,
                                   .layer_stride = sizeof pixels};
    GOOD(lg_image_wrap(lent_plain, &shape, pixels, &image, &error));
    GOOD(lg_measure_moments(lent_plain, image, NULL, here, 4, &error));
    GOOD(lg_measure_moments(small, image, NULL, there, 4, &error));
    CHECK(here[0].mean == there[0].mean && here[0].variance == there[0].variance, "other figures");
    lg_image_destroy(&image);
    lg_context_destroy(&small);
    VkBool32 *const required[] = {&words.storageBuffer16BitAccess, &v12.bufferDeviceAddress,
                                  &v12.scalarBlockLayout, &v12.storageBuffer8BitAccess,
                                  &v12.timelineSemaphore};
    static const char *const names[] = {"storageBuffer16BitAccess", "bufferDeviceAddress",
                                        "scalarBlockLayout", "storageBuffer8BitAccess",
                                        "timelineSemaphore"};
    for (size_t i = 0; i < LG_COUNT(names); i++) {
        *required[i] = false;
        expect_refusal(&d, LG_ERROR_DEVICE, names[i]);
        *required[i] = true;
    }
}

// ---- buffers --------------------------------------------------------------------------------------

static void check_measurements(const lent_image *m)
{
    lg_moments here[16], there[16];
    lg_histogram *h[2] = {NULL, NULL};
    const lg_histogram_params p = WITH(lg_histogram_params, it.bins = 64, it.lo = 0, it.hi = 300);
    memset(here, 0, sizeof here);
    memset(there, 0, sizeof there);
    GOOD(lg_measure_moments(lent_plain, m->host, NULL, here, 16, &error));
    GOOD(lg_measure_moments(lent_context, m->image, NULL, there, 16, &error));
    CHECK(memcmp(here, there, sizeof here) == 0, "other moments");
    GOOD(lg_measure_histogram(lent_plain, m->host, &p, &h[0], &error));
    GOOD(lg_measure_histogram(lent_context, m->image, &p, &h[1], &error));
    CHECK(h[0] && h[1] &&
              memcmp(h[0]->channel[0].counts, h[1]->channel[0].counts,
                     64 * sizeof *h[0]->channel[0].counts) == 0,
          "other counts");
    lg_histogram_destroy(&h[0]);
    lg_histogram_destroy(&h[1]);
}

static void test_buffers(int width, int height, int layers, int channels, lg_type type, int gap)
{
    lent_image in = lent_open(width, height, layers, channels, type, gap);
    lent_image out = lent_open(width, height, layers, channels, type, gap);
    lg_image *wanted = NULL;
    check_measurements(&in);
    static const char *const texts[] = {"brightness:brightness=@mean | gaussian_blur:sigma=1.5",
                                        "median"};
    GOOD(lg_image_create(lent_plain, &in.host->shape, &wanted, &error));
    for (size_t i = 0; i < LG_COUNT(texts); i++) {
        lg_plan *a = lent_plan(lent_plain, texts[i], &in.host->shape, NULL, true);
        lg_plan *b = lent_plan(lent_context, texts[i], &in.host->shape, NULL, true);
        GOOD(lg_plan_run(a, &in.host, &wanted, &error));
        GOOD(lg_plan_run(b, &in.image, &out.image, &error));
        lent_check(&out, wanted, texts[i]);
        lg_plan_destroy(&a);
        lg_plan_destroy(&b);
    }
    lent_check(&in, in.host, "an input");
    GOOD(lg_image_download(lent_context, in.image, &error));
    GOOD(lg_image_upload(lent_context, in.image, &error));
    lent_check(&in, in.host, "down and up");
    lg_image_destroy(&wanted);
    lent_close(&in);
    lent_close(&out);
}

static void test_wrong_buffers(void)
{
    lent_image m = lent_open(20, 5, 1, 1, LG_U8, 0);
    lg_image_params s = {.width = 20,
                         .height = 5,
                         .layers = 1,
                         .channels = 1,
                         .type = LG_U8,
                         .row_stride = 32,
                         .layer_stride = 160};
    lg_image *out = NULL;
    const VkBuffer b = m.memory.buffer;
    CHECK(lg_image_wrap_buffer(lent_context, &s, b, 8, 0, &out, &error) == LG_ERROR_ARGUMENT,
          "offset");
    CHECK(lg_image_wrap_buffer(lent_plain, &s, b, 0, 0, &out, &error) == LG_ERROR_ARGUMENT, "CPU");
    CHECK(lg_image_wrap_buffer(lent_context, &s, VK_NULL_HANDLE, 0, 0, &out, &error) ==
              LG_ERROR_ARGUMENT,
          "no buffer");
    s.row_stride = 24, s.layer_stride = 120;
    CHECK(lg_image_wrap_buffer(lent_context, &s, b, 0, 0, &out, &error) == LG_ERROR_ARGUMENT, "24");
    s.row_stride = 16, s.layer_stride = 80;
    CHECK(lg_image_wrap_buffer(lent_context, &s, b, 0, 0, &out, &error) == LG_ERROR_ARGUMENT, "16");
    s.row_stride = 32, s.layer_stride = 192;
    CHECK(lg_image_wrap_buffer(lent_context, &s, b, 0, 0, &out, &error) == LG_ERROR_ARGUMENT,
          "gap");
    s.channels = 3, s.layer_stride = 160;
    CHECK(lg_image_wrap_buffer(lent_context, &s, b, 0, 0, &out, &error) == LG_ERROR_ARGUMENT,
          "RGB");
    CHECK(!out, "a failed call gave an image");
    VkBuffer found;
    VkDeviceSize offset;
    VkDeviceAddress address;
    size_t row, layer;
    GOOD(lg_image_buffer(m.image, &found, &offset, &address, &row, &layer, &error));
    CHECK(found == b && offset == LENT_OFFSET && address == m.memory.address + LENT_OFFSET &&
              row == 32 && layer == 160,
          "another buffer");
    CHECK(lg_image_buffer(m.host, &found, &offset, &address, &row, &layer, &error) ==
              LG_ERROR_ARGUMENT,
          "a host image");
    lent_close(&m);
}

// ---- images ---------------------------------------------------------------------------------------

static void test_texture(VkFormat format, lg_type type, int channels)
{
    enum { W = 37, H = 11, LAYERS = 3 };
    lent_image from = lent_open(W, H, LAYERS, channels, type, LENT_GAP);
    lent_image back = lent_open(W, H, LAYERS, channels, type, 0);
    lent_texture t = lent_texture_open(format, W + 5, H + 4, LAYERS + 1);
    lg_vulkan_image at = {.image = t.image, .format = format, .layer = 1, .x = 5, .y = 3};
    at.layout = VK_IMAGE_LAYOUT_UNDEFINED;
    at.after = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
    GOOD(lg_image_to_vulkan(lent_context, from.image, &at, &error));
    at.layout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
    at.after = VK_IMAGE_LAYOUT_GENERAL;
    GOOD(lg_image_from_vulkan(lent_context, back.image, &at, &error));
    lent_check(&back, from.host, "by way of a VkImage");
    at.layout = VK_IMAGE_LAYOUT_GENERAL;
    at.after = VK_IMAGE_LAYOUT_UNDEFINED; // it stays GENERAL
    GOOD(lg_image_to_vulkan(lent_context, back.image, &at, &error));
    GOOD(lg_image_from_vulkan(lent_context, from.image, &at, &error));
    lent_check(&from, from.host, "once more");
    lent_texture_close(&t);
    lent_close(&from);
    lent_close(&back);
}

static void test_wrong_textures(void)
{
    lent_image m = lent_open(8, 8, 1, 1, LG_U8, 0);
    lg_vulkan_image at = {.image = (VkImage)(uintptr_t)1, .format = VK_FORMAT_R16_UNORM};
    CHECK(lg_image_from_vulkan(lent_context, m.image, &at, &error) == LG_ERROR_ARGUMENT &&
              strstr(error.message, "u16"),
          "%s", error.message);
    at.format = VK_FORMAT_B8G8R8A8_UNORM;
    CHECK(lg_image_from_vulkan(lent_context, m.image, &at, &error) == LG_ERROR_UNSUPPORTED, "%s",
          error.message);
    CHECK(lg_image_to_vulkan(lent_context, m.host, &at, &error) == LG_ERROR_ARGUMENT,
          "a host image");
    lent_close(&m);
}

// ---- a loss ---------------------------------------------------------------------------------------

// Each call of the driver and each allocation fails once while a context is made: nothing is left, and what
// is the application's is not destroyed.
static void test_opening(const lg_vulkan_device *lent)
{
    const lg_context_params *params = WITH_REF(lg_context_params, it.use_cache = false);
    bool done = false;
    for (int64_t at = 1; !done && at < 100; at++) {
        lg_vk_probe probe = {.fail_at = at, .result = VK_ERROR_OUT_OF_DEVICE_MEMORY};
        lg_vk *made = NULL;
        const lg_status status = lg_vk_open_probed(params, lent, NULL, NULL, &probe, &made, &error);
        done = !probe.failed;
        CHECK(!status == (made != NULL) && (status || done || strstr(probe.failed, "Cache")),
              "call %d (%s): status %d", (int)at, probe.failed ? probe.failed : "none",
              (int)status);
        lg_vk_destroy(&made);
        CHECK(probe.created == probe.destroyed, "call %d (%s): %d objects, %d destroyed", (int)at,
              probe.failed ? probe.failed : "none", (int)probe.created, (int)probe.destroyed);
    }
    CHECK(done, "more than 100 calls");
    for (int64_t at = 0; at < 12; at++) {
        lg_context *made = NULL;
        lg_alloc_fail_after(at);
        const lg_status status = lg_context_create_vulkan(params, lent, &made, &error);
        lg_alloc_fail_after(-1);
        CHECK(status == LG_ERROR_MEMORY || (!status && made), "allocation %d: status %d", (int)at,
              (int)status);
        lg_context_destroy(&made);
    }
}

// A device that is lost, as far as the library knows: its calls are errors, and plans go to the CPU. The
// application's device and objects stay as they are.
static void test_loss(const lg_vulkan_device *lent)
{
    lg_context *context = NULL;
    lg_vk_probe probe = {.fail_at = 1, .result = VK_ERROR_DEVICE_LOST};
    GOOD(lg_context_create_vulkan(NULL, lent, &context, &error));
    context->vk->probe = &probe;
    const lg_vulkan_point point = {lent_vk->lanes->timeline, lent_vk->lanes->submitted + 100};
    CHECK(lg_vulkan_signal(context, &point, 1, &error) == LG_ERROR_DEVICE, "%s", error.message);
    CHECK(lg_vulkan_wait(context, &point, 1, &error) == LG_ERROR_DEVICE, "%s", error.message);
    CHECK(lg_vk_lost(context->attached) && !lg_vk_lost(lent_vk), "which one is lost");
    context->vk->probe = NULL;
    lg_context_destroy(&context);
}

static void run(const lg_vulkan_device *lent)
{
    test_needs(lent);
    test_refusals(lent);
    test_features(lent);
    test_buffers(53, 19, 2, 4, LG_U8, LENT_GAP);
    if (!test_is_short()) {
        test_buffers(101, 37, 1, 1, LG_U8, 0);
        test_buffers(33, 40, 1, 1, LG_F32, LENT_GAP);
    }
    test_wrong_buffers();
    test_texture(VK_FORMAT_R8_UNORM, LG_U8, 1);
    test_texture(VK_FORMAT_R8G8B8A8_SRGB, LG_U8, 4);
    test_texture(VK_FORMAT_R16G16_SFLOAT, LG_F16, 2);
    test_texture(VK_FORMAT_R32_SFLOAT, LG_F32, 1);
    test_wrong_textures();
    test_opening(lent);
    test_loss(lent);
    const unsigned locks = adopted_locks(), own = adopted_submissions();
    CHECK(locks > 60 && own > 20 && own < locks, "%u locks, %u submissions", locks, own);
}

#else

#define run NULL

#endif

int main(void)
{
    return lent_main("vulkan_adopt", run);
}

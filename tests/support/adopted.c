#include "adopted.h"

#include "check.h"
#include "core/module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool adopted_is_wished(void)
{
    const char *wish = getenv("LUMAGRAPH_TEST_ADOPT");
    return wish && strcmp(wish, "1") == 0;
}

#ifdef LG_HAVE_VULKAN

#define VK_NO_PROTOTYPES
#include <lumagraph/vulkan.h>

#include <pthread.h>
#include <unistd.h>

#define LAYER "VK_LAYER_KHRONOS_validation"

static struct {
    bool tried;
    int process;
    lg_vulkan_device lent;
    const lg_vulkan_needs *needs;
    VkDebugUtilsMessengerEXT messenger;
    VkQueue queue;
    VkCommandPool pool;
    VkCommandBuffer fill; // work of the application
    VkBuffer buffer;
    VkDeviceMemory memory;
    pthread_mutex_t lock;
    unsigned locks, submissions;
} app = {.lock = PTHREAD_MUTEX_INITIALIZER};

#define INSTANCE(name) ((PFN_##name)app.lent.get_proc_addr(app.lent.instance, #name))
#define DEVICE(name)   ((PFN_##name)INSTANCE(vkGetDeviceProcAddr)(app.lent.device, #name))

static VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                 VkDebugUtilsMessageTypeFlagsEXT types,
                                                 const VkDebugUtilsMessengerCallbackDataEXT *data,
                                                 void *user)
{
    (void)severity;
    (void)types;
    (void)user;
    CHECK(false, "Vulkan validation: %s", data->pMessage);
    return VK_FALSE;
}

// ---- the queue ------------------------------------------------------------------------------------

static void lock(void *priv, uint32_t family, uint32_t queue)
{
    (void)priv;
    pthread_mutex_lock(&app.lock);
    app.locks++;
    CHECK(family == app.lent.family && queue == app.lent.queue, "queue %u of family %u is locked",
          queue, family);
}

// Between two submissions of the library, one of the application.
static void unlock(void *priv, uint32_t family, uint32_t queue)
{
    (void)priv;
    (void)family;
    (void)queue;
    const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .commandBufferCount = 1,
                               .pCommandBuffers = &app.fill};
    if (app.locks % 3 == 0 && DEVICE(vkQueueSubmit)(app.queue, 1, &info, VK_NULL_HANDLE) == 0)
        app.submissions++;
    pthread_mutex_unlock(&app.lock);
}

// ---- making it ------------------------------------------------------------------------------------

static bool make_instance(void)
{
    const char *validation = getenv("LUMAGRAPH_VK_VALIDATION");
    const bool validates = validation && *validation;
    const bool is_sync = validates && strcmp(validation, "sync") == 0;
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .pApplicationName = "a test",
                                           .apiVersion = VK_API_VERSION_1_2};
    const VkValidationFeatureEnableEXT sync[] = {
        VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT};
    const VkValidationFeaturesEXT features = {.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
                                              .enabledValidationFeatureCount = 1,
                                              .pEnabledValidationFeatures = sync};
    const VkDebugUtilsMessengerCreateInfoEXT messenger = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                           VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
        .pfnUserCallback = on_message,
    };
    const char *layers[] = {LAYER};
    const char *extensions[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME,
                                VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME};
    const VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pNext = is_sync ? &features : NULL,
        .pApplicationInfo = &application,
        .enabledLayerCount = validates,
        .ppEnabledLayerNames = layers,
        .enabledExtensionCount = !validates ? 0
                                 : is_sync  ? 2
                                            : 1,
        .ppEnabledExtensionNames = extensions,
    };
    app.lent.api = application.apiVersion;
    return INSTANCE(vkCreateInstance)(&info, NULL, &app.lent.instance) == VK_SUCCESS &&
           (!validates || INSTANCE(vkCreateDebugUtilsMessengerEXT)(app.lent.instance, &messenger,
                                                                   NULL, &app.messenger) == 0);
}

static bool make_device(void)
{
    lg_error error = {LG_OK, ""};
    uint32_t count = 1;
    const VkResult found =
        INSTANCE(vkEnumeratePhysicalDevices)(app.lent.instance, &count, &app.lent.physical);
    if ((found != VK_SUCCESS && found != VK_INCOMPLETE) || !count)
        return false;
    NEED(!lg_vulkan_needs_create(app.lent.get_proc_addr, app.lent.instance, app.lent.physical,
                                 app.lent.api, &app.needs, &error),
         "%s", error.message);
    app.lent.features = app.needs->features;
    app.lent.extensions = app.needs->extensions;
    app.lent.extension_count = app.needs->extension_count;
    app.lent.family = app.lent.transfer_family = app.needs->family;
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueFamilyIndex = app.needs->family,
                                           .queueCount = 1,
                                           .pQueuePriorities = &(float){1}};
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .pNext = app.needs->features,
                                     .queueCreateInfoCount = 1,
                                     .pQueueCreateInfos = &queue,
                                     .enabledExtensionCount = app.needs->extension_count,
                                     .ppEnabledExtensionNames = app.needs->extensions};
    const VkResult made =
        INSTANCE(vkCreateDevice)(app.lent.physical, &info, NULL, &app.lent.device);
    NEED(made == VK_SUCCESS, "vkCreateDevice: %d", (int)made);
    DEVICE(vkGetDeviceQueue)(app.lent.device, app.lent.family, 0, &app.queue);
    return true;
}

// A fill of a buffer that nobody else uses.
static void make_work(void)
{
    const VkBufferCreateInfo buffer = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                       .size = 4096,
                                       .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    VkMemoryRequirements need;
    bool good = !DEVICE(vkCreateBuffer)(app.lent.device, &buffer, NULL, &app.buffer);
    DEVICE(vkGetBufferMemoryRequirements)(app.lent.device, app.buffer, &need);
    const VkMemoryAllocateInfo memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                         .allocationSize = need.size,
                                         .memoryTypeIndex =
                                             (uint32_t)__builtin_ctz(need.memoryTypeBits)};
    good = good && !DEVICE(vkAllocateMemory)(app.lent.device, &memory, NULL, &app.memory) &&
           !DEVICE(vkBindBufferMemory)(app.lent.device, app.buffer, app.memory, 0);
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .queueFamilyIndex = app.lent.family};
    good = good && !DEVICE(vkCreateCommandPool)(app.lent.device, &pool, NULL, &app.pool);
    const VkCommandBufferAllocateInfo one = {.sType =
                                                 VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                             .commandPool = app.pool,
                                             .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                             .commandBufferCount = 1};
    const VkCommandBufferBeginInfo again = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                            .flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT};
    const VkMemoryBarrier behind = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                    .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                    .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT};
    good = good && !DEVICE(vkAllocateCommandBuffers)(app.lent.device, &one, &app.fill) &&
           !DEVICE(vkBeginCommandBuffer)(app.fill, &again);
    NEED(good, "the application's own work");
    DEVICE(vkCmdPipelineBarrier)
    (app.fill, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1, &behind, 0,
     NULL, 0, NULL);
    DEVICE(vkCmdFillBuffer)(app.fill, app.buffer, 0, VK_WHOLE_SIZE, 7);
    NEED(!DEVICE(vkEndCommandBuffer)(app.fill), "the application's own work");
}

static void end(void)
{
    if (!app.lent.device || app.process != (int)getpid())
        return;
    DEVICE(vkDeviceWaitIdle)(app.lent.device);
    DEVICE(vkDestroyCommandPool)(app.lent.device, app.pool, NULL);
    DEVICE(vkDestroyBuffer)(app.lent.device, app.buffer, NULL);
    DEVICE(vkFreeMemory)(app.lent.device, app.memory, NULL);
    lg_vulkan_needs_destroy(&app.needs);
    DEVICE(vkDestroyDevice)(app.lent.device, NULL);
    if (app.messenger)
        INSTANCE(vkDestroyDebugUtilsMessengerEXT)(app.lent.instance, app.messenger, NULL);
    INSTANCE(vkDestroyInstance)(app.lent.instance, NULL);
}

const lg_vulkan_device *adopted_device(void)
{
    if (!app.tried) {
        app.tried = true;
        app.process = (int)getpid();
        app.lent.size = sizeof app.lent;
        void *library = NULL;
        const bool opened = !lg_module_open(LG_MODULE_OF_SYSTEM, "libvulkan.so.1", &library, NULL);
        void *symbol = opened ? lg_module_symbol(library, "vkGetInstanceProcAddr") : NULL;
        memcpy(&app.lent.get_proc_addr, &symbol, sizeof symbol);
        if (symbol && make_instance() && make_device()) {
            make_work();
            app.lent.lock = lock;
            app.lent.unlock = unlock;
            atexit(end);
        }
    }
    if (!app.lent.device)
        check_skip("no Vulkan device for an application");
    return app.lent.device ? &app.lent : NULL;
}

unsigned adopted_locks(void)
{
    return app.locks;
}

unsigned adopted_submissions(void)
{
    return app.submissions;
}

#else

const struct lg_vulkan_device *adopted_device(void)
{
    check_skip("this build is without Vulkan");
    return NULL;
}

unsigned adopted_locks(void)
{
    return 0;
}

unsigned adopted_submissions(void)
{
    return 0;
}

#endif

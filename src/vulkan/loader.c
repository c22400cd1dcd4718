// Loads the Vulkan loader at run time, creates the instance, and keeps the function table.
#include "core/module.h"
#include "vulkan/vk_private.h"

#include <string.h>

static const char validation_layer[] = "VK_LAYER_KHRONOS_validation";

bool lg_vk_fault(lg_vk *vk, const char *name)
{
    lg_vk_probe *probe = vk->probe;
    if (!probe || ++probe->calls != probe->fail_at)
        return false;
    probe->failed = name;
    // A device that is lost has stopped; one that only says so must not go on in memory that is given back.
    if (probe->result == VK_ERROR_DEVICE_LOST && vk->device)
        vk->fn.vkDeviceWaitIdle(vk->device);
    return true;
}

void lg_vk_count(lg_vk *vk, int change)
{
    if (vk->probe && change > 0)
        vk->probe->created++;
    if (vk->probe && change < 0)
        vk->probe->destroyed++;
}

const char *lg_vk_result_name(VkResult result)
{
    switch (result) {
    case VK_TIMEOUT:
        return "timeout";
    case VK_ERROR_OUT_OF_HOST_MEMORY:
        return "out of host memory";
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
        return "out of device memory";
    case VK_ERROR_INITIALIZATION_FAILED:
        return "initialization failed";
    case VK_ERROR_DEVICE_LOST:
        return "device lost";
    case VK_ERROR_MEMORY_MAP_FAILED:
        return "mapping memory failed";
    case VK_ERROR_LAYER_NOT_PRESENT:
        return "layer not present";
    case VK_ERROR_EXTENSION_NOT_PRESENT:
        return "extension not present";
    case VK_ERROR_FEATURE_NOT_PRESENT:
        return "feature not present";
    case VK_ERROR_INCOMPATIBLE_DRIVER:
        return "no driver that fits";
    case VK_ERROR_TOO_MANY_OBJECTS:
        return "too many objects";
    case VK_ERROR_INVALID_EXTERNAL_HANDLE:
        return "the memory cannot be imported";
    case VK_ERROR_INVALID_SHADER_NV:
        return "the driver refuses the shader";
    default:
        return "unknown failure";
    }
}

lg_status lg_vk_fail(lg_error *error, const char *what, VkResult result)
{
    const bool memory =
        result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_OUT_OF_DEVICE_MEMORY;
    return lg_fail(error, memory ? LG_ERROR_MEMORY : LG_ERROR_DEVICE, "Vulkan: %s: %s (%d)", what,
                   lg_vk_result_name(result), (int)result);
}

static VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                 VkDebugUtilsMessageTypeFlagsEXT types,
                                                 const VkDebugUtilsMessengerCallbackDataEXT *data,
                                                 void *user)
{
    lg_vk *vk = user;
    vk->messages++;
    lg_log(&vk->log, LG_LOG_ERROR, "Vulkan validation: %s", data->pMessage);
    return VK_FALSE;
}

static bool has_layer(lg_vk *vk)
{
    uint32_t count = 0;
    if (LG_VK_CALL(vk, vkEnumerateInstanceLayerProperties, &count, NULL) || !count)
        return false;
    VkLayerProperties *layers = lg_alloc_array(count, sizeof *layers);
    if (!layers)
        return false;
    bool found = false;
    if (LG_VK_CALL(vk, vkEnumerateInstanceLayerProperties, &count, layers) >= 0)
        for (uint32_t i = 0; i < count && !found; i++)
            found = strcmp(layers[i].layerName, validation_layer) == 0;
    lg_free(layers);
    return found;
}

static lg_status open_library(lg_vk *vk, lg_error *error)
{
    const char *name = vk->probe && vk->probe->library ? vk->probe->library : "libvulkan.so.1";
    if (lg_program_is_static())
        return lg_fail(error, LG_ERROR_DEVICE,
                       "no Vulkan in a static program, which cannot load drivers; link it "
                       "dynamically, or use the CPU device");
    lg_error why = {0};
    void *library = NULL;
    const lg_status status = lg_module_open(LG_MODULE_OF_SYSTEM, name, &library, &why);
    if (status == LG_ERROR_MEMORY)
        return lg_fail(error, status, "%s", why.message);
    if (status)
        return lg_fail(
            error, LG_ERROR_DEVICE,
            "no Vulkan loader here (%.300s); install it with a driver, or use the CPU device",
            why.message);
    void *symbol = lg_module_symbol(library, "vkGetInstanceProcAddr");
    memcpy(&vk->fn.vkGetInstanceProcAddr, &symbol, sizeof symbol);
    if (!symbol)
        return lg_fail(error, LG_ERROR_DEVICE, "%s is no Vulkan loader", name);
    bool complete = true;
#define LG_VK_GET(f)                                                                               \
    vk->fn.f = (PFN_##f)vk->fn.vkGetInstanceProcAddr(NULL, #f);                                    \
    complete = complete && vk->fn.f;
    LG_VK_GLOBAL_FUNCTIONS(LG_VK_GET)
#undef LG_VK_GET
    if (!complete)
        return lg_fail(error, LG_ERROR_DEVICE,
                       "the Vulkan loader is older than Vulkan 1.2; update it");
    return LG_OK;
}

lg_status lg_vk_load_instance_functions(lg_vk *vk, bool debug, lg_error *error)
{
    bool complete = true;
#define LG_VK_GET(f)                                                                               \
    vk->fn.f = (PFN_##f)vk->fn.vkGetInstanceProcAddr(vk->instance, #f);                            \
    complete = complete && vk->fn.f;
    LG_VK_INSTANCE_FUNCTIONS(LG_VK_GET)
    if (debug) {
        LG_VK_DEBUG_FUNCTIONS(LG_VK_GET)
    }
#undef LG_VK_GET
    if (!complete)
        return lg_fail(error, LG_ERROR_DEVICE, "the Vulkan loader lacks functions of Vulkan 1.2");
    return LG_OK;
}

bool lg_vk_load_device_functions(lg_vk *vk)
{
    bool complete = true;
#define LG_VK_GET(f)                                                                               \
    vk->fn.f = (PFN_##f)vk->fn.vkGetDeviceProcAddr(vk->device, #f);                                \
    complete = complete && vk->fn.f;
    LG_VK_DEVICE_FUNCTIONS(LG_VK_GET)
#undef LG_VK_GET
#define LG_VK_GET(f) vk->fn.f = (PFN_##f)vk->fn.vkGetDeviceProcAddr(vk->device, #f);
    LG_VK_OPTIONAL_FUNCTIONS(LG_VK_GET)
#undef LG_VK_GET
    return complete;
}

static lg_status check_validation(lg_vk *vk, const char *validation, lg_error *error)
{
    if (strcmp(validation, "core") && strcmp(validation, "sync") && strcmp(validation, "gpu"))
        return lg_fail(error, LG_ERROR_ARGUMENT,
                       "LUMAGRAPH_VK_VALIDATION is '%s'; it may be core, sync or gpu", validation);
    if (!has_layer(vk))
        return lg_fail(error, LG_ERROR_DEVICE,
                       "Vulkan validation was asked for, but the layer %s is not installed",
                       validation_layer);
    return LG_OK;
}

static lg_status create_instance(lg_vk *vk, uint32_t version, const char *validation,
                                 lg_error *error)
{
    const VkApplicationInfo application = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
        .pEngineName = "lumagraph",
        .engineVersion =
            VK_MAKE_API_VERSION(0, LG_VERSION_MAJOR, LG_VERSION_MINOR, LG_VERSION_PATCH),
        .apiVersion = version,
    };
    const VkValidationFeatureEnableEXT sync[] = {
        VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT};
    const VkValidationFeatureEnableEXT gpu[] = {
        VK_VALIDATION_FEATURE_ENABLE_GPU_ASSISTED_EXT,
        VK_VALIDATION_FEATURE_ENABLE_GPU_ASSISTED_RESERVE_BINDING_SLOT_EXT};
    const bool is_sync = validation && strcmp(validation, "sync") == 0;
    const bool is_gpu = validation && strcmp(validation, "gpu") == 0;
    const VkValidationFeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
        .enabledValidationFeatureCount = is_gpu    ? 2
                                         : is_sync ? 1
                                                   : 0,
        .pEnabledValidationFeatures = is_gpu ? gpu : sync,
    };
    const VkDebugUtilsMessengerCreateInfoEXT messenger = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .pNext = is_sync || is_gpu ? &features : NULL,
        .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                           VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
                       VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT,
        .pfnUserCallback = on_message,
        .pUserData = vk,
    };
    const char *layers[] = {validation_layer};
    const char *extensions[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME,
                                VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME};
    const VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pNext = validation ? &messenger : NULL,
        .pApplicationInfo = &application,
        .enabledLayerCount = validation ? 1 : 0,
        .ppEnabledLayerNames = layers,
        .enabledExtensionCount = !validation         ? 0
                                 : is_sync || is_gpu ? 2
                                                     : 1,
        .ppEnabledExtensionNames = extensions,
    };
    // NVIDIA's driver takes from the memory for threads each time it is loaded: after some thirty instances,
    // one after the other, a process would have none.
    const size_t loaded = lg_modules_loaded();
    VkResult result = LG_VK_CALL(vk, vkCreateInstance, &info, NULL, &vk->instance);
    if (!result)
        lg_modules_keep(loaded);
    if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
        return lg_fail(error, LG_ERROR_DEVICE,
                       "no Vulkan driver here (the loader finds none that works); install one, or "
                       "use the CPU device");
    if (result)
        return lg_vk_fail(error, "vkCreateInstance", result);
    lg_vk_count(vk, 1);
    lg_status status = lg_vk_load_instance_functions(vk, validation, error);
    if (status || !validation)
        return status;
    VkDebugUtilsMessengerCreateInfoEXT alone = messenger;
    alone.pNext = NULL;
    result =
        LG_VK_CALL(vk, vkCreateDebugUtilsMessengerEXT, vk->instance, &alone, NULL, &vk->messenger);
    if (result)
        return lg_vk_fail(error, "vkCreateDebugUtilsMessengerEXT", result);
    lg_vk_count(vk, 1);
    return LG_OK;
}

lg_status lg_vk_load(lg_vk *vk, const char *validation, lg_error *error)
{
    lg_status status = open_library(vk, error);
    if (status)
        return status;
    uint32_t version = VK_API_VERSION_1_0;
    VkResult result = LG_VK_CALL(vk, vkEnumerateInstanceVersion, &version);
    if (result)
        return lg_vk_fail(error, "vkEnumerateInstanceVersion", result);
    if (version < VK_API_VERSION_1_2)
        return lg_fail(error, LG_ERROR_DEVICE,
                       "the Vulkan loader knows Vulkan %u.%u; 1.2 is needed, update it",
                       VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version));
    if (validation) {
        status = check_validation(vk, validation, error);
        if (status)
            return status;
    }
    version = version >= VK_API_VERSION_1_3 ? VK_API_VERSION_1_3 : VK_API_VERSION_1_2;
    vk->api = version;
    return create_instance(vk, version, validation, error);
}

void lg_vk_unload(lg_vk *vk)
{
    if (vk->messenger) {
        vk->fn.vkDestroyDebugUtilsMessengerEXT(vk->instance, vk->messenger, NULL);
        lg_vk_count(vk, -1);
    }
    if (vk->instance && vk->fn.vkDestroyInstance && !vk->adopted) {
        vk->fn.vkDestroyInstance(vk->instance, NULL);
        lg_vk_count(vk, -1);
    }
    vk->messenger = VK_NULL_HANDLE;
    vk->instance = VK_NULL_HANDLE;
}

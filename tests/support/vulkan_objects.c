#include "vulkan_objects.h"

#include <pthread.h>
#include <string.h>

// What the library finds in modules comes from here in programs that wrap dlsym.
void *__real_dlsym(void *module, const char *name);
void *__wrap_dlsym(void *module, const char *name);

#ifdef LG_HAVE_VULKAN

#include "vulkan/vk_private.h"

// Made by one call each for a device, and destroyed alike.
#define SIMPLE(X)                                                                                  \
    X(Buffer)                                                                                      \
    X(Semaphore)                                                                                   \
    X(ShaderModule)                                                                                \
    X(PipelineLayout)                                                                              \
    X(PipelineCache)                                                                               \
    X(CommandPool)                                                                                 \
    X(QueryPool)

typedef enum object_kind {
#define KIND(name) OF_##name,
    SIMPLE(KIND)
#undef KIND
        OF_Memory,
    OF_Pipeline,
    OF_Device,
    OF_Messenger,
    OF_Instance,
    KINDS
} object_kind;

static const char *const names[KINDS] = {
#define NAME(name) #name,
    SIMPLE(NAME)
#undef NAME
        "Memory",
    "Pipeline", "Device", "Messenger", "Instance"};

// ---- what lives ----------------------------------------------------------------------------------

typedef struct living {
    uint64_t handle, owner; // owner: the device, or the instance of a device; 0: none
    object_kind kind;
} living;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static living objects[1 << 16];
static size_t count;
static int64_t created[KINDS], live[KINDS], strays;

static void note(object_kind kind, uint64_t owner, const void *handle, size_t size)
{
    living made = {.owner = owner, .kind = kind};
    memcpy(&made.handle, handle, size);
    pthread_mutex_lock(&lock);
    created[kind]++;
    live[kind]++;
    if (count < LG_COUNT(objects))
        objects[count++] = made;
    else
        strays++;
    pthread_mutex_unlock(&lock);
}

static void forget(object_kind kind, const void *handle, size_t size)
{
    uint64_t gone = 0;
    memcpy(&gone, handle, size);
    if (!gone)
        return;
    pthread_mutex_lock(&lock);
    size_t at = count;
    for (size_t i = count; i-- > 0 && at == count;)
        if (objects[i].kind == kind && objects[i].handle == gone)
            at = i;
    if (at < count) {
        objects[at] = objects[--count];
        live[kind]--;
    } else {
        strays++;
    }
    for (size_t i = 0; i < count && kind >= OF_Device; i++)
        strays += objects[i].owner == gone;
    pthread_mutex_unlock(&lock);
}

#define NOTE(kind, owner, made) note(kind, (uint64_t)(uintptr_t)(owner), made, sizeof *(made))
#define FORGET(kind, handle)    forget(kind, &(handle), sizeof(handle))

// ---- functions in front of the driver's ----------------------------------------------------------

typedef const VkAllocationCallbacks *callbacks;

#define FUNCTIONS(name)                                                                            \
    static PFN_vkCreate##name real_vkCreate##name;                                                 \
    static PFN_vkDestroy##name real_vkDestroy##name;                                               \
    static VKAPI_ATTR VkResult VKAPI_CALL my_vkCreate##name(                                       \
        VkDevice device, const Vk##name##CreateInfo *info, callbacks c, Vk##name *out)             \
    {                                                                                              \
        const VkResult result = real_vkCreate##name(device, info, c, out);                         \
        if (!result)                                                                               \
            NOTE(OF_##name, device, out);                                                          \
        return result;                                                                             \
    }                                                                                              \
    static VKAPI_ATTR void VKAPI_CALL my_vkDestroy##name(VkDevice device, Vk##name object,         \
                                                         callbacks c)                              \
    {                                                                                              \
        FORGET(OF_##name, object);                                                                 \
        real_vkDestroy##name(device, object, c);                                                   \
    }

SIMPLE(FUNCTIONS)
#undef FUNCTIONS

#define OTHERS(X)                                                                                  \
    X(vkAllocateMemory)                                                                            \
    X(vkFreeMemory)                                                                                \
    X(vkCreateComputePipelines)                                                                    \
    X(vkDestroyPipeline)                                                                           \
    X(vkCreateDevice)                                                                              \
    X(vkDestroyDevice)                                                                             \
    X(vkCreateDebugUtilsMessengerEXT)                                                              \
    X(vkDestroyDebugUtilsMessengerEXT)                                                             \
    X(vkCreateInstance)                                                                            \
    X(vkDestroyInstance)                                                                           \
    X(vkGetDeviceProcAddr)

#define REAL(name) static PFN_##name real_##name;
OTHERS(REAL)
#undef REAL

static VKAPI_ATTR VkResult VKAPI_CALL my_vkAllocateMemory(VkDevice device,
                                                          const VkMemoryAllocateInfo *info,
                                                          callbacks c, VkDeviceMemory *out)
{
    const VkResult result = real_vkAllocateMemory(device, info, c, out);
    if (!result)
        NOTE(OF_Memory, device, out);
    return result;
}

static VKAPI_ATTR void VKAPI_CALL my_vkFreeMemory(VkDevice device, VkDeviceMemory memory,
                                                  callbacks c)
{
    FORGET(OF_Memory, memory);
    real_vkFreeMemory(device, memory, c);
}

static VKAPI_ATTR VkResult VKAPI_CALL
my_vkCreateComputePipelines(VkDevice device, VkPipelineCache cache, uint32_t n,
                            const VkComputePipelineCreateInfo *infos, callbacks c, VkPipeline *out)
{
    const VkResult result = real_vkCreateComputePipelines(device, cache, n, infos, c, out);
    for (uint32_t i = 0; i < n && !result; i++)
        NOTE(OF_Pipeline, device, out + i);
    return result;
}

static VKAPI_ATTR void VKAPI_CALL my_vkDestroyPipeline(VkDevice device, VkPipeline pipeline,
                                                       callbacks c)
{
    FORGET(OF_Pipeline, pipeline);
    real_vkDestroyPipeline(device, pipeline, c);
}

// The instance of a device is not said: there is one at a time in what owns both.
static VKAPI_ATTR VkResult VKAPI_CALL my_vkCreateDevice(VkPhysicalDevice physical,
                                                        const VkDeviceCreateInfo *info, callbacks c,
                                                        VkDevice *out)
{
    const VkResult result = real_vkCreateDevice(physical, info, c, out);
    if (!result)
        NOTE(OF_Device, NULL, out);
    return result;
}

static VKAPI_ATTR void VKAPI_CALL my_vkDestroyDevice(VkDevice device, callbacks c)
{
    FORGET(OF_Device, device);
    real_vkDestroyDevice(device, c);
}

static VKAPI_ATTR VkResult VKAPI_CALL my_vkCreateDebugUtilsMessengerEXT(
    VkInstance instance, const VkDebugUtilsMessengerCreateInfoEXT *info, callbacks c,
    VkDebugUtilsMessengerEXT *out)
{
    const VkResult result = real_vkCreateDebugUtilsMessengerEXT(instance, info, c, out);
    if (!result)
        NOTE(OF_Messenger, instance, out);
    return result;
}

static VKAPI_ATTR void VKAPI_CALL my_vkDestroyDebugUtilsMessengerEXT(
    VkInstance instance, VkDebugUtilsMessengerEXT messenger, callbacks c)
{
    FORGET(OF_Messenger, messenger);
    real_vkDestroyDebugUtilsMessengerEXT(instance, messenger, c);
}

static VKAPI_ATTR VkResult VKAPI_CALL my_vkCreateInstance(const VkInstanceCreateInfo *info,
                                                          callbacks c, VkInstance *out)
{
    const VkResult result = real_vkCreateInstance(info, c, out);
    if (!result)
        NOTE(OF_Instance, NULL, out);
    return result;
}

static VKAPI_ATTR void VKAPI_CALL my_vkDestroyInstance(VkInstance instance, callbacks c)
{
    FORGET(OF_Instance, instance);
    real_vkDestroyInstance(instance, c);
}

// ---- where the library asks for functions --------------------------------------------------------

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL my_vkGetDeviceProcAddr(VkDevice device,
                                                                       const char *name);

static PFN_vkVoidFunction in_front_of(const char *name, PFN_vkVoidFunction real)
{
    if (!real)
        return NULL;
#define REPLACE(function)                                                                          \
    if (strcmp(name, #function) == 0) {                                                            \
        real_##function = (PFN_##function)real;                                                    \
        return (PFN_vkVoidFunction)my_##function;                                                  \
    }
#define REPLACE_PAIR(name)    REPLACE(vkCreate##name) REPLACE(vkDestroy##name)
#define REPLACE_ONE(function) REPLACE(function)
    SIMPLE(REPLACE_PAIR)
    OTHERS(REPLACE_ONE)
#undef REPLACE_PAIR
#undef REPLACE_ONE
#undef REPLACE
    return real;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL my_vkGetDeviceProcAddr(VkDevice device,
                                                                       const char *name)
{
    return in_front_of(name, real_vkGetDeviceProcAddr(device, name));
}

static PFN_vkGetInstanceProcAddr real_vkGetInstanceProcAddr;

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL my_vkGetInstanceProcAddr(VkInstance instance,
                                                                         const char *name)
{
    return in_front_of(name, real_vkGetInstanceProcAddr(instance, name));
}

void *__wrap_dlsym(void *module, const char *name)
{
    void *symbol = __real_dlsym(module, name);
    if (!symbol || strcmp(name, "vkGetInstanceProcAddr") != 0)
        return symbol;
    memcpy(&real_vkGetInstanceProcAddr, &symbol, sizeof symbol);
    const PFN_vkGetInstanceProcAddr mine = my_vkGetInstanceProcAddr;
    memcpy(&symbol, &mine, sizeof symbol);
    return symbol;
}

size_t vulkan_objects_kinds(void)
{
    return KINDS;
}

const char *vulkan_objects_name(size_t which)
{
    return names[which];
}

int64_t vulkan_objects_created(size_t which)
{
    return created[which];
}

int64_t vulkan_objects_live(size_t which)
{
    return live[which];
}

int64_t vulkan_objects_strays(void)
{
    return strays;
}

#else

void *__wrap_dlsym(void *module, const char *name)
{
    return __real_dlsym(module, name);
}

size_t vulkan_objects_kinds(void)
{
    return 0;
}

const char *vulkan_objects_name(size_t which)
{
    (void)which;
    return "";
}

int64_t vulkan_objects_created(size_t which)
{
    return (int64_t)which * 0;
}

int64_t vulkan_objects_live(size_t which)
{
    return (int64_t)which * 0;
}

int64_t vulkan_objects_strays(void)
{
    return 0;
}

#endif

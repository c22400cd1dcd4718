// What a physical device offers: required and optional features, limits, and why it is unusable.
#include "vulkan/vk_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

lg_status lg_vk_physical_devices(lg_vk *vk, VkPhysicalDevice **out, uint32_t *count,
                                 lg_error *error)
{
    uint32_t found = 0;
    VkResult result = LG_VK_CALL(vk, vkEnumeratePhysicalDevices, vk->instance, &found, NULL);
    if (result < 0)
        return lg_vk_fail(error, "vkEnumeratePhysicalDevices", result);
    VkPhysicalDevice *devices = lg_alloc_array(found, sizeof(VkPhysicalDevice));
    if (!devices)
        return lg_fail_memory(error, found * sizeof(VkPhysicalDevice), "the Vulkan device list");
    result = found ? LG_VK_CALL(vk, vkEnumeratePhysicalDevices, vk->instance, &found, devices)
                   : VK_SUCCESS;
    if (result < 0) {
        lg_free(devices);
        return lg_vk_fail(error, "vkEnumeratePhysicalDevices", result);
    }
    *out = devices;
    *count = found;
    return LG_OK;
}

// ---- extensions ---------------------------------------------------------------------------------

typedef struct extensions {
    VkExtensionProperties *list;
    uint32_t count;
} extensions;

static lg_status read_extensions(lg_vk *vk, VkPhysicalDevice device, extensions *out,
                                 lg_error *error)
{
    VkResult result =
        LG_VK_CALL(vk, vkEnumerateDeviceExtensionProperties, device, NULL, &out->count, NULL);
    if (result < 0)
        return lg_vk_fail(error, "vkEnumerateDeviceExtensionProperties", result);
    out->list = lg_alloc_array(out->count, sizeof *out->list);
    if (!out->list)
        return lg_fail_memory(error, out->count * sizeof *out->list, "Vulkan extensions");
    result =
        LG_VK_CALL(vk, vkEnumerateDeviceExtensionProperties, device, NULL, &out->count, out->list);
    if (result < 0) {
        lg_free(out->list);
        return lg_vk_fail(error, "vkEnumerateDeviceExtensionProperties", result);
    }
    return LG_OK;
}

static bool has(const extensions *e, const char *name)
{
    for (uint32_t i = 0; i < e->count; i++)
        if (strcmp(e->list[i].extensionName, name) == 0)
            return true;
    return false;
}

// Whether an extension can be used: on a device that somebody else made, only if it was enabled there.
static bool has_enabled(const lg_vk *vk, const extensions *e, const char *name)
{
    const lg_vk_adopted *a = vk->adopted;
    bool enabled = !a;
    for (uint32_t i = 0; a && i < a->extension_count; i++)
        enabled |= strcmp(a->extensions[i], name) == 0;
    return enabled && has(e, name);
}

// ---- features and properties --------------------------------------------------------------------

typedef struct query {
    VkPhysicalDeviceFeatures2 features;
    VkPhysicalDeviceVulkan11Features features11;
    VkPhysicalDeviceVulkan12Features features12;
    VkPhysicalDeviceSubgroupSizeControlFeatures size_control;
    VkPhysicalDeviceShaderIntegerDotProductFeatures dot_product;
    VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomic_float;
    VkPhysicalDeviceMaintenance4Features maintenance4;
    VkPhysicalDeviceZeroInitializeWorkgroupMemoryFeatures zero_initialize;
    VkPhysicalDeviceProperties2 properties;
    VkPhysicalDeviceVulkan11Properties properties11;
    VkPhysicalDeviceVulkan12Properties properties12;
    VkPhysicalDeviceSubgroupSizeControlProperties size_range;
    VkPhysicalDeviceMaintenance4Properties buffer_size;
    VkPhysicalDeviceShaderSMBuiltinsPropertiesNV nvidia;
    VkPhysicalDeviceShaderCorePropertiesAMD amd;
} query;

// Links a structure behind the head of a pNext chain.
static void link_structure(void *head, void *item, VkStructureType type, bool wanted)
{
    VkBaseOutStructure *first = head, *next = item;
    next->sType = type;
    if (!wanted)
        return;
    next->pNext = first->pNext;
    first->pNext = next;
}

static void run_query(lg_vk *vk, VkPhysicalDevice device, bool is13, const extensions *e, query *q)
{
    memset(q, 0, sizeof *q);
    q->features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    q->properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    const bool sized = is13 || has(e, VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME);
    const bool four = is13 || has(e, VK_KHR_MAINTENANCE_4_EXTENSION_NAME);
    void *f = &q->features, *p = &q->properties;
    link_structure(f, &q->features11, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, true);
    link_structure(f, &q->features12, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, true);
    link_structure(f, &q->size_control,
                   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES, sized);
    link_structure(f, &q->dot_product,
                   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES,
                   is13 || has(e, VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME));
    link_structure(f, &q->atomic_float,
                   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT,
                   has(e, VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME));
    link_structure(f, &q->maintenance4, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES,
                   four);
    link_structure(f, &q->zero_initialize,
                   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ZERO_INITIALIZE_WORKGROUP_MEMORY_FEATURES,
                   is13 || has(e, VK_KHR_ZERO_INITIALIZE_WORKGROUP_MEMORY_EXTENSION_NAME));
    link_structure(p, &q->properties11, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES,
                   true);
    link_structure(p, &q->properties12, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES,
                   true);
    link_structure(p, &q->size_range,
                   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES, sized);
    link_structure(p, &q->buffer_size, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES,
                   four);
    link_structure(p, &q->nvidia,
                   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV,
                   has(e, VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME));
    link_structure(p, &q->amd, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_AMD,
                   has(e, VK_AMD_SHADER_CORE_PROPERTIES_EXTENSION_NAME));
    vk->fn.vkGetPhysicalDeviceFeatures2(device, &q->features);
    vk->fn.vkGetPhysicalDeviceProperties2(device, &q->properties);
}

// ---- what the queries say -----------------------------------------------------------------------

static void missing(lg_vk_physical *out, const char *what)
{
    if (!out->reason[0])
        snprintf(out->reason, sizeof out->reason, "the device lacks %s", what);
}

static void require(lg_vk_physical *out, VkBool32 present, const char *name)
{
    if (!present || lg_vk_disabled(name))
        missing(out, name);
}

static void read_required(const query *q, const lg_vk_features *f, lg_vk_physical *out)
{
    require(out, f->addresses, "bufferDeviceAddress");
    require(out, f->scalar_layout, "scalarBlockLayout");
    require(out, f->storage8, "storageBuffer8BitAccess");
    require(out, f->storage16, "storageBuffer16BitAccess");
    require(out, f->timelines, "timelineSemaphore");
    const VkSubgroupFeatureFlags wanted = VK_SUBGROUP_FEATURE_BASIC_BIT |
                                          VK_SUBGROUP_FEATURE_ARITHMETIC_BIT |
                                          VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
    const bool subgroups =
        (q->properties11.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT) &&
        (q->properties11.subgroupSupportedOperations & wanted) == wanted;
    require(out, subgroups, "subgroup arithmetic and shuffle in compute shaders");
    if (q->properties.properties.limits.maxPushConstantsSize < 128)
        missing(out, "128 bytes of push constants");
}

static void read_optional(const query *q, const lg_vk_features *f, lg_vk_physical *out)
{
    lg_vk_limits *limits = &out->limits;
    limits->float64 = f->float64 && !lg_vk_disabled("float64");
    limits->int64 = f->int64 && !lg_vk_disabled("int64");
    limits->int64_atomics = f->int64_atomics && limits->int64 && !lg_vk_disabled("int64_atomics");
    limits->float16 = f->float16 && !lg_vk_disabled("float16");
    out->host_query_reset = f->host_query_reset && !lg_vk_disabled("host_query_reset");
    limits->float32_atomic_add = f->float32_atomic_add && !lg_vk_disabled("float32_atomic_add");
    // Where the widths depend on each other, a mode is asked for all of them.
    const VkPhysicalDeviceVulkan12Properties *p12 = &q->properties12;
    out->denorm_all = p12->denormBehaviorIndependence == VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE;
    out->rounding_all = p12->roundingModeIndependence == VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE;
    limits->denorm_preserve = p12->shaderDenormPreserveFloat32 &&
                              (!out->denorm_all || (p12->shaderDenormPreserveFloat16 &&
                                                    p12->shaderDenormPreserveFloat64));
    limits->rounding_rte = p12->shaderRoundingModeRTEFloat32 &&
                           (!out->rounding_all || (p12->shaderRoundingModeRTEFloat16 &&
                                                   p12->shaderRoundingModeRTEFloat64));
    limits->nan_preserve = q->properties12.shaderSignedZeroInfNanPreserveFloat32;
    out->int8 = f->int8 && !lg_vk_disabled("int8");
    out->int16 = f->int16 && !lg_vk_disabled("int16");
    limits->int16 = out->int16;
    out->int64_shared_atomics = f->int64_shared_atomics && limits->int64_atomics;
    out->dot_product = f->dot_product && !lg_vk_disabled("dot_product");
    limits->integer_dot = out->dot_product;
    out->maintenance4 = f->maintenance4 && !lg_vk_disabled("maintenance4");
    out->memory_model = f->memory_model && !lg_vk_disabled("memory_model");
    out->memory_model_device = out->memory_model && f->memory_model_device;
    out->zero_initialize = f->zero_initialize;
    out->subgroup_size_control =
        f->subgroup_sizes &&
        (q->size_range.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) &&
        !lg_vk_disabled("subgroup_size_control");
    out->full_subgroups = out->subgroup_size_control && f->full_subgroups;
    out->max_subgroups = q->size_range.maxComputeWorkgroupSubgroups;
}

// What can be shared with other devices, processes and interfaces.
static void read_sharing(const lg_vk *vk, const extensions *e, lg_vk_physical *out)
{
    out->memory_fd = has_enabled(vk, e, VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME) &&
                     lg_vk_memory_is_shareable(vk, out->handle) && !lg_vk_disabled("memory_fd");
    out->semaphore_fd = has_enabled(vk, e, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME) &&
                        lg_vk_semaphore_is_shareable(vk, out->handle) &&
                        !lg_vk_disabled("semaphore_fd");
}

static void enable(lg_vk_physical *out, bool wanted, const char *extension)
{
    if (wanted)
        out->extensions[out->extension_count++] = extension;
}

// is13: what is core in Vulkan 1.3 needs no extension.
static void read_extensions_to_enable(bool is13, lg_vk_physical *out)
{
    enable(out, out->memory_fd, VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
    enable(out, out->semaphore_fd, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME);
    enable(out, out->limits.float32_atomic_add, VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME);
    enable(out, !is13 && out->subgroup_size_control, VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME);
    enable(out, !is13 && out->dot_product, VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME);
    enable(out, !is13 && out->maintenance4, VK_KHR_MAINTENANCE_4_EXTENSION_NAME);
    enable(out, !is13 && out->zero_initialize,
           VK_KHR_ZERO_INITIALIZE_WORKGROUP_MEMORY_EXTENSION_NAME);
}

static void read_limits(const query *q, lg_vk_physical *out)
{
    const VkPhysicalDeviceLimits *l = &q->properties.properties.limits;
    lg_vk_limits *limits = &out->limits;
    limits->subgroup_size = q->properties11.subgroupSize;
    limits->subgroup_size_min = limits->subgroup_size_max = limits->subgroup_size;
    if (out->subgroup_size_control) {
        limits->subgroup_size_min = q->size_range.minSubgroupSize;
        limits->subgroup_size_max = q->size_range.maxSubgroupSize;
    }
    limits->max_workgroup_size =
        LG_MIN(l->maxComputeWorkGroupInvocations, l->maxComputeWorkGroupSize[0]);
    memcpy(limits->max_workgroups, l->maxComputeWorkGroupCount, sizeof limits->max_workgroups);
    limits->shared_memory = l->maxComputeSharedMemorySize;
    limits->compute_units = q->nvidia.shaderSMCount;
    if (!limits->compute_units)
        limits->compute_units = q->amd.shaderEngineCount * q->amd.shaderArraysPerEngineCount *
                                q->amd.computeUnitsPerShaderArray;
    // maxMemoryAllocationSize is a soft limit (drivers give more); maxBufferSize is a hard one.
    limits->max_allocation = q->buffer_size.maxBufferSize ? q->buffer_size.maxBufferSize
                                                          : q->properties11.maxMemoryAllocationSize;
    const VkPhysicalDeviceType type = q->properties.properties.deviceType;
    limits->hardware = type != VK_PHYSICAL_DEVICE_TYPE_CPU;
    limits->byte_kernels = !lg_vk_disabled("byte_kernels");
    limits->short_kernels = !limits->hardware && !lg_vk_disabled("short_kernels");
    if (!limits->hardware)
        limits->max_allocation =
            LG_MIN(limits->max_allocation, q->properties11.maxMemoryAllocationSize);
    for (uint32_t i = 0; i < out->memory.memoryHeapCount; i++) {
        const VkMemoryHeap *heap = &out->memory.memoryHeaps[i];
        if ((heap->flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) && heap->size > limits->heap_size)
            limits->heap_size = heap->size;
    }
    limits->max_allocation = LG_MIN(limits->max_allocation, limits->heap_size);
    limits->timestamp_period = out->timestamp_bits ? l->timestampPeriod : 0;
    out->heap_size = limits->heap_size;
}

// Families for video and optical flow copy as well, but these are other parts of the device.
static bool copies_alone(const VkQueueFamilyProperties *family)
{
    const VkQueueFlags other = ~(VkQueueFlags)(VK_QUEUE_TRANSFER_BIT | VK_QUEUE_SPARSE_BINDING_BIT |
                                               VK_QUEUE_PROTECTED_BIT);
    return (family->queueFlags & VK_QUEUE_TRANSFER_BIT) && !(family->queueFlags & other);
}

// The family with the most queues that only copy.
static void choose_copy_queues(const VkQueueFamilyProperties *families, uint32_t count,
                               lg_vk_physical *out)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!copies_alone(&families[i]) || families[i].queueCount <= out->copy_queues)
            continue;
        out->copy_family = i;
        out->copy_queues = LG_MIN(families[i].queueCount, 2u);
        out->copy_timestamp_bits = families[i].timestampValidBits;
    }
}

static void choose_queues(const VkQueueFamilyProperties *families, uint32_t count,
                          lg_vk_physical *out)
{
    int best = -1;
    for (uint32_t i = 0; i < count; i++) {
        const VkQueueFlags flags = families[i].queueFlags;
        if (!(flags & VK_QUEUE_COMPUTE_BIT) || !families[i].queueCount)
            continue;
        if (best < 0 || ((flags & VK_QUEUE_GRAPHICS_BIT) &&
                         !(families[best].queueFlags & VK_QUEUE_GRAPHICS_BIT)))
            best = (int)i;
    }
    if (best < 0) {
        missing(out, "a compute queue");
    } else {
        out->queue_family = (uint32_t)best;
        out->timestamp_bits = families[best].timestampValidBits;
    }
    choose_copy_queues(families, count, out);
}

// Those that the application lends. A family says what its queues are for; that the device was made with
// them cannot be asked.
static void take_queues(const lg_vk_adopted *a, const VkQueueFamilyProperties *families,
                        uint32_t count, lg_vk_physical *out)
{
    const VkQueueFlags any =
        VK_QUEUE_COMPUTE_BIT | VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_TRANSFER_BIT; // all of them copy
    if (a->family >= count || a->queue >= families[a->family].queueCount ||
        !(families[a->family].queueFlags & VK_QUEUE_COMPUTE_BIT)) {
        missing(out, "a compute queue of the family and the index that were given");
        return;
    }
    out->queue_family = a->family;
    out->timestamp_bits = families[a->family].timestampValidBits;
    if (a->transfer_family == a->family && a->transfer_queue == a->queue)
        return;
    if (a->transfer_family >= count ||
        a->transfer_queue >= families[a->transfer_family].queueCount ||
        !(families[a->transfer_family].queueFlags & any)) {
        missing(out, "a transfer queue of the family and the index that were given");
        return;
    }
    out->copy_family = a->transfer_family;
    out->copy_queues = 1;
    out->copy_timestamp_bits = families[a->transfer_family].timestampValidBits;
}

static lg_status read_queues(lg_vk *vk, lg_vk_physical *out, lg_error *error)
{
    uint32_t count = 0;
    vk->fn.vkGetPhysicalDeviceQueueFamilyProperties(out->handle, &count, NULL);
    VkQueueFamilyProperties *families = lg_alloc_array(count, sizeof *families);
    if (!families)
        return lg_fail_memory(error, count * sizeof *families, "Vulkan queue families");
    vk->fn.vkGetPhysicalDeviceQueueFamilyProperties(out->handle, &count, families);
    if (vk->adopted)
        take_queues(vk->adopted, families, count, out);
    else
        choose_queues(families, count, out);
    const char *wish = getenv("LUMAGRAPH_VK_QUEUES"); // tests: one
    if (wish && strcmp(wish, "one") == 0)
        out->copy_queues = 0;
    lg_free(families);
    return LG_OK;
}

static void fill_info(const query *q, int index, lg_vk_physical *out)
{
    lg_device_info *info = &out->info;
    const VkPhysicalDeviceProperties *p = &out->properties;
    *info = (lg_device_info){.kind = LG_DEVICE_VULKAN, .index = index};
    info->usable = !out->reason[0];
    info->hardware = p->deviceType != VK_PHYSICAL_DEVICE_TYPE_CPU;
    snprintf(info->name, sizeof info->name, "%s", p->deviceName);
    if (q) {
        snprintf(info->driver, sizeof info->driver, "%.120s %.120s", q->properties12.driverName,
                 q->properties12.driverInfo);
        memcpy(info->uuid, q->properties11.deviceUUID, sizeof info->uuid);
    }
    snprintf(info->api, sizeof info->api, "Vulkan %u.%u.%u", VK_API_VERSION_MAJOR(p->apiVersion),
             VK_API_VERSION_MINOR(p->apiVersion), VK_API_VERSION_PATCH(p->apiVersion));
    snprintf(info->reason, sizeof info->reason, "%s", out->reason);
    info->memory = out->limits.heap_size;
    info->subgroup_size = (int)out->limits.subgroup_size;
}

lg_status lg_vk_physical_read(lg_vk *vk, VkPhysicalDevice handle, int index, lg_vk_physical *out,
                              lg_error *error)
{
    memset(out, 0, sizeof *out);
    out->handle = handle;
    vk->fn.vkGetPhysicalDeviceProperties(handle, &out->properties);
    vk->fn.vkGetPhysicalDeviceMemoryProperties(handle, &out->memory);
    const uint32_t version = out->properties.apiVersion;
    if (version < VK_API_VERSION_1_2) {
        snprintf(out->reason, sizeof out->reason, "Vulkan %u.%u; 1.2 is needed",
                 VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version));
        fill_info(NULL, index, out);
        return LG_OK;
    }
    extensions list = {0};
    lg_status status = read_queues(vk, out, error);
    if (!status)
        status = read_extensions(vk, handle, &list, error);
    if (status)
        return status;
    query q;
    lg_vk_features features;
    const bool is13 = LG_MIN(version, vk->api) >= VK_API_VERSION_1_3;
    run_query(vk, handle, is13, &list, &q);
    lg_vk_features_read(&q.features, &features);
    read_sharing(vk, &list, out);
    lg_free(list.list);
    memcpy(out->driver_uuid, q.properties11.driverUUID, sizeof out->driver_uuid);
    read_required(&q, vk->adopted ? &vk->adopted->features : &features, out);
    read_optional(&q, vk->adopted ? &vk->adopted->features : &features, out);
    read_extensions_to_enable(is13, out);
    read_limits(&q, out);
    fill_info(&q, index, out);
    return LG_OK;
}

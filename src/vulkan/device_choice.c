// Which device, and the logical device with every feature that is used where it is there.
#include "vulkan/vk_private.h"

#include <stdio.h>

// ---- choice -------------------------------------------------------------------------------------

static int score(const lg_vk_physical *physical)
{
    switch (physical->properties.deviceType) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
        return 4;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
        return 3;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
        return 2;
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
        return 0;
    default:
        return 1;
    }
}

static lg_status choose_best(lg_vk *vk, const VkPhysicalDevice *devices, uint32_t count,
                             lg_error *error)
{
    int best = -1;
    char reason[256] = "", name[256] = "";
    for (uint32_t i = 0; i < count; i++) {
        lg_vk_physical candidate;
        lg_status status = lg_vk_physical_read(vk, devices[i], (int)i, &candidate, error);
        if (status)
            return status;
        if (candidate.reason[0]) {
            snprintf(reason, sizeof reason, "%s", candidate.reason);
            snprintf(name, sizeof name, "%s", candidate.info.name);
        } else if (score(&candidate) > best) {
            best = score(&candidate);
            vk->physical = candidate;
        }
    }
    if (best < 0)
        return lg_fail(error, LG_ERROR_DEVICE, "no usable Vulkan device: %.180s: %.200s", name,
                       reason);
    return LG_OK;
}

lg_status lg_vk_choose(lg_vk *vk, int index, lg_error *error)
{
    VkPhysicalDevice *devices;
    uint32_t count;
    lg_status status = lg_vk_physical_devices(vk, &devices, &count, error);
    if (status)
        return status;
    if (count == 0)
        status = lg_fail(error, LG_ERROR_DEVICE,
                         "the Vulkan loader works but there is no Vulkan device here");
    else if (index < -1 || index >= (int64_t)count)
        status =
            lg_fail(error, LG_ERROR_DEVICE,
                    "there is no Vulkan device %d; there are %u, counted from 0", index, count);
    else if (index == -1)
        status = choose_best(vk, devices, count, error);
    else
        status = lg_vk_physical_read(vk, devices[index], index, &vk->physical, error);
    lg_free(devices);
    if (!status && vk->physical.reason[0])
        status = lg_fail(error, LG_ERROR_DEVICE, "Vulkan device %d (%.180s) is not usable: %.200s",
                         vk->physical.info.index, vk->physical.info.name, vk->physical.reason);
    return status;
}

// ---- creation -----------------------------------------------------------------------------------

static void add(lg_vk_feature_chain *chain, void *item, bool wanted)
{
    VkBaseOutStructure *structure = item;
    if (!wanted)
        return;
    structure->pNext = chain->base.pNext;
    chain->base.pNext = structure;
}

void lg_vk_features_fill(const lg_vk_physical *p, lg_vk_feature_chain *c)
{
    const lg_vk_limits *l = &p->limits;
    *c = (lg_vk_feature_chain){
        .base = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                 .features = {.shaderFloat64 = l->float64,
                              .shaderInt64 = l->int64,
                              .shaderInt16 = p->int16}},
        .vulkan11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                     .storageBuffer16BitAccess = true},
        .vulkan12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                     .bufferDeviceAddress = true,
                     .scalarBlockLayout = true,
                     .storageBuffer8BitAccess = true,
                     .timelineSemaphore = true,
                     .hostQueryReset = p->host_query_reset,
                     .shaderInt8 = p->int8,
                     .shaderFloat16 = l->float16,
                     .shaderBufferInt64Atomics = l->int64_atomics,
                     .shaderSharedInt64Atomics = p->int64_shared_atomics,
                     .vulkanMemoryModel = p->memory_model,
                     .vulkanMemoryModelDeviceScope = p->memory_model_device},
        .size_control = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES,
                         .subgroupSizeControl = true,
                         .computeFullSubgroups = p->full_subgroups},
        .dot_product = {.sType =
                            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES,
                        .shaderIntegerDotProduct = true},
        .atomic_float = {.sType =
                             VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT,
                         .shaderBufferFloat32Atomics = true,
                         .shaderBufferFloat32AtomicAdd = true},
        .maintenance4 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES,
                         .maintenance4 = true},
        .zero_initialize =
            {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ZERO_INITIALIZE_WORKGROUP_MEMORY_FEATURES,
             .shaderZeroInitializeWorkgroupMemory = true},
    };
    add(c, &c->vulkan11, true);
    add(c, &c->vulkan12, true);
    add(c, &c->size_control, p->subgroup_size_control);
    add(c, &c->dot_product, p->dot_product);
    add(c, &c->atomic_float, l->float32_atomic_add);
    add(c, &c->maintenance4, p->maintenance4);
    add(c, &c->zero_initialize, p->zero_initialize);
}

lg_status lg_vk_create_device(lg_vk *vk, lg_error *error)
{
    lg_vk_feature_chain chain;
    lg_vk_features_fill(&vk->physical, &chain);
    const float priorities[] = {1, 1};
    const VkDeviceQueueCreateInfo queues[] = {
        {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
         .queueFamilyIndex = vk->physical.queue_family,
         .queueCount = 1,
         .pQueuePriorities = priorities},
        {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
         .queueFamilyIndex = vk->physical.copy_family,
         .queueCount = vk->physical.copy_queues,
         .pQueuePriorities = priorities},
    };
    const VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = &chain.base,
        .queueCreateInfoCount = vk->physical.copy_queues ? 2 : 1,
        .pQueueCreateInfos = queues,
        .enabledExtensionCount = vk->physical.extension_count,
        .ppEnabledExtensionNames = vk->physical.extensions,
    };
    VkResult result = LG_VK_CALL(vk, vkCreateDevice, vk->physical.handle, &info, NULL, &vk->device);
    if (result)
        return lg_vk_fail(error, "vkCreateDevice", result);
    lg_vk_count(vk, 1);
    if (!lg_vk_load_device_functions(vk))
        return lg_fail(error, LG_ERROR_DEVICE, "the driver of %s lacks functions of Vulkan 1.2",
                       vk->physical.info.name);
    return lg_vk_lanes_create(vk, error);
}

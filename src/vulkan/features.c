// Features of a device as one flat list, whichever structures of a chain name them: the ones that a driver
// offers, or those that an application has enabled.
#include "vulkan/vk_private.h"

#include <string.h>

// Calls X(structure, TYPE of its sType, body) for each structure; `s` is the structure in the body.
#define STRUCTURES(X)                                                                              \
    X(VkPhysicalDeviceVulkan11Features, VULKAN_1_1_FEATURES,                                       \
      out->storage16 |= s->storageBuffer16BitAccess)                                               \
    X(VkPhysicalDeviceVulkan12Features, VULKAN_1_2_FEATURES, read_12(s, out))                      \
    X(VkPhysicalDeviceVulkan13Features, VULKAN_1_3_FEATURES, read_13(s, out))                      \
    X(VkPhysicalDevice16BitStorageFeatures, 16BIT_STORAGE_FEATURES,                                \
      out->storage16 |= s->storageBuffer16BitAccess)                                               \
    X(VkPhysicalDevice8BitStorageFeatures, 8BIT_STORAGE_FEATURES,                                  \
      out->storage8 |= s->storageBuffer8BitAccess)                                                 \
    X(VkPhysicalDeviceBufferDeviceAddressFeatures, BUFFER_DEVICE_ADDRESS_FEATURES,                 \
      out->addresses |= s->bufferDeviceAddress)                                                    \
    X(VkPhysicalDeviceScalarBlockLayoutFeatures, SCALAR_BLOCK_LAYOUT_FEATURES,                     \
      out->scalar_layout |= s->scalarBlockLayout)                                                  \
    X(VkPhysicalDeviceTimelineSemaphoreFeatures, TIMELINE_SEMAPHORE_FEATURES,                      \
      out->timelines |= s->timelineSemaphore)                                                      \
    X(VkPhysicalDeviceHostQueryResetFeatures, HOST_QUERY_RESET_FEATURES,                           \
      out->host_query_reset |= s->hostQueryReset)                                                  \
    X(VkPhysicalDeviceShaderFloat16Int8Features, SHADER_FLOAT16_INT8_FEATURES,                     \
      (out->float16 |= s->shaderFloat16, out->int8 |= s->shaderInt8))                              \
    X(VkPhysicalDeviceShaderAtomicInt64Features, SHADER_ATOMIC_INT64_FEATURES,                     \
      (out->int64_atomics |= s->shaderBufferInt64Atomics,                                          \
       out->int64_shared_atomics |= s->shaderSharedInt64Atomics))                                  \
    X(VkPhysicalDeviceVulkanMemoryModelFeatures, VULKAN_MEMORY_MODEL_FEATURES,                     \
      (out->memory_model |= s->vulkanMemoryModel,                                                  \
       out->memory_model_device |= s->vulkanMemoryModelDeviceScope))                               \
    X(VkPhysicalDeviceSubgroupSizeControlFeatures, SUBGROUP_SIZE_CONTROL_FEATURES,                 \
      (out->subgroup_sizes |= s->subgroupSizeControl,                                              \
       out->full_subgroups |= s->computeFullSubgroups))                                            \
    X(VkPhysicalDeviceShaderIntegerDotProductFeatures, SHADER_INTEGER_DOT_PRODUCT_FEATURES,        \
      out->dot_product |= s->shaderIntegerDotProduct)                                              \
    X(VkPhysicalDeviceShaderAtomicFloatFeaturesEXT, SHADER_ATOMIC_FLOAT_FEATURES_EXT,              \
      out->float32_atomic_add |= s->shaderBufferFloat32AtomicAdd)                                  \
    X(VkPhysicalDeviceMaintenance4Features, MAINTENANCE_4_FEATURES,                                \
      out->maintenance4 |= s->maintenance4)                                                        \
    X(VkPhysicalDeviceZeroInitializeWorkgroupMemoryFeatures,                                       \
      ZERO_INITIALIZE_WORKGROUP_MEMORY_FEATURES,                                                   \
      out->zero_initialize |= s->shaderZeroInitializeWorkgroupMemory)

static void read_12(const VkPhysicalDeviceVulkan12Features *s, lg_vk_features *out)
{
    out->storage8 |= s->storageBuffer8BitAccess;
    out->addresses |= s->bufferDeviceAddress;
    out->scalar_layout |= s->scalarBlockLayout;
    out->timelines |= s->timelineSemaphore;
    out->host_query_reset |= s->hostQueryReset;
    out->float16 |= s->shaderFloat16;
    out->int8 |= s->shaderInt8;
    out->int64_atomics |= s->shaderBufferInt64Atomics;
    out->int64_shared_atomics |= s->shaderSharedInt64Atomics;
    out->memory_model |= s->vulkanMemoryModel;
    out->memory_model_device |= s->vulkanMemoryModelDeviceScope;
}

static void read_13(const VkPhysicalDeviceVulkan13Features *s, lg_vk_features *out)
{
    out->subgroup_sizes |= s->subgroupSizeControl;
    out->full_subgroups |= s->computeFullSubgroups;
    out->dot_product |= s->shaderIntegerDotProduct;
    out->maintenance4 |= s->maintenance4;
    out->zero_initialize |= s->shaderZeroInitializeWorkgroupMemory;
}

void lg_vk_features_read(const VkPhysicalDeviceFeatures2 *chain, lg_vk_features *out)
{
    memset(out, 0, sizeof *out);
    if (!chain)
        return;
    out->float64 = chain->features.shaderFloat64;
    out->int64 = chain->features.shaderInt64;
    out->int16 = chain->features.shaderInt16;
    for (const VkBaseInStructure *at = chain->pNext; at; at = at->pNext)
        switch (at->sType) {
#define READ(type, name, body)                                                                     \
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##name: {                                               \
        const type *s = (const type *)(const void *)at;                                            \
        body;                                                                                      \
        break;                                                                                     \
    }
            STRUCTURES(READ)
        default:
            break;
        }
}

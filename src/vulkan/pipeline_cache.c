// The driver's pipeline cache on disk, together with the keys of the pipelines in it: not every
// driver tells whether a pipeline came out of the cache.
#include "vulkan/vk_private.h"

#include <string.h>

static const char kind[] = "pipelines";

// What the driver put in front of its data, compared field by field before it sees the data again:
// drivers are known to check too little.
static bool fits_device(const lg_vk *vk, const void *data, size_t size)
{
    const VkPhysicalDeviceProperties *p = &vk->physical.properties;
    VkPipelineCacheHeaderVersionOne header;
    if (size < sizeof header)
        return false;
    memcpy(&header, data, sizeof header);
    return header.headerSize >= sizeof header && header.headerSize <= size &&
           header.headerVersion == VK_PIPELINE_CACHE_HEADER_VERSION_ONE &&
           header.vendorID == p->vendorID && header.deviceID == p->deviceID &&
           memcmp(header.pipelineCacheUUID, p->pipelineCacheUUID, VK_UUID_SIZE) == 0;
}

// Payload: number of keys, keys, the driver's data. Sets vk->known and gives the driver's part.
static bool read_payload(lg_vk *vk, const char *payload, size_t size, const void **data,
                         size_t *data_size)
{
    uint64_t count;
    if (size < sizeof count)
        return false;
    memcpy(&count, payload, sizeof count);
    if (count > (size - sizeof count) / sizeof *vk->known)
        return false;
    const size_t head = sizeof count + count * sizeof *vk->known;
    if (!fits_device(vk, payload + head, size - head))
        return false;
    vk->known = lg_alloc_array(count, sizeof *vk->known);
    if (!vk->known)
        return false;
    memcpy(vk->known, payload + sizeof count, count * sizeof *vk->known);
    vk->known_count = count;
    *data = payload + head;
    *data_size = size - head;
    return true;
}

static VkResult create_cache(lg_vk *vk, const void *data, size_t size)
{
    const VkPipelineCacheCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO,
        .initialDataSize = size,
        .pInitialData = data,
    };
    return LG_VK_CALL(vk, vkCreatePipelineCache, vk->device, &info, NULL, &vk->cache);
}

lg_status lg_vk_pipeline_cache_load(lg_vk *vk, lg_error *error)
{
    void *payload = NULL;
    const void *data = NULL;
    size_t size = 0, data_size = 0;
    if (lg_vk_cache_read(vk, kind, &payload, &size) &&
        !read_payload(vk, payload, size, &data, &data_size)) {
        data = NULL;
        data_size = 0;
    }
    VkResult result = create_cache(vk, data, data_size);
    if (result && data && !vk->lost) { // a driver may refuse its own data: then start empty
        vk->known_count = 0;
        result = create_cache(vk, NULL, 0);
    }
    lg_free(payload);
    if (result)
        return lg_vk_fail(error, "vkCreatePipelineCache", result);
    lg_vk_count(vk, 1);
    return LG_OK;
}

static size_t count_pipelines(const lg_vk *vk)
{
    size_t count = 0;
    for (const lg_vk_pipeline *p = vk->pipelines; p; p = p->next)
        count++;
    return count;
}

// Keys of the file and of this run, each once.
static uint64_t gather_keys(const lg_vk *vk, uint64_t *keys)
{
    uint64_t count = vk->known_count;
    if (count)
        memcpy(keys, vk->known, count * sizeof *keys);
    for (const lg_vk_pipeline *p = vk->pipelines; p; p = p->next) {
        uint64_t i = 0;
        while (i < count && keys[i] != p->key)
            i++;
        keys[i] = p->key;
        count = LG_MAX(count, i + 1);
    }
    return count;
}

void lg_vk_pipeline_cache_save(lg_vk *vk)
{
    size_t size = 0;
    if (!vk->cache_dir || !vk->cache || !vk->compiled || vk->lost ||
        LG_VK_CALL(vk, vkGetPipelineCacheData, vk->device, vk->cache, &size, NULL))
        return;
    const size_t max = sizeof(uint64_t) * (1 + vk->known_count + count_pipelines(vk));
    size_t total;
    char *payload = lg_size_add(max, size, &total) ? lg_alloc_aligned(total) : NULL;
    if (!payload)
        return;
    const uint64_t count = gather_keys(vk, (uint64_t *)(void *)payload + 1);
    memcpy(payload, &count, sizeof count);
    const size_t head = sizeof(uint64_t) * (1 + count);
    if (LG_VK_CALL(vk, vkGetPipelineCacheData, vk->device, vk->cache, &size, payload + head) ==
        VK_SUCCESS)
        lg_vk_cache_write(vk, kind, payload, head + size);
    lg_free(payload);
}

// Files of the cache folder: whole files, and what the header is right about.
// The first byte says which.
#include "fuzz.h"

#include "vulkan/vk_private.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- a device that takes any data, instead of src/vulkan/device.c -------------------------------

bool lg_vk_fault(lg_vk *vk, const char *name)
{
    return false;
}

VkResult lg_vk_seen(lg_vk *vk, const char *name, VkResult result)
{
    return result;
}

void lg_vk_count(lg_vk *vk, int change)
{
}

lg_status lg_vk_fail(lg_error *error, const char *what, VkResult result)
{
    return lg_fail(error, LG_ERROR_DEVICE, "%s", what);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_cache(VkDevice device,
                                                   const VkPipelineCacheCreateInfo *info,
                                                   const VkAllocationCallbacks *allocator,
                                                   VkPipelineCache *out)
{
    if (info->initialDataSize)
        lg_hash(info->pInitialData, info->initialDataSize, 0);
    return VK_SUCCESS;
}

// ---- the target ---------------------------------------------------------------------------------

static const char *const kinds[] = {"choices", "pipelines", "texts"};

static char folder[64];

static void remove_folder(void)
{
    char path[160];
    for (size_t i = 0; i < LG_COUNT(kinds); i++) {
        snprintf(path, sizeof path, "%s/%s-%016x.bin", folder, kinds[i], 0);
        unlink(path);
    }
    rmdir(folder);
}

static void write_raw(const char *kind, const uint8_t *data, size_t size)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s-%016x.bin", folder, kind, 0);
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    EXPECT(file >= 0 && write(file, data, size) == (ssize_t)size && !close(file));
}

static void read_all(lg_vk *vk)
{
    const lg_spirv *module;
    int32_t value;
    lg_error error;
    lg_vk_remembered(vk, "a key", &value);
    lg_vk_pipeline_cache_load(vk, &error);
    lg_vk_compile(vk, "no text that is kept", "nothing", &module, &error);
    lg_free(vk->choices);
    lg_free(vk->known);
    lg_vk_shaders_destroy(vk);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    if (!folder[0]) {
        snprintf(folder, sizeof folder, "/dev/shm/lumagraph-fuzz-XXXXXX");
        EXPECT(mkdtemp(folder));
        atexit(remove_folder);
    }
    lg_vk vk = {.cache_dir = folder, .fn.vkCreatePipelineCache = create_cache};
    const char *kind = kinds[(data[0] >> 1) % LG_COUNT(kinds)];
    if (data[0] & 1)
        write_raw(kind, data + 1, size - 1);
    else
        EXPECT(lg_vk_cache_write(&vk, kind, data + 1, size - 1));
    read_all(&vk);
    return 0;
}

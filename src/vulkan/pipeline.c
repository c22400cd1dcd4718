// Compute pipelines: modules by hash, pipelines by module, constants and subgroup size. Buffers are
// reached through addresses in the push constants, so that there are no descriptor sets.
#include "vulkan/float_modes.h"
#include "vulkan/vk_private.h"

#include <string.h>

lg_status lg_vk_pipelines_create(lg_vk *vk, lg_error *error)
{
    const VkPipelineLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .pushConstantRangeCount = 1,
        .pPushConstantRanges = &(VkPushConstantRange){VK_SHADER_STAGE_COMPUTE_BIT, 0, 128},
    };
    const VkResult result =
        LG_VK_CALL(vk, vkCreatePipelineLayout, vk->device, &info, NULL, &vk->layout);
    if (result)
        return lg_vk_fail(error, "vkCreatePipelineLayout", result);
    lg_vk_count(vk, 1);
    return lg_vk_pipeline_cache_load(vk, error);
}

void lg_vk_pipelines_destroy(lg_vk *vk)
{
    while (vk->pipelines) {
        lg_vk_pipeline *pipeline = vk->pipelines;
        vk->pipelines = pipeline->next;
        vk->fn.vkDestroyPipeline(vk->device, pipeline->handle, NULL);
        lg_vk_count(vk, -1);
        lg_free(pipeline);
    }
    while (vk->modules) {
        lg_vk_module *module = vk->modules;
        vk->modules = module->next;
        vk->fn.vkDestroyShaderModule(vk->device, module->handle, NULL);
        lg_vk_count(vk, -1);
        lg_free(module);
    }
    if (vk->cache) {
        vk->fn.vkDestroyPipelineCache(vk->device, vk->cache, NULL);
        lg_vk_count(vk, -1);
    }
    if (vk->layout) {
        vk->fn.vkDestroyPipelineLayout(vk->device, vk->layout, NULL);
        lg_vk_count(vk, -1);
    }
    lg_free(vk->known);
}

static lg_status get_module(lg_vk *vk, const lg_spirv *spirv, VkShaderModule *out, lg_error *error)
{
    for (const lg_vk_module *m = vk->modules; m; m = m->next)
        if (m->hash == spirv->hash && m->size == spirv->size) {
            *out = m->handle;
            return LG_OK;
        }
    lg_vk_module *module = lg_alloc(sizeof *module);
    if (!module)
        return lg_fail_memory(error, sizeof *module, "a shader module");
    uint32_t *words = lg_alloc(spirv->size + LG_FLOAT_MODE_WORDS * sizeof *words);
    if (!words) {
        lg_free(module);
        return lg_fail_memory(error, spirv->size, "a shader module");
    }
    const lg_vk_limits *limits = lg_vk_get_limits(vk);
    const lg_float_modes modes = {limits->denorm_preserve, limits->rounding_rte,
                                  limits->nan_preserve, vk->physical.denorm_all,
                                  vk->physical.rounding_all};
    const VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
        .codeSize = 4 * lg_float_modes_add(spirv->words, spirv->size / 4, modes, words),
        .pCode = words,
    };
    const VkResult result = info.codeSize ? LG_VK_CALL(vk, vkCreateShaderModule, vk->device, &info,
                                                       NULL, &module->handle)
                                          : VK_ERROR_INVALID_SHADER_NV;
    lg_free(words);
    if (result) {
        lg_free(module);
        return lg_vk_fail(error, spirv->name, result);
    }
    lg_vk_count(vk, 1);
    module->hash = spirv->hash;
    module->size = spirv->size;
    module->next = vk->modules;
    vk->modules = module;
    *out = module->handle;
    return LG_OK;
}

static VkResult compile(lg_vk *vk, VkShaderModule module, lg_vk_pipeline *p)
{
    VkSpecializationMapEntry entries[LG_VK_MAX_CONSTANTS];
    for (uint32_t i = 0; i < p->count; i++)
        entries[i] = (VkSpecializationMapEntry){i, i * 4, 4};
    const VkSpecializationInfo constants = {
        .mapEntryCount = p->count,
        .pMapEntries = entries,
        .dataSize = p->count * sizeof(uint32_t),
        .pData = p->constants,
    };
    const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
        .requiredSubgroupSize = p->subgroup_size,
    };
    const VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .pNext = p->subgroup_size && vk->physical.subgroup_size_control ? &size : NULL,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = "main",
                  .pSpecializationInfo = &constants},
        .layout = vk->layout,
    };
    return LG_VK_CALL(vk, vkCreateComputePipelines, vk->device, vk->cache, 1, &info, NULL,
                      &p->handle);
}

static lg_status check_subgroup(const lg_vk *vk, uint32_t size, lg_error *error)
{
    const lg_vk_limits *limits = &vk->physical.limits;
    if (size == 0 || (size >= limits->subgroup_size_min && size <= limits->subgroup_size_max &&
                      (size & (size - 1)) == 0))
        return LG_OK;
    return lg_fail(error, LG_ERROR_UNSUPPORTED,
                   "subgroups of %u were asked for; %s has powers of two from %u to %u", size,
                   vk->physical.info.name, limits->subgroup_size_min, limits->subgroup_size_max);
}

static uint64_t make_key(const lg_spirv *module, const uint32_t *constants, uint32_t count,
                         uint32_t subgroup_size)
{
    const uint64_t numbers[] = {module->hash, module->size, count, subgroup_size};
    return lg_hash(constants, count * sizeof *constants, lg_hash(numbers, sizeof numbers, 0));
}

static bool same(const lg_vk_pipeline *p, const lg_spirv *module, const uint32_t *constants,
                 uint32_t count, uint32_t subgroup_size)
{
    return p->spirv->hash == module->hash && p->spirv->size == module->size && p->count == count &&
           p->subgroup_size == subgroup_size &&
           (count == 0 || memcmp(p->constants, constants, count * sizeof *constants) == 0);
}

static bool is_known(const lg_vk *vk, uint64_t key)
{
    for (size_t i = 0; i < vk->known_count; i++)
        if (vk->known[i] == key)
            return true;
    return false;
}

static lg_status create(lg_vk *vk, lg_vk_pipeline *p, lg_error *error)
{
    VkShaderModule module = VK_NULL_HANDLE;
    lg_status status = get_module(vk, p->spirv, &module, error);
    if (status)
        return status;
    const double start = lg_time_seconds();
    const VkResult result = compile(vk, module, p);
    if (result)
        return lg_vk_fail(error, p->spirv->name, result);
    lg_vk_count(vk, 1);
    const bool known = is_known(vk, p->key);
    if (!known)
        vk->compiled++;
    lg_log(&vk->log, LG_LOG_DEBUG, "pipeline %s %s in %.1f ms", p->spirv->name,
           known ? "taken from the cache" : "compiled", (lg_time_seconds() - start) * 1e3);
    return LG_OK;
}

lg_status lg_vk_pipeline_get(lg_vk *vk, const lg_spirv *module, const uint32_t *constants,
                             uint32_t count, uint32_t subgroup_size, const lg_vk_pipeline **out,
                             lg_error *error)
{
    if (vk->lost)
        return lg_vk_fail_lost(vk, error);
    if (count > LG_VK_MAX_CONSTANTS)
        return lg_fail(error, LG_ERROR_ARGUMENT, "%u specialisation constants; %d is the most",
                       count, LG_VK_MAX_CONSTANTS);
    lg_status status = check_subgroup(vk, subgroup_size, error);
    if (status)
        return status;
    for (const lg_vk_pipeline *p = vk->pipelines; p; p = p->next)
        if (same(p, module, constants, count, subgroup_size)) {
            *out = p;
            return LG_OK;
        }
    lg_vk_pipeline *pipeline = lg_alloc(sizeof *pipeline);
    if (!pipeline)
        return lg_fail_memory(error, sizeof *pipeline, "a pipeline");
    pipeline->spirv = module;
    pipeline->count = count;
    pipeline->subgroup_size = subgroup_size;
    if (count)
        memcpy(pipeline->constants, constants, count * sizeof *constants);
    pipeline->key = make_key(module, constants, count, subgroup_size);
    status = create(vk, pipeline, error);
    if (status) {
        lg_free(pipeline);
        return status;
    }
    pipeline->next = vk->pipelines;
    vk->pipelines = pipeline;
    *out = pipeline;
    return LG_OK;
}

uint32_t lg_vk_pipelines_compiled(const lg_vk *vk)
{
    return vk->compiled;
}

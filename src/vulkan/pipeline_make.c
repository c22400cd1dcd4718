// Making what pipelines lack, on several threads: compilers and drivers take up to a second for a
// kernel. Everything that counts, logs or touches lists happens on the caller's thread.
#include "vulkan/float_modes.h"
#include "vulkan/vk_private.h"

// A pipeline to make. `refused`: calls that the fault injection answers.
typedef struct job {
    lg_vk_pipeline *pipeline;
    bool refused_module, refused_pipeline;
    VkResult module, result;
    lg_status status; // of what is no Vulkan call
    lg_error error;
    double seconds; // of the driver
} job;

typedef struct work {
    lg_vk *vk;
    job *jobs;
} work;

static VkResult create_module(const lg_vk *vk, const lg_spirv *spirv, uint32_t *words,
                              VkShaderModule *out)
{
    const lg_vk_limits *limits = &vk->physical.limits;
    const lg_float_modes modes = {limits->denorm_preserve, limits->rounding_rte,
                                  limits->nan_preserve, vk->physical.denorm_all,
                                  vk->physical.rounding_all};
    const VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
        .codeSize = 4 * lg_float_modes_add(spirv->words, spirv->size / 4, modes, words),
        .pCode = words,
    };
    return info.codeSize ? vk->fn.vkCreateShaderModule(vk->device, &info, NULL, out)
                         : VK_ERROR_INVALID_SHADER_NV;
}

static VkResult create_pipeline(const lg_vk *vk, VkShaderModule module, lg_vk_pipeline *p)
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
    return vk->fn.vkCreateComputePipelines(vk->device, vk->cache, 1, &info, NULL, &p->handle);
}

static void make(void *arg, size_t index, int worker)
{
    (void)worker;
    const work *w = arg;
    job *j = &w->jobs[index];
    const lg_spirv *spirv = j->pipeline->spirv;
    j->status = lg_vk_shader_make(w->vk, spirv, &j->error);
    if (j->status)
        return;
    uint32_t *words = lg_alloc(spirv->size + LG_FLOAT_MODE_WORDS * sizeof *words);
    if (!words) {
        j->status = lg_fail_memory(&j->error, spirv->size, "a shader module");
        return;
    }
    VkShaderModule module = VK_NULL_HANDLE;
    if (!j->refused_module)
        j->module = create_module(w->vk, spirv, words, &module);
    lg_free(words);
    if (!module)
        return;
    const double start = lg_time_seconds();
    if (!j->refused_pipeline)
        j->result = create_pipeline(w->vk, module, j->pipeline);
    j->seconds = lg_time_seconds() - start;
    w->vk->fn.vkDestroyShaderModule(w->vk->device, module, NULL);
}

static bool is_known(const lg_vk *vk, uint64_t key)
{
    for (size_t i = 0; i < vk->known_count; i++)
        if (vk->known[i] == key)
            return true;
    return false;
}

static lg_status settle(lg_vk *vk, job *j, lg_error *error)
{
    lg_vk_pipeline *p = j->pipeline;
    if (j->status)
        return lg_fail(error, j->status, "%s", j->error.message);
    if (lg_vk_seen(vk, "vkCreateShaderModule", j->module))
        return lg_vk_fail(error, p->spirv->name, j->module);
    lg_vk_count(vk, 1);
    lg_vk_count(vk, -1); // modules are gone
    if (lg_vk_seen(vk, "vkCreateComputePipelines", j->result))
        return lg_vk_fail(error, p->spirv->name, j->result);
    lg_vk_count(vk, 1);
    p->key = lg_vk_pipeline_key(p);
    const bool known = is_known(vk, p->key);
    if (!known)
        vk->compiled++;
    lg_log(&vk->log, LG_LOG_DEBUG, "pipeline %s %s in %.1f ms", p->spirv->name,
           known ? "taken from the cache" : "compiled", j->seconds * 1e3);
    return LG_OK;
}

// What the fault injection answers is settled first and in order, so that it does not depend on the threads.
static void refuse(lg_vk *vk, job *j)
{
    j->refused_module = lg_vk_fault(vk, "vkCreateShaderModule");
    if (j->refused_module)
        j->module = vk->probe->result;
    else
        j->refused_pipeline = lg_vk_fault(vk, "vkCreateComputePipelines");
    if (j->refused_pipeline)
        j->result = vk->probe->result;
}

static lg_status make_all(lg_vk *vk, job *jobs, size_t count, lg_error *error)
{
    for (size_t i = 0; i < count; i++) {
        const lg_status status = lg_vk_shader_prepare(vk, jobs[i].pipeline->spirv, error);
        if (status)
            return status;
    }
    for (size_t i = 0; i < count; i++)
        refuse(vk, &jobs[i]);
    work w = {vk, jobs};
    if (vk->pool)
        lg_pool_run(vk->pool, count, make, &w);
    for (size_t i = 0; i < count && !vk->pool; i++)
        make(&w, i, 0);
    lg_vk_shaders_settle(vk);
    lg_status status = LG_OK;
    for (size_t i = 0; i < count; i++) {
        const lg_status one = settle(vk, &jobs[i], status ? NULL : error);
        status = status ? status : one;
    }
    return status;
}

// Whether an earlier job compiles the same text.
static bool is_taken(const job *jobs, size_t count, const lg_spirv *spirv)
{
    for (size_t i = 0; i < count; i++)
        if (jobs[i].pipeline->spirv == spirv)
            return !spirv->words;
    return false;
}

lg_status lg_vk_pipelines_make(lg_vk *vk, lg_error *error)
{
    if (vk->lost)
        return lg_vk_fail_lost(vk, error);
    size_t most = 0, count;
    for (const lg_vk_pipeline *p = vk->pipelines; p; p = p->next)
        most += p->wanted;
    job *jobs = most ? lg_alloc_array(most, sizeof *jobs) : NULL;
    lg_status status =
        most && !jobs ? lg_fail_memory(error, most * sizeof *jobs, "pipelines") : LG_OK;
    do {
        count = 0;
        for (lg_vk_pipeline *p = vk->pipelines; p && !status; p = p->next)
            if (p->wanted && !is_taken(jobs, count, p->spirv)) {
                jobs[count++] = (job){.pipeline = p};
                p->wanted = false;
            }
        if (count)
            status = make_all(vk, jobs, count, error);
    } while (count && !status);
    for (lg_vk_pipeline *p = vk->pipelines; p; p = p->next)
        p->wanted = false;
    lg_free(jobs);
    return status;
}

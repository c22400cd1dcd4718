// Compute pipelines by module, constants and subgroup size. Buffers are reached through addresses in
// the push constants, so that there are no descriptor sets.
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
        if (pipeline->handle) {
            vk->fn.vkDestroyPipeline(vk->device, pipeline->handle, NULL);
            lg_vk_count(vk, -1);
        }
        lg_free(pipeline);
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

uint64_t lg_vk_pipeline_key(const lg_vk_pipeline *p)
{
    const uint64_t numbers[] = {p->spirv->hash, p->spirv->size, p->count, p->subgroup_size};
    return lg_hash(p->constants, p->count * sizeof *p->constants,
                   lg_hash(numbers, sizeof numbers, 0));
}

static bool same(const lg_vk_pipeline *p, const lg_spirv *module, const uint32_t *constants,
                 uint32_t count, uint32_t subgroup_size)
{
    return p->spirv->hash == module->hash && p->spirv->size == module->size && p->count == count &&
           p->subgroup_size == subgroup_size &&
           (count == 0 || memcmp(p->constants, constants, count * sizeof *constants) == 0);
}

static lg_vk_pipeline *find(const lg_vk *vk, const lg_spirv *module, const uint32_t *constants,
                            uint32_t count, uint32_t subgroup_size)
{
    lg_vk_pipeline *p = vk->pipelines;
    while (p && !same(p, module, constants, count, subgroup_size))
        p = p->next;
    return p;
}

static lg_vk_pipeline *add(lg_vk *vk, const lg_spirv *module, const uint32_t *constants,
                           uint32_t count, uint32_t subgroup_size)
{
    lg_vk_pipeline *p = lg_alloc(sizeof *p);
    if (!p)
        return NULL;
    p->spirv = module;
    p->count = count;
    p->subgroup_size = subgroup_size;
    if (count)
        memcpy(p->constants, constants, count * sizeof *constants);
    p->next = vk->pipelines;
    vk->pipelines = p;
    return p;
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
    lg_vk_pipeline *p = find(vk, module, constants, count, subgroup_size);
    if (!p)
        p = add(vk, module, constants, count, subgroup_size);
    if (!p)
        return lg_fail_memory(error, sizeof *p, "a pipeline");
    p->wanted = !p->handle;
    if (p->wanted && !vk->collecting)
        status = lg_vk_pipelines_make(vk, error);
    if (!status)
        *out = p;
    return status;
}

// ---- collecting ---------------------------------------------------------------------------------

void lg_vk_collect(lg_vk *vk, lg_vk_commands *c)
{
    vk->collecting = true;
    vk->collector = c;
    if (c)
        c->lacks = false;
}

lg_status lg_vk_make_collected(lg_vk *vk, lg_status status, lg_error *error)
{
    vk->collecting = false;
    vk->collector = NULL;
    if (!status)
        return lg_vk_pipelines_make(vk, error);
    for (lg_vk_pipeline *p = vk->pipelines; p; p = p->next)
        p->wanted = false;
    return status;
}

bool lg_vk_lacks_pipelines(const lg_vk_commands *c)
{
    return c->lacks;
}

bool lg_vk_pipeline_ready(lg_vk_commands *c, const lg_vk_pipeline *pipeline)
{
    if (pipeline->handle)
        return true;
    lg_vk *vk = c->vk;
    for (lg_vk_pipeline *p = vk->pipelines; p; p = p->next)
        p->wanted |= p == pipeline;
    if (c == vk->collector)
        c->lacks = true;
    else if (!c->failure.status)
        (void)lg_vk_pipelines_make(vk, &c->failure);
    return pipeline->handle;
}

uint32_t lg_vk_pipelines_compiled(const lg_vk *vk)
{
    return vk->compiled;
}

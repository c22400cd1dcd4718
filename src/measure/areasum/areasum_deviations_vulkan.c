// Squared deviations of the nodes of ripmaps of floats, on a Vulkan device: a dispatch for each block.
#include "measure/areasum/areasum_device.h"

#include <math.h>

extern const lg_spirv lg_spirv_areasum_deviations;

#define GROUP 256

// Byte for byte what the kernel reads.
typedef struct deviations_push {
    uint64_t to, from, sums, counts;
    uint32_t inner, length, below, words, first;
    float half;
} deviations_push;

// Dispatches share the block among them. Of what is below it no more is read than its own samples.
static void name_uses(const lg_area_deviations *block, const deviations_push *push,
                      lg_vk_commands *commands)
{
    const uint64_t below = 4 * ((uint64_t)block->words / block->length) * block->from_length;
    lg_vk_adds(commands, push->to, (uint64_t)block->words * 4);
    lg_vk_reads(commands, push->from, below);
    lg_vk_reads(commands, push->sums, below);
    lg_vk_reads(commands, push->counts, below);
}

lg_status lg_area_record_deviations(lg_context *context, const lg_area_deviations *block,
                                    lg_vk_commands *commands, lg_error *error)
{
    const uint32_t constants[] = {GROUP, block->counts != 0};
    const lg_vk_pipeline *pipeline;
    lg_status status = lg_vk_pipeline_get(context->vk, &lg_spirv_areasum_deviations, constants,
                                          LG_COUNT(constants), 0, &pipeline, error);
    if (status)
        return status;
    deviations_push push = {.to = block->to,
                            .from = block->from,
                            .sums = block->sums,
                            .counts = block->counts,
                            .inner = block->inner,
                            .length = block->length,
                            .below = block->from_length,
                            .words = block->words,
                            .half = ldexpf(1, -block->size - 1)};
    const uint32_t most = lg_vk_get_limits(context->vk)->max_workgroups[0];
    const uint32_t groups = (block->words - 1) / GROUP + 1;
    for (uint32_t done = 0, some; done < groups; done += some) {
        some = LG_MIN(most, groups - done);
        push.first = done * GROUP;
        name_uses(block, &push, commands);
        lg_vk_dispatch(commands, pipeline, &push, sizeof push, some, 1, 1);
    }
    return LG_OK;
}

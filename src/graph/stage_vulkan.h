// The kernels of a plan's stages on a device.
#ifndef LG_STAGE_VULKAN_H
#define LG_STAGE_VULKAN_H

#include "filter/device_call.h"
#include "graph/plan.h"
#include "vulkan/vk.h"

#define LG_STAGE_GROUP 128 // threads of a workgroup, along a row
#define LG_WALK_GROUP  256 // likewise, of a kernel that goes down many rows
#define LG_TABLE_WORDS                                                                             \
    7 // of a table among the numbers of a stage: lg_table_at of filter/stage.glsl

typedef struct lg_stage_kernel {
    const lg_vk_pipeline *pipeline;
    int span;       // pixels of a thread
    bool walks;     // its workgroups go down the rows: it makes a table first
    size_t numbers; // offset of the stage's numbers in the plan's buffer, bytes
    lg_vk_buffer *scratch[LG_MAX_SCRATCH]; // of a native filter
    lg_kept_kernel kept[LG_MAX_KEPT];      // likewise
} lg_stage_kernel;

// The slots behind a stage's views in their order, the output last; returns how many.
int lg_stage_slots(const lg_plan *plan, const lg_plan_stage *s, int slots[LG_MAX_VIEWS]);

// Numbers that the parameters and tables of a filter take on the device.
int lg_node_words(const lg_filter *filter);

lg_status lg_stage_compile(lg_plan *plan, const lg_plan_stage *s, lg_stage_kernel *kernel,
                           lg_error *error);

#endif

// The kernels of a plan's stages on a device.
#ifndef LG_STAGE_VULKAN_H
#define LG_STAGE_VULKAN_H

#include "filter/device_call.h"
#include "graph/plan.h"
#include "vulkan/vk.h"

#define LG_STAGE_GROUP 128 // threads per workgroup, along a row
#define LG_WALK_GROUP  256 // the same, for kernels that process many rows in turn
#define LG_TABLE_WORDS                                                                             \
    13 // words of a table among a stage's numbers: lg_table_at of filter/stage.glsl

typedef struct lg_stage_kernel {
    const lg_vk_pipeline *pipeline;
    int across;      // pixels of a workgroup along a row
    int down;        // rows of a workgroup, unless it walks
    bool walks;      // workgroups first make a table, then process many rows
    bool whole;      // grey bytes with integer sums: other values may take another kernel
    unsigned summed; // likewise, lg_stage_summed
    size_t numbers;  // offset of the stage's numbers in the plan's buffer, bytes
    lg_vk_buffer *scratch[LG_MAX_SCRATCH]; // of a native filter
    lg_kept_kernel kept[LG_MAX_KEPT];      // likewise
} lg_stage_kernel;

// The slots of a stage's views in order, the output last; returns their number.
int lg_stage_slots(const lg_plan *plan, const lg_plan_stage *s, int slots[LG_MAX_VIEWS]);

// The count of numbers that a filter's parameters and tables have on the device.
int lg_node_words(const lg_filter *filter);

// Whether the windows of a stage may have pixels that are not side by side.
bool lg_stage_is_apart(const lg_plan *plan, const lg_plan_stage *s);

lg_status lg_stage_compile(lg_plan *plan, const lg_plan_stage *s, lg_stage_kernel *kernel,
                           lg_error *error);

#endif

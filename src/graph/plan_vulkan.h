// The state of a plan on a Vulkan device.
#ifndef LG_PLAN_VULKAN_H
#define LG_PLAN_VULKAN_H

#include "filter/native.h"
#include "graph/stage_vulkan.h"

// The key of the recording that the command buffer holds: everything it depends on, as bytes.
typedef struct lg_plan_recording {
    unsigned char *key; // NULL: none
    size_t size;
    bool copies; // the recording copies the numbers from the host
} lg_plan_recording;

// What belongs to one run alone. Several turns of a plan can be on their way.
typedef struct lg_plan_turn {
    lg_vk_buffer *numbers; // of all stages, on the device
    lg_vk_buffer *host;    // the same on the host, to be copied
    char *sent;            // the numbers that the device has; NULL: none yet
    // A word for each stage, lg_device_call.refused; then one for the figures of each; then one for those
    // of the caller.
    lg_vk_buffer *refused;
    lg_vk_commands *commands;
    lg_plan_recording recorded;
} lg_plan_turn;

// What a plan keeps from run to run. Runs follow each other on the device, so that each of these is there
// once.
typedef struct lg_vulkan_plan {
    lg_stage_kernel *kernels;
    size_t numbers; // bytes of those of a turn
    lg_vk_buffer *tables;
    lg_vk_buffer *previous;              // figures of the previous run, four numbers each
    lg_plan_turn turn;                   // of lg_plan_run
    const lg_vk_buffer *last;            // numbers of the turn that ran last; NULL: those of `turn`
    struct lg_plan_submitted *submitted; // graph/plan_submit_vulkan.c; NULL: nothing yet
} lg_vulkan_plan;

// After an error the turn is to be destroyed.
lg_status lg_plan_turn_create(const lg_plan *plan, lg_plan_turn *turn, lg_error *error);
void lg_plan_turn_destroy(lg_vk *vk, lg_plan_turn *turn);

// Puts figures that parameters took on the device into the values of their nodes, from `numbers` of a turn.
void lg_plan_take_figures(lg_plan *plan, const char *numbers);

// The first stage whose parameters the host measures; -1: there is none.
int lg_plan_host_stage(const lg_plan *plan);
// Whether a run is more than one submission, as the host measures something in between or behind.
bool lg_plan_needs_host(const lg_plan *plan);

// The calls of an lg_plan_device.
const char *lg_plan_why_host(const lg_plan *plan, int node, int figure);
const char *lg_stream_why_alone(const lg_plan *plan); // graph/stream_vulkan.c
lg_status lg_plan_run_vulkan(lg_plan *plan, const struct lg_plan_band *band,
                             lg_image *const *inputs, lg_image *const *outputs, lg_error *error);
lg_status lg_plan_update_vulkan(lg_plan *plan, int node, bool compiled, lg_error *error);
lg_status lg_plan_fetch_vulkan(lg_plan *plan, lg_error *error);

lg_status lg_plan_submit_vulkan(lg_plan *plan, lg_image *const *inputs, lg_image *const *outputs,
                                lg_image *figures, lg_error *error);
lg_status lg_plan_wait_vulkan(lg_plan *plan, bool *pending, lg_error *error);
void lg_plan_drop_submitted(lg_plan *plan);

// LG_ERROR_UNSUPPORTED when the device cannot run a stage with the values of its nodes.
lg_status lg_plan_check_stage(const lg_plan *plan, const lg_plan_stage *s, lg_error *error);

// Copies a node's table from the host.
lg_status lg_plan_upload_table(const lg_plan *plan, int node, lg_error *error);

// The native filter of a stage.
const lg_native *lg_plan_native(const lg_plan *plan, const lg_plan_stage *stage);

// The count of numbers of a node's table, and its offset among the tables in bytes.
size_t lg_plan_table_room(const lg_plan *plan, int node);
size_t lg_plan_table_offset(const lg_plan *plan, int node);

// Bytes of the numbers of a stage.
size_t lg_plan_numbers(const lg_plan *plan, const lg_plan_stage *stage);

int lg_plan_figures_before(const lg_plan *plan, int node);

#endif

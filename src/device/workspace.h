// What measurements on a Vulkan device keep between calls: scratch buffers that only grow, and one
// command buffer. Created at first use, owned by the context.
#ifndef LG_WORKSPACE_H
#define LG_WORKSPACE_H

#include "core/core.h"
#include "core/scan.h"
#include "kernel/device_memory.h"
#include "vulkan/vk.h"

typedef enum lg_slot {
    LG_SCRATCH_TOTALS,     // u32 counters, zero between measurements
    LG_SCRATCH_PARTIALS,   // per workgroup
    LG_SCRATCH_RESULTS,    // what is read back, on the device
    LG_SCRATCH_READBACK,   // ... and on the host
    LG_SCRATCH_CARRIES,    // of chained tiles, which tell the run that they are of; zero at first
    LG_SCRATCH_COMPONENTS, // of an image that a figure is of: how many, their records
    LG_SCRATCH_PARAMETERS, // what does not fit the push constants; written by the host
    LG_SCRATCH_FLAG,       // a word of the host's memory; device/lookback.h
    LG_SCRATCH_COUNT
} lg_slot;

#define LG_TIMESTAMPS 2 // before and after the dispatches of a call

typedef struct lg_workspace {
    lg_vk_buffer *slot[LG_SCRATCH_COUNT];
    lg_vk_commands *commands;
    int set;            // of the totals, that the last dispatch added to
    size_t used[2];     // words of each set that are not zero
    bool multi_pass;    // scans are; device/lookback.h
    uint32_t giving_up; // tests: 1 for a tile of the next submission that gives up
    uint32_t
        miscounting; // tests: a bit for each histogram variant that puts a count into the next bin
} lg_workspace;

lg_status lg_workspace_get(lg_context *context, lg_workspace **out, lg_error *error);
void lg_workspace_destroy(lg_context *context);

// A slot of at least `size` bytes. Slots that are zero between dispatches are zeroed when they
// grow.
lg_status lg_workspace_slot(lg_context *context, lg_slot slot, size_t size, lg_vk_buffer **out,
                            lg_error *error);

// `words` counters in `copies` copies (a power of two), all zero. Record lg_workspace_clear_totals after
// the last use.
lg_status lg_workspace_totals(lg_context *context, size_t words, uint32_t copies,
                              lg_device_totals *out, lg_error *error);
void lg_workspace_clear_totals(lg_workspace *work, const lg_device_totals *totals);

// Says that the next dispatch adds to the counters; see lg_vk_adds.
void lg_device_totals_adds(lg_vk_commands *commands, const lg_device_totals *totals);

// Records a copy of `size` bytes to the read-back slot, which must be large enough.
void lg_workspace_record_readback(lg_workspace *work, const lg_vk_buffer *from, size_t size);

// Ends, submits and waits; adds the device time between timestamps 0 and 1 to the report.
lg_status lg_workspace_run(lg_context *context, lg_workspace *work, lg_error *error);

// Where the taken pixels of a scan lie on the device.
typedef struct lg_device_view {
    lg_vk_buffer *buffer;
    bool temporary;
    uint64_t first;      // address of the first taken pixel
    size_t row_stride;   // bytes from row to row of the image (not of taken rows)
    size_t layer_stride; // bytes
} lg_device_view;

lg_status lg_device_view_open(lg_context *context, const lg_image *image, int64_t x, int64_t y,
                              lg_device_view *out, lg_error *error);
void lg_device_view_close(lg_context *context, lg_device_view *view);

// Fills the walk and opens the mask's view (empty without a mask; close it in any case after
// LG_OK).
lg_status lg_device_walk_open(lg_context *context, const lg_scan *scan, const lg_device_view *view,
                              lg_device_view *mask, lg_device_walk *out, lg_error *error);

// Says that the next dispatch reads the pixels and the mask; see lg_vk_reads.
void lg_device_walk_reads(lg_vk_commands *commands, const lg_device_walk *walk);

// False when the rows cannot be read that way (a row stride that is no multiple of 16, or too much
// for 32-bit indices). Rows that follow each other without a gap become one.
bool lg_vector_rows_init(lg_vector_rows *out, const lg_device_view *view, int64_t width,
                         int64_t height, size_t pixel_size);

// Cuts the rows for `groups` workgroups; returns how many of them have work.
uint32_t lg_vector_rows_cut(lg_vector_rows *rows, uint32_t groups);

// Workgroups for `pieces` pieces of work on this device: enough to fill it `per_unit` times.
uint32_t lg_device_groups(const lg_context *context, uint64_t pieces, uint32_t per_unit);

#endif

// The memory of measurements on a Vulkan device: scratch buffers that only grow, and one command
// buffer. Created at first use, owned by the context.
#ifndef LG_WORKSPACE_H
#define LG_WORKSPACE_H

#include "core/core.h"
#include "core/scan.h"
#include "kernel/device_memory.h"
#include "vulkan/vk.h"

typedef enum lg_slot {
    LG_SCRATCH_TOTALS,     // u32 counters, zero between measurements
    LG_SCRATCH_PARTIALS,   // per workgroup
    LG_SCRATCH_RESULTS,    // results on the device, to be read back
    LG_SCRATCH_READBACK,   // the same on the host
    LG_SCRATCH_CARRIES,    // of chained tiles, with the number of their run; zero at first
    LG_SCRATCH_COMPONENTS, // of a figure's image: the number of components, and their records
    LG_SCRATCH_RANGES, // of a figure's samples, and the rules that follow; graph/figure_ranks_vulkan.c
    LG_SCRATCH_PARAMETERS, // data too large for push constants; written by the host
    LG_SCRATCH_FLAG,       // a word of host memory; device/lookback.h
    LG_SCRATCH_COUNT
} lg_slot;

#define LG_TIMESTAMPS 2 // before and after the dispatches of a call

typedef struct lg_workspace {
    lg_vk_buffer *slot[LG_SCRATCH_COUNT];
    lg_vk_commands *commands;
    int set;              // the set of totals that the last dispatch added to
    size_t used[2];       // words of each set that are not zero
    bool multi_pass;      // scans take several passes; device/lookback.h
    uint32_t giving_up;   // tests: 1 makes a tile of the next submission give up
    uint32_t miscounting; // tests: bits of histogram variants that put a count into the next bin
} lg_workspace;

lg_status lg_workspace_get(lg_context *context, lg_workspace **out, lg_error *error);
void lg_workspace_destroy(lg_context *context);

// A slot of at least `size` bytes. Slots that must be zero between dispatches are zeroed when they
// grow.
lg_status lg_workspace_slot(lg_context *context, lg_slot slot, size_t size, lg_vk_buffer **out,
                            lg_error *error);

// `words` counters in `copies` copies (a power of two), all zero. Record lg_workspace_clear_totals
// after the last use.
lg_status lg_workspace_totals(lg_context *context, size_t words, uint32_t copies,
                              lg_device_totals *out, lg_error *error);
void lg_workspace_clear_totals(lg_workspace *work, const lg_device_totals *totals);

// Declares that the next dispatch adds to the counters; see lg_vk_adds.
void lg_device_totals_adds(lg_vk_commands *commands, const lg_device_totals *totals);

// Records a copy of `size` bytes to the read-back slot, which must be large enough.
void lg_workspace_record_readback(lg_workspace *work, const lg_vk_buffer *from, size_t size);

// Ends, submits and waits; adds the device time between timestamps 0 and 1 to the report.
lg_status lg_workspace_run(lg_context *context, lg_workspace *work, lg_error *error);

// The place of a scan's selected pixels on the device.
typedef struct lg_device_view {
    lg_vk_buffer *buffer;
    bool temporary;
    uint64_t first;      // address of the first selected pixel
    size_t row_stride;   // bytes from row to row of the image, also with a step
    size_t layer_stride; // bytes
} lg_device_view;

lg_status lg_device_view_open(lg_context *context, const lg_image *image, int64_t x, int64_t y,
                              lg_device_view *out, lg_error *error);
void lg_device_view_close(lg_context *context, lg_device_view *view);

// Fills the walk and opens the mask's view, which is empty without a mask. Close that view after
// LG_OK in any case.
lg_status lg_device_walk_open(lg_context *context, const lg_scan *scan, const lg_device_view *view,
                              lg_device_view *mask, lg_device_walk *out, lg_error *error);

// Declares that the next dispatch reads the pixels and the mask; see lg_vk_reads.
void lg_device_walk_reads(lg_vk_commands *commands, const lg_device_walk *walk);

// False when rows cannot be read as vectors: a row stride that is not a multiple of 16, or indices
// beyond 32 bits. Rows without gaps between them become one row.
bool lg_vector_rows_init(lg_vector_rows *out, const lg_device_view *view, int64_t width,
                         int64_t height, size_t pixel_size);

// Divides the rows among `groups` workgroups; returns how many of these have work. Of one row they take parts
// of up to LG_SEGMENT_VECTORS vectors in turns.
#define LG_SEGMENT_VECTORS 32768
uint32_t lg_vector_rows_cut(lg_vector_rows *rows, uint32_t groups);

// Turns of all loops of an invocation that are safe on a device in software: Mesa's ends loops after 65535,
// without a word.
#define LG_SOFT_TURNS 60000

// Workgroups for `pieces` pieces of work: at most `per_unit` per compute unit of the device.
uint32_t lg_device_groups(const lg_context *context, uint64_t pieces, uint32_t per_unit);

#endif

// Histograms that stay on the device for the next kernel of the same command buffer.
#ifndef LG_HISTOGRAM_DEVICE_H
#define LG_HISTOGRAM_DEVICE_H

#include "device/workspace.h"
#include "measure/histogram/histogram.h"

// The place of a task's counts: counter i of the last table of a layer is the sum over copies of
// u32 [totals.counters][copy][layer * layer_words + table + i].
typedef struct lg_histogram_device {
    lg_device_totals totals;
    uint32_t layer_words, table;
    uint32_t table_words; // from table to table: behind the counters some kernels have others
} lg_histogram_device;

// Records the counting. The caller records lg_workspace_clear_totals behind the last reader.
lg_status lg_histogram_record(lg_context *context, const lg_histogram_task *task,
                              const lg_device_view *view, const lg_device_walk *walk,
                              lg_vk_commands *commands, lg_histogram_device *out, lg_error *error);

// The same with rules that an earlier dispatch leaves in device memory: an lg_histogram_rules.
lg_status lg_histogram_record_ruled(lg_context *context, const lg_histogram_task *task,
                                    const lg_device_view *view, const lg_device_walk *walk,
                                    uint64_t rules, lg_vk_commands *commands,
                                    lg_histogram_device *out, lg_error *error);

#endif

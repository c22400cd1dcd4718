// Where work is done: on the context's device, else on the CPU. One policy for
// measurements and plans.
#ifndef LG_DISPATCH_H
#define LG_DISPATCH_H

#include "core/core.h"

typedef lg_status lg_backend_fn(lg_context *context, void *task, lg_error *error);

// What can do a piece of work. Both leave the caller's outputs alone when they fail.
typedef struct lg_backend_row {
    const char *name;      // what is done, for log lines and errors: "moments"
    lg_backend_fn *vulkan; // what it measures on the way is measured on the device as well
    lg_backend_fn *cpu;    // runs while the context has no device; NULL: the device alone can do it
} lg_backend_row;

// Does the work on the device of the context. What a device cannot do or does no longer
// (LG_ERROR_UNSUPPORTED, LG_ERROR_DEVICE, LG_ERROR_MEMORY) the CPU does from the beginning, with a
// line in the log (one for all that comes after a loss); with `strict` it is LG_ERROR_DEVICE. The
// report of the context names what did it.
lg_status lg_dispatch(lg_context *context, const lg_backend_row *row, void *task, lg_error *error);

// On the CPU, whatever the context has: because of `fallback`, or ("") because that was asked for.
lg_status lg_on_cpu(lg_context *context, const lg_backend_row *row, void *task,
                    const char *fallback, lg_error *error);

// The policy alone, for work that is prepared before it runs: whether the CPU
// takes over after a device failed with `status` and *why. False: *error is
// filled, and *failure is the status to return.
bool lg_cpu_takes_over(lg_context *context, const char *name, lg_status status, const lg_error *why,
                       lg_status *failure, lg_error *error);

// Fills *error where nobody can take over, and returns the status: LG_ERROR_DEVICE with `strict`.
lg_status lg_device_failure(const lg_context *context, const char *name, lg_status status,
                            const lg_error *why, lg_error *error);

// Fills the report with the processor as what did the work, because of `fallback` ("": it was asked
// to). Seconds of a device and its variant are forgotten.
void lg_report_cpu(lg_context *context, const char *fallback);

// ---- images as the CPU sees them ----------------------------------------------------------------

// An image whose pixels are in host memory: those of `of`, or a copy of what is on its device.
typedef struct lg_host_view {
    lg_image_private image; // no device copy
    void *copy;             // NULL: the pixels are those of `of`
} lg_host_view;

// LG_ERROR_DEVICE for pixels that only a lost device had.
lg_status lg_host_view_open(const lg_image *of, lg_host_view *out, lg_error *error);
// The same with pixels that nobody has written yet; lg_host_view_store copies them to the device.
lg_status lg_host_view_open_empty(const lg_image *of, lg_host_view *out, lg_error *error);
// Brings the device copy of `to` up to what the view holds. One beside host pixels is given up
// where that fails; LG_ERROR_DEVICE where it is all there is.
lg_status lg_host_view_store(const lg_host_view *view, lg_image *to, lg_error *error);
void lg_host_view_close(lg_host_view *view);

#endif

// Runs work on the context's device, else on the CPU: one policy for measurements and plans.
#ifndef LG_DISPATCH_H
#define LG_DISPATCH_H

#include "core/core.h"

// What has code for a device in a build with Vulkan; NULL in one without. No context has a device
// there, so nothing asks for it.
#ifdef LG_HAVE_VULKAN
#define LG_VULKAN(function) function
#else
#define LG_VULKAN(function) NULL
#endif

typedef lg_status lg_backend_fn(lg_context *context, void *task, lg_error *error);

// The functions that can do a piece of work. Each leaves the caller's outputs unchanged when it
// fails.
typedef struct lg_backend_row {
    const char *name;      // the work, for log lines and errors: "moments"
    lg_backend_fn *vulkan; // measurements inside it also run on the device
    lg_backend_fn *cpu;    // the context has no device while it runs; NULL: only a device can do it
} lg_backend_row;

// Does the work on the device of the context. Where that fails (LG_ERROR_UNSUPPORTED,
// LG_ERROR_DEVICE, LG_ERROR_MEMORY) the CPU starts it again, and the log says so, once after a
// device loss. With `strict` there is no fallback but LG_ERROR_DEVICE. The context's report names
// what did the work.
lg_status lg_dispatch(lg_context *context, const lg_backend_row *row, void *task, lg_error *error);

// Does the work on the CPU in any case. `fallback` is the reason, "" if the caller asked for the
// CPU.
lg_status lg_on_cpu(lg_context *context, const lg_backend_row *row, void *task,
                    const char *fallback, lg_error *error);

// The policy alone, for work that is prepared before it runs: whether the CPU takes over after a
// device failed with `status` and *why. False: *error is filled, and *failure is the status to
// return.
bool lg_cpu_takes_over(lg_context *context, const char *name, lg_status status, const lg_error *why,
                       lg_status *failure, lg_error *error);

// Fills *error when there is no fallback, and returns the status: LG_ERROR_DEVICE with `strict`.
lg_status lg_device_failure(const lg_context *context, const char *name, lg_status status,
                            const lg_error *why, lg_error *error);

// Reports that the CPU did the work; `fallback` as above. Clears a device's seconds and variant.
void lg_report_cpu(lg_context *context, const char *fallback);

// ---- images as the CPU sees them ----------------------------------------------------------------

// An image with pixels in host memory: those of `of`, or a copy of its device pixels.
typedef struct lg_host_view {
    lg_image_private image; // no device copy
    void *copy;             // NULL: the pixels are those of `of`
} lg_host_view;

// LG_ERROR_DEVICE when only a lost device had the pixels.
lg_status lg_host_view_open(const lg_image *of, lg_host_view *out, lg_error *error);
// The same with undefined pixels; lg_host_view_store copies them to the device.
lg_status lg_host_view_open_empty(const lg_image *of, lg_host_view *out, lg_error *error);
// Updates the device copy of `to` from the view. If that fails, a copy beside host pixels is
// dropped, which is no failure unless the caller ended it (LG_ERROR_CANCELLED); LG_ERROR_DEVICE when
// it is the only one.
lg_status lg_host_view_store(const lg_host_view *view, lg_image *to, lg_error *error);
void lg_host_view_close(lg_host_view *view);

#endif

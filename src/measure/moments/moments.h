// Moments inside the library: the state of one channel, and how it is filled, merged and finished.
#ifndef LG_MOMENTS_H
#define LG_MOMENTS_H

#include "core/scan.h"
#include "measure/moments/moments_sums.h"

// Exact sums of u8 and u16 samples.
typedef struct lg_integer_moments {
    uint64_t n;
    lg_u128 sum, squares;
    uint32_t min, max; // UINT32_MAX and 0 while n is 0
} lg_integer_moments;

// One channel of one layer, or of a stack.
typedef struct lg_moments_state {
    bool integer; // which member of the union
    union {
        lg_integer_moments integers;
        lg_float_sums floats; // f16 and f32
    };
} lg_moments_state;

lg_moments_state lg_moments_state_empty(lg_type type);

// into becomes into + more. All sums are exact, so the order does not matter.
void lg_moments_state_merge(lg_moments_state *into, const lg_moments_state *more);

// Makes the figures. Errors: LG_ERROR_DATA with LG_NAN_ERROR; *out is then unchanged.
lg_status lg_moments_finish(const lg_moments_state *state, lg_nan nan, lg_moments *out,
                            lg_error *error);

// Each fills out[layer * scan->measured + channel]; with `stack`, out[channel] over all layers.
// LG_ERROR_UNSUPPORTED: lg_moments_vulkan leaves the work to the CPU.
lg_status lg_moments_ref(const lg_scan *scan, bool stack, lg_moments_state *out, lg_error *error);
lg_status lg_moments_cpu(lg_context *context, const lg_scan *scan, bool stack,
                         lg_moments_state *out, lg_error *error);
lg_status lg_moments_vulkan(lg_context *context, const lg_scan *scan, bool stack,
                            lg_moments_state *out, lg_error *error);

// Runs on the context's device, with the CPU as the fallback.
lg_status lg_moments_run(lg_context *context, const lg_scan *scan, bool stack,
                         lg_moments_state *out, lg_error *error);

#endif

// Moments of the luma of f16 and f32 colours.
#ifndef LG_LUMA_MOMENTS_H
#define LG_LUMA_MOMENTS_H

#include "device/workspace.h"
#include "measure/moments/moments.h"

// out[] has one entry per layer, or one for a stack. The luma of a pixel with a NaN is NaN;
// otherwise that of one with an infinity is an infinity. Runs on the context's device, else on the
// CPU.
lg_status lg_luma_moments(lg_context *context, const lg_scan *scan, lg_luma luma, bool stack,
                          lg_moments_state *out, lg_error *error);

// Records the luma of all pixels of the float image `view`, as floats from address `to` on: rows of
// row_stride bytes, layers without gaps.
lg_status lg_threshold_record_luma(lg_context *context, const lg_scan *scan, lg_luma luma,
                                   const lg_device_view *view, uint64_t to, size_t row_stride,
                                   lg_vk_commands *commands, lg_error *error);

#endif

// Moments of the luma of f16 and f32 colours.
#ifndef LG_LUMA_MOMENTS_H
#define LG_LUMA_MOMENTS_H

#include "device/workspace.h"
#include "measure/moments/moments.h"

// out[] has one entry per layer, or one for a stack. A pixel with a NaN has NaN for luma, else one
// with an infinity an infinity. Computed by the device of the context, else by the CPU.
lg_status lg_luma_moments(lg_context *context, const lg_scan *scan, lg_luma luma, bool stack,
                          lg_moments_state *out, lg_error *error);

// Records the luma of all pixels of float colours that lie at `view`: floats from address `to` on,
// rows of row_stride bytes, layers behind each other.
lg_status lg_threshold_record_luma(lg_context *context, const lg_scan *scan, lg_luma luma,
                                   const lg_device_view *view, uint64_t to, size_t row_stride,
                                   lg_vk_commands *commands, lg_error *error);

#endif

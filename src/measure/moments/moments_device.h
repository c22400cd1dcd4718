// Moments that stay on the device for the next kernel of the same command buffer.
#ifndef LG_MOMENTS_DEVICE_H
#define LG_MOMENTS_DEVICE_H

#include "device/workspace.h"

// The place of an image's tallies: u32 [totals.counters][copy][layer][channel][words]. Numbers are
// limbs of 16 bits that are not yet carried. (n) is the count of words. Integers have 16 words: 0
// count, only where pixels may be left out (2); 2 sum (4); 6 sum of squares (4); 10 complement of
// the minimum; 11 maximum. Floats have 100 words: 0 count of all samples (2); 2 NaN (2); 4
// +infinity (2); 6 -infinity (2); 8 complement of the minimum's key; 9 the maximum's key; 16 sum of
// positive samples (22); 38 sum of the magnitudes of negative samples (22); 60 sum of squares (40).
// Units: LG_SUM_UNIT and LG_SQUARES_UNIT (moments_sums.h).
typedef struct lg_moments_device {
    lg_device_totals totals;
    uint32_t layer_words;
    bool integer;
} lg_moments_device;

// Whether an image's moments can stay on the device.
bool lg_moments_stay(const lg_context *context, const lg_image_params *shape);

// Allocates what lg_moments_record needs, before anything is recorded.
lg_status lg_moments_reserve(lg_context *context, const lg_image_params *shape, lg_error *error);

// Records the measurement of a whole image. The last reader clears the counters.
lg_status lg_moments_record(lg_context *context, const lg_scan *scan, const lg_device_view *view,
                            lg_vk_commands *commands, lg_moments_device *out, lg_error *error);

#endif

// Moments that stay on the device for the next kernel of the same command buffer.
#ifndef LG_MOMENTS_DEVICE_H
#define LG_MOMENTS_DEVICE_H

#include "device/workspace.h"

// Where the tallies of an image lie: u32 [totals.counters][copy][layer][channel][words].
// Of integers 16 words, limbs of 16 bits with what is to be carried: 0 the count where pixels may be left
// out (2), 2 the sum (4), 6 the sum of squares (4), 10 the complement of the minimum, 11 the maximum.
// Of floats 100, likewise: 0 the count of all samples (2), 2 those that are NaN (2), 4 +infinite (2),
// 6 -infinite (2), 8 the complement of the key of the minimum, 9 the key of the maximum, 16 the sum of
// the positive samples (22), 38 that of the magnitudes of the negative ones (22), 60 the sum of squares
// (40), in units of LG_SUM_UNIT and LG_SQUARES_UNIT (moments_sums.h).
typedef struct lg_moments_device {
    lg_device_totals totals;
    uint32_t layer_words;
    bool integer;
} lg_moments_device;

// Whether an image's moments can stay.
bool lg_moments_stay(const lg_context *context, const lg_image_params *shape);

// Makes room for what lg_moments_record needs, before anything is recorded.
lg_status lg_moments_reserve(lg_context *context, const lg_image_params *shape, lg_error *error);

// Records the measurement of a whole image. The last reader makes the counters zero again.
lg_status lg_moments_record(lg_context *context, const lg_scan *scan, const lg_device_view *view,
                            lg_vk_commands *commands, lg_moments_device *out, lg_error *error);

#endif

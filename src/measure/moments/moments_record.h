// Moments on a device: the results of the kernels per layer and channel, and the functions that
// record them.
#ifndef LG_MOMENTS_RECORD_H
#define LG_MOMENTS_RECORD_H

#include "device/workspace.h"
#include "measure/moments/moments.h"

// The result for a channel of integer samples: limbs of 16 bits, not yet carried.
typedef struct lg_integer_tally {
    uint32_t count[2], sum[4], square[4];
    uint32_t low; // the complement of the minimum
    uint32_t high, unused[4];
} lg_integer_tally;

// The result for a channel of float samples: digits of 16 bits, not yet carried, in units of
// LG_SUM_UNIT and LG_SQUARES_UNIT. `plus` sums positive samples, `minus` the magnitudes of negative
// ones.
#define LG_SUM_DIGITS     22
#define LG_SQUARES_DIGITS 40
typedef struct lg_float_tally {
    uint32_t count[2]; // of all selected samples, finite or not
    uint32_t nan[2], positive[2], negative[2];
    uint32_t low; // the complement of the minimum's key
    uint32_t high, unused[6];
    uint32_t plus[LG_SUM_DIGITS], minus[LG_SUM_DIGITS], squares[LG_SQUARES_DIGITS];
} lg_float_tally;

// Most rows of a workgroup: llvmpipe stops all loops of an invocation after 65535 rounds together.
#define LG_MOMENTS_ROWS 4096

// Where every pixel of the rows counts; of floats, or those of a mask. Integers are read as vectors.
lg_status lg_moments_record_integer_rows(lg_context *context, const lg_scan *scan,
                                         const lg_vector_rows *rows, const lg_device_totals *totals,
                                         lg_vk_commands *commands, lg_error *error);
lg_status lg_moments_record_float_rows(lg_context *context, const lg_scan *scan,
                                       const lg_device_view *view, const lg_device_walk *walk,
                                       const lg_device_totals *totals, lg_vk_commands *commands,
                                       lg_error *error);

// For any selection, pixel by pixel.
lg_status lg_moments_record_integer_pixels(lg_context *context, const lg_scan *scan,
                                           const lg_device_walk *walk,
                                           const lg_device_totals *totals, lg_vk_commands *commands,
                                           lg_error *error);
lg_status lg_moments_record_float_pixels(lg_context *context, const lg_scan *scan,
                                         const lg_device_walk *walk, const lg_device_totals *totals,
                                         lg_vk_commands *commands, lg_error *error);

// `dense`: whole rows were recorded, whose kernels do not count pixels.
lg_moments_state lg_moments_integer_state(const lg_scan *scan, bool dense,
                                          const lg_integer_tally *tally);
lg_moments_state lg_moments_float_state(const lg_float_tally *tally);

#endif

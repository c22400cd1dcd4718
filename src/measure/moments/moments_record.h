// Moments on a device, inside the library: what the kernels leave for each layer and channel, and who
// records which kernel.
#ifndef LG_MOMENTS_RECORD_H
#define LG_MOMENTS_RECORD_H

#include "device/workspace.h"
#include "measure/moments/moments.h"

// What the kernels leave for a channel of integer samples: limbs of 16 bits, not yet carried.
typedef struct lg_integer_tally {
    uint32_t count[2], sum[4], square[4];
    uint32_t low; // the complement of the minimum
    uint32_t high, unused[4];
} lg_integer_tally;

// What the kernels of floats leave for a channel: digits of 16 bits, not yet carried, in units of
// LG_SUM_UNIT, the magnitudes of negative samples apart, and LG_SQUARES_UNIT.
#define LG_SUM_DIGITS     22
#define LG_SQUARES_DIGITS 40
typedef struct lg_float_tally {
    uint32_t count[2]; // of all samples that are taken, finite or not
    uint32_t nan[2], positive[2], negative[2];
    uint32_t low; // the complement of the minimum's key
    uint32_t high, unused[6];
    uint32_t plus[LG_SUM_DIGITS], minus[LG_SUM_DIGITS], squares[LG_SQUARES_DIGITS];
} lg_float_tally;

// Rows that a workgroup takes at most: llvmpipe ends all loops of an invocation after 65535 rounds together.
#define LG_MOMENTS_ROWS 4096

// Every pixel of rows counts; of integers they are read as vectors.
lg_status lg_moments_record_integer_rows(lg_context *context, const lg_scan *scan,
                                         const lg_vector_rows *rows, const lg_device_totals *totals,
                                         lg_vk_commands *commands, lg_error *error);
lg_status lg_moments_record_float_rows(lg_context *context, const lg_scan *scan,
                                       const lg_device_view *view, const lg_device_totals *totals,
                                       lg_vk_commands *commands, lg_error *error);

// Pixel by pixel.
lg_status lg_moments_record_integer_pixels(lg_context *context, const lg_scan *scan,
                                           const lg_device_walk *walk,
                                           const lg_device_totals *totals, lg_vk_commands *commands,
                                           lg_error *error);
lg_status lg_moments_record_float_pixels(lg_context *context, const lg_scan *scan,
                                         const lg_device_walk *walk, const lg_device_totals *totals,
                                         lg_vk_commands *commands, lg_error *error);

// `dense`: rows were recorded, so that nobody counted the pixels.
lg_moments_state lg_moments_integer_state(const lg_scan *scan, bool dense,
                                          const lg_integer_tally *tally);
lg_moments_state lg_moments_float_state(const lg_float_tally *tally);

#endif

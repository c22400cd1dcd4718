// Accumulators of moments: of a region, and of boxes in a region.
#ifndef LG_MOMENTS_ACCUMULATOR_H
#define LG_MOMENTS_ACCUMULATOR_H

#include "measure/accumulator.h"
#include "measure/moments/moments.h"

struct lg_moments_accumulator {
    lg_covered_region region;
    lg_moments_state states[LG_MAX_CHANNELS];
};

struct lg_box_accumulator {
    lg_covered_region region;
    size_t count;
    lg_region *boxes;         // in the region, in all of its layers
    lg_moments_state *states; // of each channel of each box
};

// The states of a tile's measured channels; LG_ERROR_DATA for a NaN under LG_NAN_ERROR.
lg_status lg_moments_of_tile(lg_context *context, const lg_scan *scan, lg_moments_state *out,
                             lg_error *error);

// ---- as bytes; moments_file.c -------------------------------------------------------------------

size_t lg_moments_state_words(lg_type type); // of 64 bits
void lg_moments_state_put(uint8_t **at, const lg_moments_state *state);
// False when the sums contradict each other or have more pixels than `covered`.
bool lg_moments_state_get(const uint8_t **at, lg_type type, uint64_t covered,
                          lg_moments_state *out);

#endif

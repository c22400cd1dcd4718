// What a moments accumulator holds.
#ifndef LG_MOMENTS_ACCUMULATOR_H
#define LG_MOMENTS_ACCUMULATOR_H

#include "measure/moments/moments.h"

struct lg_moments_accumulator {
    lg_type type;
    int channels;
    int64_t width, height, layers;
    uint64_t covered; // pixels of the tiles that were added, left out or not
    lg_moments_state states[LG_MAX_CHANNELS];
};

#endif

// What a moments accumulator holds.
#ifndef LG_MOMENTS_ACCUMULATOR_H
#define LG_MOMENTS_ACCUMULATOR_H

#include "measure/moments/moments_forest.h"

struct lg_moments_accumulator {
    lg_type type;
    int channels;
    int64_t width, height, layers;
    bool integer;
    lg_moments_state integers[LG_MAX_CHANNELS]; // u8 and u16
    lg_forest forest;                           // f16 and f32
};

#endif

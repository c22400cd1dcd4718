// Levels of regions that are measured tile by tile.
#ifndef LG_THRESHOLD_ACCUMULATOR_H
#define LG_THRESHOLD_ACCUMULATOR_H

#include "measure/accumulator.h"
#include "measure/moments/moments.h"

// What the level follows from.
typedef enum level_source {
    FROM_NOTHING, // it is given
    FROM_VALUES,  // counts by value
    FROM_BINS,    // counts in bins over the range of the samples
    FROM_MEAN,
} level_source;

struct lg_threshold_accumulator {
    lg_threshold_params params;
    level_source source;
    lg_alpha alpha;
    lg_covered_region region;
    lg_moments_state range; // of what was looked at
    lg_moments_state mean;
    lg_histogram_accumulator *counts; // of bins: NULL before the first tile
};

// Makes a->counts, in bins over the range of what was looked at.
lg_status lg_threshold_accumulator_count(lg_threshold_accumulator *a, lg_error *error);

#endif

// Area sums in the harness of measurements.
#ifndef LG_TEST_AREA_SUMS_H
#define LG_TEST_AREA_SUMS_H

#include "measure/areasum/areasum_planes.h"
#include "measurement.h"

// What a try asks for; of a few boxes, which `seed` draws, all figures are compared.
typedef struct area_params {
    lg_areasum_params sums;
    uint32_t seed;
} area_params;

// Words of all planes and figures of boxes. Parameters are area_params, NULL for a table of sums. Regions
// and steps become gaps of the array. The second variant guesses how large floats are, and stores past the
// caches. The oracle is area_check_words.
extern const measure_case areasum_case;

// Any parameters that go with a type.
lg_areasum_params area_any_params(lg_type type);

#endif

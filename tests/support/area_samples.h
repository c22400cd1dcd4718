// Arrays of random samples for area sums.
#ifndef AREA_SAMPLES_H
#define AREA_SAMPLES_H

#include <lumagraph/areasum.h>

// Without gaps and without data, of as many dimensions as n[0], n[1] and n[2] need.
lg_area_array area_array(lg_type type, int channels, const int64_t *n);

// Any integers; floats that are finite and of magnitudes up to 128.
void area_fill(lg_type type, void *samples, size_t count);

#endif

// Affine filters as matrices: what several in a row do is one matrix.
#ifndef LG_AFFINE_H
#define LG_AFFINE_H

#include "filter/catalogue.h"

// Row k has the weights of r, g, b, a and 1 in output channel k.
typedef struct lg_affine {
    double rows[4][5];
} lg_affine;

// The matrix of a filter with LG_FILTER_AFFINE, read off its kernel: no filter states it twice.
lg_affine lg_affine_of(const lg_filter *filter, const float *values, lg_cpu_level level);

// `first`, then `next`.
lg_affine lg_affine_compose(const lg_affine *first, const lg_affine *next);

// The filter that stands for several: `per_channel` and `alpha` tell whether all of them have
// LG_FILTER_PER_CHANNEL, and one has LG_FILTER_AFFINE_ALPHA. It is in no list of filters.
const lg_filter *lg_affine_filter(bool per_channel, bool alpha);

// Its values.
void lg_affine_values(const lg_affine *affine, const lg_filter *filter, float *values);

#endif

// The input of the classic single-level methods. All of them run on the host in double.
#ifndef LG_THRESHOLD_CLASSIC_H
#define LG_THRESHOLD_CLASSIC_H

#include "measure/threshold/threshold.h"

typedef struct lg_cumulative {
    const uint64_t *counts;
    int32_t bins;
    int32_t first, last;  // lowest and highest bin with samples, first < last
    double total;         // samples
    double moment;        // sum of index * count
    double *below;        // [k]: samples in bins 0..k
    double *below_moment; // [k]: sum of index * count over bins 0..k
    double *scratch;      // 2 * bins
} lg_cumulative;

// A method: returns the level bin, first <= bin < last, or -1 for none.
typedef int32_t lg_classic(const lg_cumulative *t);

// By class means and variances (threshold_cluster.c).
lg_classic lg_classic_default, lg_classic_isodata, lg_classic_li, lg_classic_min_error,
    lg_classic_huang, lg_classic_moments, lg_classic_percentile;
// By entropies (threshold_entropy.c).
lg_classic lg_classic_max_entropy, lg_classic_renyi_entropy, lg_classic_shanbhag, lg_classic_yen;
// By the shape of the curve (threshold_shape.c).
lg_classic lg_classic_intermodes, lg_classic_minimum, lg_classic_triangle;

static inline double lg_mean_below(const lg_cumulative *t, int32_t k)
{
    return t->below_moment[k] / t->below[k];
}

static inline double lg_mean_above(const lg_cumulative *t, int32_t k)
{
    return (t->moment - t->below_moment[k]) / (t->total - t->below[k]);
}

#endif

// Otsu's method in exact integers.
//
// With N < 2^64 samples and indices below 2^16 a class sum S_k is below 2^80, N * S_k below 2^144 and
// the squared difference below 2^288; cross-multiplied with n * (N - n) < 2^126 two scores are below
// 2^414, far inside lg_u1024. A score in double has a relative error below 2^-49 (each of at most
// eleven roundings is 2^-53), so scores further apart than 2^-46 are already in order; only closer
// ones, true ties above all, are multiplied out.
#include "core/u1024.h"
#include "measure/threshold/threshold.h"

#include <math.h>

#define LG_NEAR 0x1p-46

typedef struct lg_class {
    uint64_t n;
    lg_u128 sum; // of index * count
} lg_class;

static lg_class whole(const uint64_t *counts, int32_t bins)
{
    lg_class all = {0, 0};
    for (int32_t i = 0; i < bins; i++) {
        all.n += counts[i];
        all.sum += (lg_u128)counts[i] * (uint32_t)i;
    }
    return all;
}

// |N * S_k - n_k * S|
static lg_u1024 difference(const lg_class *all, const lg_class *low)
{
    lg_u1024 a = lg_u1024_of(low->sum), b = lg_u1024_of(all->sum);
    a = lg_u1024_scale(&a, all->n);
    b = lg_u1024_scale(&b, low->n);
    return lg_u1024_distance(&a, &b);
}

static double difference_double(const lg_class *all, const lg_class *low)
{
    if (all->n >> 55) {
        const lg_u1024 d = difference(all, low);
        return lg_u1024_double(&d);
    }
    // N^2 * 2^16 < 2^126 here. The lower class lies below: the difference is not positive.
    return (double)(all->sum * low->n - low->sum * all->n);
}

static double score(const lg_class *all, const lg_class *low)
{
    const double d = difference_double(all, low);
    return d * d / ((double)low->n * (double)(all->n - low->n));
}

// Sign of score(a) - score(b), exactly.
static int compare_exact(const lg_class *all, const lg_class *a, const lg_class *b)
{
    const lg_u1024 da = difference(all, a), db = difference(all, b);
    lg_u1024 left = lg_u1024_mul(&da, &da), right = lg_u1024_mul(&db, &db);
    left = lg_u1024_scale(&left, (lg_u128)b->n * (all->n - b->n));
    right = lg_u1024_scale(&right, (lg_u128)a->n * (all->n - a->n));
    return lg_u1024_compare(&left, &right);
}

int32_t lg_otsu_bin(const uint64_t *counts, int32_t bins)
{
    const lg_class all = whole(counts, bins);
    lg_class low = {0, 0}, best = {0, 0};
    double best_score = 0;
    int32_t best_bin = -1;
    for (int32_t k = 0; k < bins; k++) {
        if (counts[k] == 0) // no class, or the classes of a lower k once more
            continue;
        low.n += counts[k];
        low.sum += (lg_u128)counts[k] * (uint32_t)k;
        if (low.n == all.n)
            return best_bin < 0 ? k : best_bin;
        const double now = score(&all, &low);
        if (best_bin >= 0 && now < best_score * (1 - LG_NEAR))
            continue;
        if (best_bin < 0 || now > best_score * (1 + LG_NEAR) ||
            compare_exact(&all, &low, &best) > 0) {
            best = low;
            best_score = now;
            best_bin = k;
        }
    }
    return best_bin;
}

double lg_threshold_separability(const uint64_t *counts, int32_t bins, int32_t k)
{
    const lg_class all = whole(counts, bins);
    lg_class low = {0, 0};
    lg_u128 squares = 0; // below 2^96
    for (int32_t i = 0; i < bins; i++) {
        squares += (lg_u128)counts[i] * ((uint64_t)i * (uint64_t)i);
        if (i <= k) {
            low.n += counts[i];
            low.sum += (lg_u128)counts[i] * (uint32_t)i;
        }
    }
    lg_u1024 raw = lg_u1024_of(squares), mean = lg_u1024_of(all.sum);
    raw = lg_u1024_scale(&raw, all.n);
    mean = lg_u1024_mul(&mean, &mean);
    raw = lg_u1024_distance(&raw, &mean); // N^2 times the total variance
    const double total = lg_u1024_double(&raw);
    if (total == 0)
        return NAN;
    if (low.n == 0 || low.n == all.n)
        return 0;
    return fmin(score(&all, &low) / total, 1);
}

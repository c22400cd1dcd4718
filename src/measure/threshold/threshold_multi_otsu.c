// Multi-Otsu: dynamic programming over the bins that hold samples.
//
// best[j][b] is the largest sum of S^2 / n over the first j + 1 classes when they cover the values
// 0..b, and cut[j][b] the last value of class j - 1 there. Sums are compared in double; those within
// 2^-46 of each other (their relative error is below 2^-48) as exact fractions: numerators of five
// classes are below 2^(160 + 4 * 64 + 3), denominators below 2^320, their cross products below 2^740.
#include "core/u1024.h"
#include "measure/threshold/threshold.h"

#include <math.h>

#define LG_NEAR 0x1p-46

// Time grows with the square of the values: longer tables are merged into groups of equal width.
#define LG_MULTI_VALUES 2048

typedef struct lg_multi {
    int32_t values; // bins with samples
    int32_t classes;
    int32_t *bin; // bin of each value
    uint64_t *n;  // n[i]: samples below value i; values + 1 entries
    lg_u128 *sum; // likewise of (bin - first bin) * count
    double *best; // [class][value]
    int32_t *cut; // [class][value]
} lg_multi;

static uint64_t class_count(const lg_multi *m, int32_t from, int32_t to)
{
    return m->n[to + 1] - m->n[from];
}

static lg_u128 class_sum(const lg_multi *m, int32_t from, int32_t to)
{
    return m->sum[to + 1] - m->sum[from];
}

static double class_score(const lg_multi *m, int32_t from, int32_t to)
{
    const double sum = (double)class_sum(m, from, to);
    return sum * sum / (double)class_count(m, from, to);
}

// ends[0 .. j] of the best classes 0..j over the values 0..b.
static void trace(const lg_multi *m, int32_t j, int32_t b, int32_t *ends)
{
    for (; j >= 0; j--) {
        ends[j] = b;
        if (j > 0)
            b = m->cut[(size_t)j * m->values + b];
    }
}

static void fraction(const lg_multi *m, const int32_t *ends, int32_t j, lg_u1024 *num,
                     lg_u1024 *den)
{
    *num = lg_u1024_of(0);
    *den = lg_u1024_of(1);
    for (int32_t i = 0; i <= j; i++) {
        const int32_t from = i > 0 ? ends[i - 1] + 1 : 0;
        const uint64_t n = class_count(m, from, ends[i]);
        lg_u1024 square = lg_u1024_of(class_sum(m, from, ends[i]));
        square = lg_u1024_mul(&square, &square);
        square = lg_u1024_mul(&square, den);
        *num = lg_u1024_scale(num, n);
        *num = lg_u1024_add(*num, &square);
        *den = lg_u1024_scale(den, n);
    }
}

// Whether cut `a` beats cut `old` for classes 0..j over 0..b, exactly; the lower levels win a tie.
static bool better(const lg_multi *m, int32_t j, int32_t b, int32_t a, int32_t old)
{
    int32_t left[LG_MAX_CLASSES], right[LG_MAX_CLASSES];
    trace(m, j - 1, a, left);
    trace(m, j - 1, old, right);
    left[j] = right[j] = b;
    lg_u1024 an, ad, bn, bd;
    fraction(m, left, j, &an, &ad);
    fraction(m, right, j, &bn, &bd);
    an = lg_u1024_mul(&an, &bd);
    bn = lg_u1024_mul(&bn, &ad);
    const int order = lg_u1024_compare(&an, &bn);
    if (order != 0)
        return order > 0;
    for (int32_t i = 0; i < j; i++)
        if (left[i] != right[i])
            return left[i] < right[i];
    return false;
}

static void fill(lg_multi *m, int32_t j, int32_t b)
{
    const double *before = m->best + (size_t)(j - 1) * m->values;
    double best = -1;
    int32_t cut = -1;
    for (int32_t a = j - 1; a < b; a++) {
        const double now = before[a] + class_score(m, a + 1, b);
        if (now < best * (1 - LG_NEAR))
            continue;
        if (cut < 0 || now > best * (1 + LG_NEAR) || better(m, j, b, a, cut)) {
            best = now;
            cut = a;
        }
    }
    m->best[(size_t)j * m->values + b] = best;
    m->cut[(size_t)j * m->values + b] = cut;
}

static void solve(lg_multi *m, int32_t *ends)
{
    for (int32_t b = 0; b < m->values; b++)
        m->best[b] = class_score(m, 0, b);
    for (int32_t j = 1; j < m->classes; j++)
        for (int32_t b = j == m->classes - 1 ? m->values - 1 : j; b < m->values; b++)
            fill(m, j, b);
    trace(m, m->classes - 1, m->values - 1, ends);
}

static double multi_separability(const lg_multi *m, const int32_t *ends)
{
    const int32_t all = m->values;
    const double mean = (double)m->sum[all] / (double)m->n[all];
    double between = 0, total = 0;
    for (int32_t i = 0; i < m->classes; i++) {
        const int32_t from = i > 0 ? ends[i - 1] + 1 : 0;
        const double n = (double)class_count(m, from, ends[i]);
        const double d = (double)class_sum(m, from, ends[i]) / n - mean;
        between += n * d * d;
    }
    for (int32_t i = 0; i < all; i++) {
        const double d = (double)(m->bin[i] - m->bin[0]) - mean;
        total += (double)class_count(m, i, i) * d * d;
    }
    return fmin(between / total, 1);
}

static void multi_free(lg_multi *m)
{
    lg_free(m->bin);
    lg_free(m->n);
    lg_free(m->sum);
    lg_free(m->best);
    lg_free(m->cut);
}

static bool multi_allocate(lg_multi *m)
{
    const size_t values = (size_t)m->values, cells = values * (size_t)m->classes;
    m->bin = lg_alloc_array(values, sizeof *m->bin);
    m->n = lg_alloc_array(values + 1, sizeof *m->n);
    m->sum = lg_alloc_array(values + 1, sizeof *m->sum);
    m->best = lg_alloc_array(cells, sizeof *m->best);
    m->cut = lg_alloc_array(cells, sizeof *m->cut);
    return m->bin && m->n && m->sum && m->best && m->cut;
}

// Non-empty groups of `group` bins; with m->bin the table too. A group's index is that of its last
// bin that holds samples.
static int32_t gather(lg_multi *m, const uint64_t *counts, int32_t bins, int32_t group)
{
    int32_t values = 0, first = -1, owner = -1;
    for (int32_t i = 0; i < bins; i++) {
        if (counts[i] == 0)
            continue;
        if (i / group != owner) {
            owner = i / group;
            first = first < 0 ? i : first;
            if (m->bin) {
                m->n[values + 1] = m->n[values];
                m->sum[values + 1] = m->sum[values];
            }
            values++;
        }
        if (m->bin) {
            m->bin[values - 1] = i;
            m->n[values] += counts[i];
            m->sum[values] += (lg_u128)counts[i] * (uint32_t)(i - first);
        }
    }
    return values;
}

lg_status lg_multi_otsu_bins(const uint64_t *counts, int32_t bins, int32_t classes, int32_t *bin,
                             double *separability, lg_error *error)
{
    lg_multi m = {.classes = classes};
    int32_t group = 1;
    m.values = gather(&m, counts, bins, group);
    if (m.values > LG_MULTI_VALUES) {
        group = (bins + LG_MULTI_VALUES - 1) / LG_MULTI_VALUES;
        m.values = gather(&m, counts, bins, group);
    }
    if (m.values < classes)
        return lg_fail(error, LG_ERROR_DATA,
                       "multi-otsu with %d classes needs as many different values, but the "
                       "histogram has %d; ask for fewer classes",
                       classes, m.values);
    if (!multi_allocate(&m)) {
        multi_free(&m);
        return lg_fail_memory(error, (size_t)m.values * (size_t)classes * 12, "multi-otsu tables");
    }
    gather(&m, counts, bins, group);
    int32_t ends[LG_MAX_CLASSES];
    solve(&m, ends);
    for (int32_t i = 0; i + 1 < classes; i++)
        bin[i] = m.bin[ends[i]];
    *separability = multi_separability(&m, ends);
    multi_free(&m);
    return LG_OK;
}

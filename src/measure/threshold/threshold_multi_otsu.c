// Multi-Otsu: dynamic programming over the bins that hold samples.
//
// best[b] is the largest sum of S^2 / n over the classes 0..j when they cover the values 0..b, and
// cut[j][b] is the last value of class j - 1 there. With w(a, b) the S^2 / n of the values a..b - 1,
// w(a, c) + w(b, d) >= w(a, d) + w(b, c) for a <= b <= c <= d. So the lowest best cut does not fall
// when b grows: that of a middle b bounds those on both sides, and a row of n values takes about n
// log2(n) sums. For the same reason the lowest of equal cuts has the lowest levels throughout.
//
// Sums are compared in double; those within 2^-46 of each other (their relative error is below 2^-48)
// are compared exactly, as whole numbers and remainders.
#include "core/u1024.h"
#include "measure/threshold/threshold.h"

#include <math.h>

#define LG_NEAR 0x1p-46

typedef struct lg_multi {
    int32_t values; // bins with samples
    int32_t classes;
    int32_t *bin;          // bin of each value
    uint64_t *n;           // n[i]: samples below value i; values + 1 entries
    lg_u128 *sum;          // likewise of (bin - first bin) * count
    double *before, *best; // of the classes 0 .. j - 1 and 0 .. j up to each value
    int32_t *cut;          // [class][value]
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
    const lg_u128 exact = class_sum(m, from, to);
    const double sum =
        exact >> 64 ? (double)exact : (double)(uint64_t)exact; // the latter is faster
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

// A sum of S^2 / n: a whole number and a fraction. Counts sum to less than 2^64, so the product of
// those of 8 classes, the denominator, is at most (2^64 / 8)^8 = 2^488.
typedef struct lg_score {
    lg_u128 whole; // below 2^96, as indices are below 2^16
    lg_u1024 num, den;
} lg_score;

static lg_score exact_score(const lg_multi *m, const int32_t *ends, int32_t classes)
{
    lg_score out = {0, lg_u1024_of(0), lg_u1024_of(1)};
    for (int32_t i = 0; i < classes; i++) {
        const int32_t from = i > 0 ? ends[i - 1] + 1 : 0;
        const uint64_t n = class_count(m, from, ends[i]);
        const lg_u128 sum = class_sum(m, from, ends[i]), q = sum / n, r = sum % n;
        // S = q n + r, so S^2 / n = S q + q r + r^2 / n.
        out.whole += sum * q + q * r + r * r / n;
        const lg_u1024 rest = lg_u1024_scale(&out.den, r * r % n);
        out.num = lg_u1024_scale(&out.num, n);
        out.num = lg_u1024_add(out.num, &rest);
        out.den = lg_u1024_scale(&out.den, n);
    }
    return out;
}

// Whether a > b. Fractions are below the number of classes: wholes further apart decide, and with
// others the products are below 2^980.
static bool greater(const lg_score *a, const lg_score *b)
{
    if (a->whole > b->whole + LG_MAX_CLASSES || b->whole > a->whole + LG_MAX_CLASSES)
        return a->whole > b->whole;
    const lg_u1024 both = lg_u1024_mul(&a->den, &b->den);
    lg_u1024 left = lg_u1024_mul(&a->num, &b->den), right = lg_u1024_mul(&b->num, &a->den);
    const lg_u1024 ahead = lg_u1024_scale(&both, a->whole > b->whole ? a->whole - b->whole : 0);
    const lg_u1024 behind = lg_u1024_scale(&both, b->whole > a->whole ? b->whole - a->whole : 0);
    left = lg_u1024_add(left, &ahead);
    right = lg_u1024_add(right, &behind);
    return lg_u1024_compare(&left, &right) > 0;
}

// Whether cut `a` beats cut `old` for classes 0..j over 0..b, exactly.
static bool better(const lg_multi *m, int32_t j, int32_t b, int32_t a, int32_t old)
{
    int32_t left[LG_MAX_CLASSES], right[LG_MAX_CLASSES];
    trace(m, j - 1, a, left);
    trace(m, j - 1, old, right);
    left[j] = right[j] = b;
    const lg_score x = exact_score(m, left, j + 1), y = exact_score(m, right, j + 1);
    return greater(&x, &y);
}

// The best cut for 0..b among low..high, the lowest of equals.
static int32_t fill(lg_multi *m, int32_t j, int32_t b, int32_t low, int32_t high)
{
    double best = -1;
    int32_t cut = -1;
    for (int32_t a = low; a <= high; a++) {
        const double now = m->before[a] + class_score(m, a + 1, b);
        if (now < best * (1 - LG_NEAR))
            continue;
        if (cut < 0 || now > best * (1 + LG_NEAR) || better(m, j, b, a, cut)) {
            best = now;
            cut = a;
        }
    }
    m->best[b] = best;
    m->cut[(size_t)j * m->values + b] = cut;
    return cut;
}

// The same for all b of first..last, whose cuts lie in low..high.
static void fill_row(lg_multi *m, int32_t j, int32_t first, int32_t last, int32_t low, int32_t high)
{
    while (first <= last) {
        const int32_t b = first + (last - first) / 2;
        const int32_t cut = fill(m, j, b, low, LG_MIN(high, b - 1));
        fill_row(m, j, first, b - 1, low, cut);
        first = b + 1;
        low = cut;
    }
}

static void solve(lg_multi *m, int32_t *ends)
{
    const int32_t last = m->values - 1;
    for (int32_t b = 0; b <= last; b++)
        m->best[b] = class_score(m, 0, b);
    for (int32_t j = 1; j < m->classes; j++) {
        double *swap = m->before;
        m->before = m->best;
        m->best = swap;
        if (j + 1 < m->classes)
            fill_row(m, j, j, last, j - 1, last);
        else
            fill(m, j, last, j - 1, last - 1);
    }
    trace(m, m->classes - 1, last, ends);
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
    lg_free(m->before);
    lg_free(m->best);
    lg_free(m->cut);
}

static bool multi_allocate(lg_multi *m)
{
    const size_t values = (size_t)m->values, cells = values * (size_t)m->classes;
    m->bin = lg_alloc_array(values, sizeof *m->bin);
    m->n = lg_alloc_array(values + 1, sizeof *m->n);
    m->sum = lg_alloc_array(values + 1, sizeof *m->sum);
    m->before = lg_alloc_array(values, sizeof *m->before);
    m->best = lg_alloc_array(values, sizeof *m->best);
    m->cut = lg_alloc_array(cells, sizeof *m->cut);
    return m->bin && m->n && m->sum && m->before && m->best && m->cut;
}

// The bins with samples; with m->bin their table too.
static int32_t gather(lg_multi *m, const uint64_t *counts, int32_t bins)
{
    int32_t values = 0, first = -1;
    for (int32_t i = 0; i < bins; i++) {
        if (counts[i] == 0)
            continue;
        first = first < 0 ? i : first;
        if (m->bin) {
            m->bin[values] = i;
            m->n[values + 1] = m->n[values] + counts[i];
            m->sum[values + 1] = m->sum[values] + (lg_u128)counts[i] * (uint32_t)(i - first);
        }
        values++;
    }
    return values;
}

lg_status lg_multi_otsu_bins(const uint64_t *counts, int32_t bins, int32_t classes, int32_t *bin,
                             double *separability, lg_error *error)
{
    lg_multi m = {.classes = classes};
    m.values = gather(&m, counts, bins);
    if (m.values < classes)
        return lg_fail(error, LG_ERROR_DATA,
                       "multi-otsu with %d classes needs as many different values, but the "
                       "histogram has %d; ask for fewer classes",
                       classes, m.values);
    if (!multi_allocate(&m)) {
        multi_free(&m);
        return lg_fail_memory(error, (size_t)m.values * ((size_t)classes * 4 + 44),
                              "multi-otsu tables");
    }
    gather(&m, counts, bins);
    int32_t ends[LG_MAX_CLASSES];
    solve(&m, ends);
    for (int32_t i = 0; i + 1 < classes; i++)
        bin[i] = m.bin[ends[i]];
    *separability = multi_separability(&m, ends);
    multi_free(&m);
    return LG_OK;
}

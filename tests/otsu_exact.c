// Otsu and multi-Otsu against exhaustive search in exact integers.
#include "check.h"
#include "exact.h"

#include "measure/threshold/threshold.h"

#include <math.h>
#include <stdlib.h>

typedef unsigned __int128 u128;

// ---- Otsu -------------------------------------------------------------------------------------------

// Class sums from scratch for every k; all products fit 128 bits while N < 2^14 and bins <= 256.
static int small_otsu(const uint64_t *counts, int bins)
{
    uint64_t all = 0, all_sum = 0;
    for (int i = 0; i < bins; i++) {
        all += counts[i];
        all_sum += counts[i] * (uint64_t)i;
    }
    int best = -1;
    u128 best_num = 0, best_den = 1;
    for (int k = 0; k < bins; k++) {
        int64_t n = 0, sum = 0;
        for (int i = 0; i <= k; i++) {
            n += (int64_t)counts[i];
            sum += (int64_t)counts[i] * i;
        }
        if (n == 0 || n == (int64_t)all)
            continue;
        const __int128 d = (__int128)all * (u128)sum - (__int128)n * (__int128)all_sum;
        const u128 num = (u128)(d * d), den = (u128)n * (u128)((int64_t)all - n);
        if (best < 0 || num * best_den > best_num * den) {
            best = k;
            best_num = num;
            best_den = den;
        }
    }
    for (int i = 0; best < 0 && i < bins; i++)
        if (counts[i])
            best = i;
    return best;
}

static exact times(exact a, uint64_t b)
{
    return exact_mul(a, exact_u64(b));
}

// The same for any counts, given that k is the claimed level: no other k may be better, and no lower
// one as good.
static bool is_otsu(const uint64_t *counts, int bins, int claimed)
{
    exact all_sum = exact_u64(0), sum = exact_u64(0), num = sum, den = sum;
    uint64_t all = 0;
    for (int i = 0; i < bins; i++) {
        all += counts[i];
        all_sum = exact_add(all_sum, times(exact_u64(counts[i]), (uint64_t)i));
    }
    for (int pass = 0; pass < 2; pass++) {
        uint64_t n = 0;
        sum = exact_u64(0);
        for (int k = 0; k < bins; k++) {
            n += counts[k];
            sum = exact_add(sum, times(exact_u64(counts[k]), (uint64_t)k));
            if ((counts[k] == 0 && k > claimed) || (pass == 0 && k != claimed))
                continue;
            if (n == 0 || n == all)
                continue;
            const exact d = exact_sub(times(sum, all), times(all_sum, n));
            const exact top = exact_mul(d, d), bottom = times(exact_u64(n), all - n);
            if (pass == 0) {
                num = top;
                den = bottom;
                continue;
            }
            const exact gap = exact_sub(exact_mul(top, den), exact_mul(num, bottom));
            const int sign = exact_sign(&gap);
            if (sign > 0 || (sign == 0 && k < claimed))
                return false;
        }
    }
    return exact_sign(&den) != 0;
}

static void random_counts(uint64_t *counts, int bins, int kind)
{
    for (int i = 0; i < bins; i++) {
        counts[i] = 0;
        switch (kind) {
        case 0: // few samples: ties and empty bins
            counts[i] = random_below(3) == 0 ? random_below(3) : 0;
            break;
        case 1:
            counts[i] = random_below(64);
            break;
        case 2: // mirror image: exact ties of k and its mirror
            counts[i] = i < bins / 2 ? random_below(20) : counts[bins - 1 - i];
            break;
        case 3: // a few spikes
            counts[i] =
                random_below(bins > 1 ? (uint32_t)bins / 2 + 1 : 1) == 0 ? random_below(60) : 0;
            break;
        default: // a bump, empty ends
            counts[i] = i > bins / 4 && i < bins / 2 ? random_below(50) : 0;
        }
    }
}

static void test_small(void)
{
    uint64_t counts[256];
    static const int sizes[] = {1, 2, 3, 4, 5, 7, 8, 13, 16, 29, 32};
    for (int run = 0; run < (test_is_short() ? 10000 : 100000); run++) {
        const bool large = run % 500 == 0;
        const int bins = large ? 256 : sizes[random_below((uint32_t)LG_COUNT(sizes))];
        random_counts(counts, bins, run % 5);
        const int want = small_otsu(counts, bins);
        const int got = lg_otsu_bin(counts, bins);
        CHECK(got == want, "run %d, %d bins: level %d, exact %d", run, bins, got, want);
    }
}

static void test_huge(void)
{
    uint64_t counts[64];
    for (int run = 0; run < 400; run++) {
        const int bins = 2 + (int)random_below(30), shift = (int)random_below(57);
        for (int i = 0; i < bins; i++)
            counts[i] = random_below(4) ? random_u64() >> 8 >> shift : 0;
        counts[0] |= 1;
        counts[bins - 1] |= 1;
        if (run % 3 == 0) // exact ties at every size
            for (int i = 0; i < bins / 2; i++)
                counts[bins - 1 - i] = counts[i];
        CHECK(is_otsu(counts, bins, lg_otsu_bin(counts, bins)), "run %d, %d bins, shift %d", run,
              bins, shift);
    }
}

// Scores that differ by less than a double can tell.
static void test_near_ties(void)
{
    for (int run = 0; run < 200; run++) {
        const uint64_t big = (uint64_t)1 << 55, off = random_below(5);
        uint64_t counts[3] = {big + off, random_below(7) + 1, big + 2 - (uint64_t)(run % 5)};
        const int got = lg_otsu_bin(counts, 3);
        CHECK(is_otsu(counts, 3, got), "near tie %d: level %d", run, got);
    }
}

static void test_long(void)
{
    uint64_t *counts = calloc(65536, sizeof *counts);
    for (int run = 0; run < 8 && counts; run++) {
        for (int i = 0; i < 65536; i++)
            counts[i] = run < 4 && random_below(1u << (2 * run + 3)) ? 0 : random_u64() >> 20;
        const int got = lg_otsu_bin(counts, 65536);
        // Every k in long double sums, with room for their rounding; exact between the best ones.
        long double all = 0, sum = 0, n = 0, low = 0, best = -1, at = -1;
        for (int i = 0; i < 65536; i++) {
            all += counts[i];
            sum += (long double)counts[i] * i;
        }
        for (int k = 0; k < 65535; k++) {
            n += counts[k];
            low += (long double)counts[k] * k;
            if (n == 0 || n == all)
                continue;
            const long double d = low / n - (sum - low) / (all - n);
            const long double score = n * (all - n) * d * d;
            best = score > best ? score : best;
            at = k == got ? score : at;
        }
        if (run < 2 || run == 7)
            CHECK(is_otsu(counts, 65536, got), "65536 bins, run %d: level %d", run, got);
        CHECK(at >= best * (1 - 1e-15L), "65536 bins, run %d: score %Lg of %Lg", run, at, best);
    }
    free(counts);
}

static void test_edges(void)
{
    const uint64_t none[4] = {0}, one[4] = {0, 0, 9, 0}, two[4] = {0, 5, 0, 1};
    CHECK(lg_otsu_bin(none, 4) == -1, "no samples");
    CHECK(lg_otsu_bin(one, 4) == 2, "one value is its own level");
    CHECK(isnan(lg_threshold_separability(one, 4, 2)), "one value has no variance");
    CHECK(lg_otsu_bin(two, 4) == 1, "the lowest of the equal levels between two values");
    CHECK(lg_threshold_separability(two, 4, 1) == 1, "two values are fully separated");
    CHECK(lg_threshold_separability(two, 4, 0) == 0, "an empty class separates nothing");
    const uint64_t flat[3] = {7, 7, 7};
    CHECK(lg_otsu_bin(flat, 3) == 0, "the lower of two equal levels");
    CHECK(fabs(lg_threshold_separability(flat, 3, 0) - 0.75) < 1e-15, "variance 1/2 of 2/3");
}

// ---- multi-Otsu -------------------------------------------------------------------------------------

typedef struct brute {
    const uint64_t *counts;
    int bins, classes;
    int level[LG_MAX_CLASSES], best[LG_MAX_CLASSES];
    bool any;
    u128 num, den;
} brute;

// Sum of S^2 / n as one fraction; false with an empty class. Fits while N <= 960 and bins <= 12: the
// product of 8 counts is at most 120^8 < 2^56, the sum below 960 * 11^2 < 2^17.
static bool fraction(const brute *b, u128 *num, u128 *den)
{
    *num = 0;
    *den = 1;
    for (int c = 0; c < b->classes && c < LG_MAX_CLASSES; c++) {
        const int from = c > 0 ? b->level[c - 1] + 1 : 0;
        const int to = c + 1 < b->classes ? b->level[c] : b->bins - 1;
        u128 n = 0, sum = 0;
        for (int i = from; i <= to; i++) {
            n += b->counts[i];
            sum += b->counts[i] * (uint64_t)i;
        }
        if (n == 0)
            return false;
        *num = *num * n + sum * sum * *den;
        *den *= n;
    }
    return true;
}

// All levels in lexicographic order: the first best stays.
static void enumerate(brute *b, int c, int from)
{
    u128 num, den;
    if (c == b->classes - 1 || c == LG_MAX_CLASSES - 1) {
        if (fraction(b, &num, &den) && (!b->any || num * b->den > b->num * den)) {
            b->any = true;
            b->num = num;
            b->den = den;
            for (int i = 0; i < c; i++)
                b->best[i] = b->level[i];
        }
        return;
    }
    for (int k = from; k < b->bins - 1; k++) {
        b->level[c] = k;
        enumerate(b, c + 1, k + 1);
    }
}

static void test_multi(void)
{
    for (int run = 0; run < 6000; run++) {
        uint64_t counts[12];
        const int bins = 2 + (int)random_below(11), classes = 2 + (int)random_below(7);
        const uint32_t limit = run % 3 == 0 ? 2 : run % 3 == 1 ? 4 : 80;
        for (int i = 0; i < bins; i++)
            counts[i] = random_below(4) ? random_below(limit) : 0;
        brute b = {.counts = counts, .bins = bins, .classes = classes};
        enumerate(&b, 0, 0);
        int32_t got[LG_MAX_CLASSES] = {-7, -7, -7, -7};
        double separability = -1;
        lg_error error = {LG_OK, ""};
        const lg_status status =
            lg_multi_otsu_bins(counts, bins, classes, got, &separability, &error);
        CHECK((status == LG_OK) == b.any, "run %d: %d classes of %d bins: %s", run, classes, bins,
              error.message);
        if (!b.any) {
            CHECK(status == LG_ERROR_DATA && error.message[0], "too few values is a data error");
            continue;
        }
        for (int i = 0; i + 1 < classes; i++)
            CHECK(got[i] == b.best[i], "run %d, %d classes, level %d: %d, exact %d", run, classes,
                  i, got[i], b.best[i]);
        CHECK(separability >= 0 && separability <= 1, "separability %g", separability);
        if (classes == 2) {
            CHECK(got[0] == lg_otsu_bin(counts, bins), "two classes are Otsu's");
            const double same = lg_threshold_separability(counts, bins, got[0]);
            CHECK(fabs(same - separability) < 1e-12, "separability %.17g, Otsu's %.17g",
                  separability, same);
        }
    }
}

// Equal spikes at equal distances: many ways tie, at every size of the counts.
static void test_multi_ties(void)
{
    for (int shift = 0; shift < 60; shift += 3) {
        uint64_t counts[256] = {0};
        for (int i = 0; i < 6; i++)
            counts[40 * i + 5] = (uint64_t)1 << shift;
        int32_t got[LG_MAX_CLASSES];
        double separability;
        const lg_status status = lg_multi_otsu_bins(counts, 256, 4, got, &separability, NULL);
        CHECK(status == LG_OK && got[0] == 5 && got[1] == 45 && got[2] == 125,
              "shift %d: levels %d %d %d", shift, got[0], got[1], got[2]);
    }
}

// ends[] of the best classes of values with these bins and counts: every cut, in long double.
static long double slow_multi(const int *bin, const uint64_t *count, int values, int classes)
{
    long double *n = calloc((size_t)values + 1, sizeof *n),
                *s = calloc((size_t)values + 1, sizeof *s);
    long double *best = calloc((size_t)values + 1, sizeof *best);
    for (int i = 0; i < values; i++) {
        n[i + 1] = n[i] + count[i];
        s[i + 1] = s[i] + (long double)count[i] * (bin[i] - bin[0]);
        best[i + 1] = s[i + 1] * s[i + 1] / n[i + 1];
    }
    for (int j = 1; j < classes; j++)
        for (int b = values; b > j; b--) { // smaller ones still have a class less
            best[b] = 0;
            for (int a = j; a < b; a++) {
                const long double sum = s[b] - s[a], now = best[a] + sum * sum / (n[b] - n[a]);
                best[b] = now > best[b] ? now : best[b];
            }
        }
    const long double out = best[values];
    free(n);
    free(s);
    free(best);
    return out;
}

// Thousands of values among 65536 bins: no sum of another cut is larger.
static void test_multi_many(void)
{
    static uint64_t counts[65536], count[65536];
    static int bin[65536];
    for (int run = 0; run < (test_is_short() ? 3 : 14); run++) {
        const int classes = 2 + run % 7, sparse = run < 7 ? 40 : 26;
        int values = 0;
        for (int i = 0; i < 65536; i++) {
            counts[i] = random_below((uint32_t)sparse) ? 0 : random_u64() >> (run % 2 ? 24 : 50);
            if (counts[i] == 0)
                continue;
            bin[values] = i;
            count[values++] = counts[i];
        }
        int32_t got[LG_MAX_CLASSES];
        double separability;
        const lg_status status =
            lg_multi_otsu_bins(counts, 65536, classes, got, &separability, NULL);
        long double sum = 0;
        for (int c = 0, i = 0; c < classes; c++) {
            long double n = 0, s = 0;
            for (; i < values && (c + 1 == classes || bin[i] <= got[c]); i++) {
                n += count[i];
                s += (long double)count[i] * (bin[i] - bin[0]);
            }
            sum += s * s / n;
        }
        const long double best = slow_multi(bin, count, values, classes);
        CHECK(status == LG_OK && sum >= best * (1 - 1e-16L), "%d classes of %d values: %Lg of %Lg",
              classes, values, sum, best);
    }
}

static void test_multi_long(void)
{
    uint64_t *counts = calloc(65536, sizeof *counts);
    for (int i = 0; i < 65536; i++)
        counts[i] = (i / 9000) % 2 ? random_below(50) : 0; // humps 1, 3, 5, 7 of 9000 bins
    int32_t got[LG_MAX_CLASSES];
    double separability;
    const lg_status status = lg_multi_otsu_bins(counts, 65536, 4, got, &separability, NULL);
    CHECK(status == LG_OK, "status %d", (int)status);
    CHECK(abs(got[0] - 17999) < 4 && abs(got[1] - 35999) < 4 && abs(got[2] - 53999) < 4,
          "levels %d %d %d lie at the ends of the humps", got[0], got[1], got[2]);
    free(counts);
}

int main(void)
{
    random_seed(20260921);
    test_edges();
    test_small();
    test_huge();
    test_near_ties();
    test_long();
    test_multi();
    test_multi_ties();
    test_multi_many();
    test_multi_long();
    return check_finish("otsu_exact");
}

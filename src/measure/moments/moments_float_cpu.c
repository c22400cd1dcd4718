// Float samples added up exactly, in vectors of doubles: moments_kernels.h has the idea.
#include "cpu/halves.h"
#include "measure/moments/moments_kernels.h"

#define INLINE static inline __attribute__((always_inline))

#if defined(__AVX512F__)
#include <immintrin.h>
#define LANES             16
#define vd_fma(a, b, c)   ((vd)_mm512_fmadd_pd((__m512d)(a), (__m512d)(b), (__m512d)(c)))
#define vd_minus(a, b, c) ((vd)_mm512_fmsub_pd((__m512d)(a), (__m512d)(b), (__m512d)(c)))
#define vf_min(a, b)      ((vf)_mm512_min_ps((__m512)(a), (__m512)(b)))
#define vf_max(a, b)      ((vf)_mm512_max_ps((__m512)(a), (__m512)(b)))
#define vi_min(a, b)      ((vi)_mm512_min_epi32((__m512i)(a), (__m512i)(b)))
#define load_doubles(p)   ((vd)_mm512_cvtps_pd(_mm256_loadu_ps(p)))
#elif defined(__AVX2__)
#include <immintrin.h>
#define LANES             8
#define vd_fma(a, b, c)   ((vd)_mm256_fmadd_pd((__m256d)(a), (__m256d)(b), (__m256d)(c)))
#define vd_minus(a, b, c) ((vd)_mm256_fmsub_pd((__m256d)(a), (__m256d)(b), (__m256d)(c)))
#define vf_min(a, b)      ((vf)_mm256_min_ps((__m256)(a), (__m256)(b)))
#define vf_max(a, b)      ((vf)_mm256_max_ps((__m256)(a), (__m256)(b)))
#define vi_min(a, b)      ((vi)_mm256_min_epi32((__m256i)(a), (__m256i)(b)))
#define load_doubles(p)   ((vd)_mm256_cvtps_pd(_mm_loadu_ps(p)))
#elif defined(__SSE2__)
#include <emmintrin.h>
#if defined(__SSE4_1__)
#include <smmintrin.h>
#define vi_min(a, b) ((vi)_mm_min_epi32((__m128i)(a), (__m128i)(b)))
#endif
#define LANES        4
#define vf_min(a, b) ((vf)_mm_min_ps((__m128)(a), (__m128)(b)))
#define vf_max(a, b) ((vf)_mm_max_ps((__m128)(a), (__m128)(b)))
#define load_doubles(p)                                                                            \
    ((vd)_mm_cvtps_pd((__m128)_mm_loadl_epi64((const __m128i *)(const void *)(p))))
#else
#define LANES 4
#endif

typedef float vf __attribute__((vector_size(4 * LANES)));
typedef int32_t vi __attribute__((vector_size(4 * LANES)));
typedef double vd __attribute__((vector_size(4 * LANES))); // half the lanes
typedef int64_t vl __attribute__((vector_size(4 * LANES)));

// Squares of floats are exact in double, so that it does not matter whether products are rounded.
#ifndef vd_fma
#define vd_fma(a, b, c)   ((a) * (b) + (c))
#define vd_minus(a, b, c) ((a) * (b) - (c))
#endif

#if !defined(vi_min) || !defined(vf_min)
INLINE vi choose(vi yes, vi a, vi b)
{
    return (yes & a) | (~yes & b);
}
#endif

#ifndef vi_min
#define vi_min(a, b) choose((a) < (b), a, b)
#endif

#ifndef vf_min
#define vf_min(a, b) ((vf)choose((a) < (b), (vi)(a), (vi)(b)))
#define vf_max(a, b) ((vf)choose((a) > (b), (vi)(a), (vi)(b)))
#endif

#ifndef load_doubles
INLINE vd load_doubles(const float *p)
{
    vd v;
    for (int i = 0; i < LANES / 2; i++)
        v[i] = (double)p[i];
    return v;
}
#endif

INLINE vf load(const float *p) // any alignment
{
    vf v;
    memcpy(&v, p, sizeof v);
    return v;
}

typedef struct sums {
    vd sum, upper, lower;
} sums;

INLINE void add(sums *s, const float *p)
{
    const vd x = load_doubles(p), upper = vd_fma(x, x, s->upper);
    s->sum = s->sum + x;
    s->lower = s->lower + vd_minus(x, x, upper - s->upper);
    s->upper = upper;
}

INLINE sums sums_at(const lg_fold_lanes *l, int half)
{
    sums s;
    memcpy(&s.sum, l->sum_start + half * (LANES / 2), sizeof s.sum);
    memcpy(&s.upper, l->upper_start + half * (LANES / 2), sizeof s.upper);
    memcpy(&s.lower, l->lower_start + half * (LANES / 2), sizeof s.lower);
    return s;
}

// to += the units that `sum` has more than `start`.
INLINE void count_units(int64_t *to, vd sum, const double *start)
{
    vl begin, all;
    memcpy(&begin, start, sizeof begin);
    memcpy(&all, to, sizeof all);
    all += (vl)sum - begin;
    memcpy(to, &all, sizeof all);
}

INLINE void put(lg_fold_lanes *l, int half, sums s)
{
    const int at = half * (LANES / 2);
    count_units(l->sum + at, s.sum, l->sum_start + at);
    count_units(l->upper + at, s.upper, l->upper_start + at);
    count_units(l->lower + at, s.lower, l->lower_start + at);
}

INLINE vi lanes_at(const void *p)
{
    vi v;
    memcpy(&v, p, sizeof v);
    return v;
}

INLINE bool any_lane(vi v)
{
    uint64_t words[LANES / 2], all = 0;
    memcpy(words, &v, sizeof words);
    for (int i = 0; i < LANES / 2; i++)
        all |= words[i];
    return all != 0;
}

INLINE bool any_nan(vd v)
{
    return any_lane((vi)(v != v));
}

// Unsigned numbers as signed ones of the same order.
INLINE vi unsigned_order(vi v)
{
    return v ^ ((vi){0} + INT32_MIN);
}

// Lanes that met a sample outside of their windows. `nearest`, with `signs`, is the least
// of the magnitudes' bits less 1, so that 0 is the largest; the bits of positive floats are in their order.
INLINE vi outside(const lg_fold_lanes *l, vf min, vf max, vi nearest, const bool signs)
{
    const vi magnitude = (vi){0} + (int32_t)LG_BITS_ABS, below = lanes_at(l->below);
    const vi far = (((vi)min & magnitude) >= below) | (((vi)max & magnitude) >= below);
    const vi least = lanes_at(l->least);
    const vi near = signs ? nearest < unsigned_order(least - 1) : (vi)min < least;
    return (far | near) & lanes_at(l->counts);
}

// Bytes. Processors fetch one stream ahead by themselves, but not far enough to keep the memory busy.
#define AHEAD 4096

INLINE bool fold_lanes(const float *p, size_t steps, const bool signs, lg_fold_lanes *l)
{
    const vi magnitude = (vi){0} + (int32_t)LG_BITS_ABS;
    const float infinity = lg_from_bits(LG_BITS_INF);
    vf min = (vf){0} + infinity, max = (vf){0} - infinity;
    vi nearest = (vi){0} + (int32_t)0x7fffffff;
    sums a = sums_at(l, 0), b = sums_at(l, 1);
    for (size_t i = 0; i < steps; i++, p += LANES) {
        const vf x = load(p);
        __builtin_prefetch((const char *)p + AHEAD);
        min = vf_min(x, min);
        max = vf_max(x, max);
        if (signs)
            nearest = vi_min(unsigned_order(((vi)x & magnitude) - 1), nearest);
        add(&a, p);
        add(&b, p + LANES / 2);
    }
    if (any_lane(outside(l, min, max, nearest, signs)) || any_nan(a.sum) || any_nan(b.sum))
        return false;
    put(l, 0, a);
    put(l, 1, b);
    min = vf_min(min, load(l->min));
    max = vf_max(max, load(l->max));
    memcpy(l->min, &min, sizeof min);
    memcpy(l->max, &max, sizeof max);
    return true;
}

static bool fold(const float *samples, size_t steps, bool signs, lg_fold_lanes *lanes)
{
    return signs ? fold_lanes(samples, steps, true, lanes)
                 : fold_lanes(samples, steps, false, lanes);
}

static void largest(const float *samples, size_t count, size_t channels, uint32_t *bits)
{
    int32_t most[LG_FOLD_LANES] = {0};
    for (size_t i = 0; i < count; i += LG_FOLD_LANES) {
        const size_t end = LG_MIN(count - i, (size_t)LG_FOLD_LANES);
        for (size_t k = 0; k < end; k++) {
            int32_t m;
            memcpy(&m, samples + i + k, sizeof m);
            m &= (int32_t)LG_BITS_ABS;
            m = m < (int32_t)LG_BITS_INF ? m : 0;
            most[k] = m > most[k] ? m : most[k];
        }
    }
    memset(bits, 0, channels * sizeof *bits);
    for (size_t k = 0; k < LG_FOLD_LANES; k++)
        bits[k % channels] = LG_MAX(bits[k % channels], (uint32_t)most[k]);
}

const lg_moments_float_table LG_CPU_TABLE(moments_float) = {
    .lanes = LANES, .fold = fold, .largest = largest, .halves = lg_halves_to_floats};

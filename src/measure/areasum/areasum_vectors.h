// Vectors of 32 bytes for each instruction set: stores that bypass the caches, survey of floats,
// floats as integers.
#ifndef LG_AREASUM_VECTORS_H
#define LG_AREASUM_VECTORS_H

#include "core/core.h"

#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

typedef uint8_t lg_bytes16 __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint16_t lg_u16x16 __attribute__((vector_size(32)));
typedef uint32_t lg_u32x8 __attribute__((vector_size(32), aligned(1), may_alias));
typedef int32_t lg_i32x8 __attribute__((vector_size(32), aligned(1), may_alias));
typedef uint64_t lg_u64x4 __attribute__((vector_size(32), aligned(1), may_alias));
typedef float lg_f32x4 __attribute__((vector_size(16), aligned(1), may_alias));
typedef double lg_f64x4 __attribute__((vector_size(32)));
typedef float lg_f32x8 __attribute__((vector_size(32), aligned(1), may_alias));

#define LG_STREAM_ALIGN 64

// `to` is a multiple of 32 if `stream`. Vectors are passed by address: some levels cannot pass them
// by value.
static inline void lg_put32(void *to, const lg_u32x8 *v, bool stream)
{
#if defined(__AVX__)
    if (stream) {
        _mm256_stream_si256((__m256i *)to, (__m256i)*v);
        return;
    }
#elif defined(__SSE2__)
    if (stream) {
        _mm_stream_si128((__m128i *)to, _mm_loadu_si128((const __m128i *)(const void *)v));
        _mm_stream_si128((__m128i *)to + 1, _mm_loadu_si128((const __m128i *)(const void *)v + 1));
        return;
    }
#endif
    *(lg_u32x8 *)to = *v;
}

// A job calls this after its last such store.
static inline void lg_put_end(void)
{
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

static inline void lg_widen_u16(const lg_u16x16 *v, lg_u32x8 out[2])
{
#ifdef __AVX2__
    out[0] = (lg_u32x8)_mm256_cvtepu16_epi32(_mm256_castsi256_si128((__m256i)*v));
    out[1] = (lg_u32x8)_mm256_cvtepu16_epi32(_mm256_extracti128_si256((__m256i)*v, 1));
#else
    for (int i = 0; i < 16; i++)
        out[i / 8][i % 8] = (*v)[i];
#endif
}

// ---- floats -------------------------------------------------------------------------------------

#define LG_INFINITE 0x7f800000

typedef struct lg_seen {
    lg_i32x8 max,
        finite; // per lane: bits of the largest magnitude; minus the count of finite samples
} lg_seen;

// Surveys samples; those that are not finite become 0.
static inline void lg_look(lg_f32x8 *x, lg_seen *seen)
{
    const lg_i32x8 bits = (lg_i32x8)*x, counts = (bits & INT32_MAX) < LG_INFINITE;
    const lg_i32x8 kept = bits & counts, magnitude = kept & INT32_MAX;
#ifdef __AVX2__
    seen->max = (lg_i32x8)_mm256_max_epi32((__m256i)seen->max, (__m256i)magnitude);
#else
    const lg_i32x8 more = magnitude > seen->max;
    seen->max = (magnitude & more) | (seen->max & ~more);
#endif
    seen->finite += counts;
    *x = (lg_f32x8)kept;
}

static inline void lg_add_seen(const lg_seen *seen, uint64_t count, uint32_t *max,
                               uint64_t *ignored)
{
    for (int k = 0; k < 8; k++) {
        *max = LG_MAX(*max, (uint32_t)seen->max[k]);
        count -= (uint64_t) - (int64_t)seen->finite[k];
    }
    *ignored += count;
}

static inline void lg_widen(const lg_f32x8 *x, lg_f64x4 out[2])
{
#ifdef __AVX2__
    out[0] = (lg_f64x4)_mm256_cvtps_pd(_mm256_castps256_ps128((__m256)*x));
    out[1] = (lg_f64x4)_mm256_cvtps_pd(_mm256_extractf128_ps((__m256)*x, 1));
#else
    const lg_f32x4 low = __builtin_shufflevector(*x, *x, 0, 1, 2, 3),
                   high = __builtin_shufflevector(*x, *x, 4, 5, 6, 7);
    out[0] = __builtin_convertvector(low, lg_f64x4);
    out[1] = __builtin_convertvector(high, lg_f64x4);
#endif
}

// What is not finite becomes 0.
static inline void lg_only_finite(lg_f32x8 *x)
{
    const lg_i32x8 bits = (lg_i32x8)*x;
    *x = (lg_f32x8)(bits & ((bits & INT32_MAX) < LG_INFINITE));
}

// Surveys magnitudes only, finite or not.
static inline void lg_look_at_finite(const lg_f32x8 *x, lg_i32x8 *max)
{
    const lg_i32x8 magnitude = (lg_i32x8)*x & INT32_MAX;
#ifdef __AVX2__
    *max = (lg_i32x8)_mm256_max_epi32((__m256i)*max, (__m256i)magnitude);
#else
    const lg_i32x8 more = magnitude > *max;
    *max = (magnitude & more) | (*max & ~more);
#endif
}

static inline uint32_t lg_most_of(const lg_i32x8 *max)
{
    uint32_t all = 0;
    for (int k = 0; k < 8; k++)
        all = LG_MAX(all, (uint32_t)(*max)[k]);
    return all;
}

// Eight samples in units, each plus the bits of LG_MAGIC. The product is exact, so a fused
// multiplication gives the same.
#define LG_MAGIC 0x1.8p52
static inline void lg_near_units(const lg_f32x8 *x, double scale, lg_u64x4 out[2])
{
    lg_f64x4 wide[2];
    lg_widen(x, wide);
    for (int k = 0; k < 2; k++) {
#ifdef __FMA__
        out[k] = (lg_u64x4)_mm256_fmadd_pd((__m256d)wide[k], _mm256_set1_pd(scale),
                                           _mm256_set1_pd(LG_MAGIC));
#else
        out[k] = (lg_u64x4)(wide[k] * scale + LG_MAGIC);
#endif
    }
}

static inline uint64_t lg_magic_bits(void)
{
    const double magic = LG_MAGIC;
    uint64_t bits;
    memcpy(&bits, &magic, sizeof bits);
    return bits;
}

// Below 2^51, the last bit of the sum with LG_MAGIC is worth 1.
static inline void lg_units(const lg_f32x8 *x, double scale, lg_u64x4 out[2])
{
    lg_near_units(x, scale, out);
    out[0] -= lg_magic_bits();
    out[1] -= lg_magic_bits();
}

// Adds eight samples in units to two vectors.
static inline void lg_add_in_units(const lg_f32x8 *from, double scale, lg_u64x4 sums[2])
{
    lg_f32x8 x = *from;
    lg_u64x4 v[2];
    lg_only_finite(&x);
    lg_units(&x, scale, v);
    sums[0] += v[0];
    sums[1] += v[1];
}

#endif

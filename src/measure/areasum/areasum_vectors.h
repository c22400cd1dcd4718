// Vectors of 32 bytes in the files of each instruction set: stores that go past the caches, looks at floats,
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

// To a multiple of 32 if `stream`. Vectors are handed over by address: some levels cannot pass them.
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

// After the last such store of a job.
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

// ---- floats -----------------------------------------------------------------------------------------

#define LG_INFINITE 0x7f800000

typedef struct lg_seen {
    lg_i32x8 most, finite; // of each lane: bits of a magnitude; minus how many
} lg_seen;

// What is not finite becomes 0.
static inline void lg_look(lg_f32x8 *x, lg_seen *seen)
{
    const lg_i32x8 bits = (lg_i32x8)*x, counts = (bits & INT32_MAX) < LG_INFINITE;
    const lg_i32x8 kept = bits & counts, magnitude = kept & INT32_MAX;
#ifdef __AVX2__
    seen->most = (lg_i32x8)_mm256_max_epi32((__m256i)seen->most, (__m256i)magnitude);
#else
    const lg_i32x8 more = magnitude > seen->most;
    seen->most = (magnitude & more) | (seen->most & ~more);
#endif
    seen->finite += counts;
    *x = (lg_f32x8)kept;
}

static inline void lg_add_seen(const lg_seen *seen, uint64_t count, uint32_t *most,
                               uint64_t *ignored)
{
    for (int k = 0; k < 8; k++) {
        *most = LG_MAX(*most, (uint32_t)seen->most[k]);
        count -= (uint64_t) - (int64_t)seen->finite[k];
    }
    *ignored += count;
}

// Four samples in units. Below 2^51 the sum with 1.5 * 2^52 is a double whose last bit is worth 1.
static inline void lg_in_units(const lg_f64x4 *x, lg_u64x4 *out)
{
    const lg_f64x4 magic = {0x1.8p52, 0x1.8p52, 0x1.8p52, 0x1.8p52};
    *out = (lg_u64x4)(*x + magic) - (lg_u64x4)magic;
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

#endif

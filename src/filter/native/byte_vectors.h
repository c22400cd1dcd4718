// The widest vectors of a CPU level, for kernels of bytes; without BYTES there are none. Included by the
// kernels of each CPU level.
#ifndef LG_BYTE_VECTORS_H
#define LG_BYTE_VECTORS_H

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include <stddef.h>
#include <stdint.h>

#define INLINE static inline __attribute__((always_inline))

#if defined(__AVX512BW__)
#define BYTES 64
typedef __m512i vector;
#define OP(name) _mm512_##name

INLINE vector load(const void *p)
{
    return _mm512_loadu_si512(p);
}

INLINE void store(void *p, vector v)
{
    _mm512_storeu_si512(p, v);
}

// Two vectors of 16-bit integers as one of bytes, in their order.
INLINE vector to_bytes(vector first, vector second)
{
    const vector order = _mm512_set_epi64(7, 5, 3, 1, 6, 4, 2, 0);
    return _mm512_permutexvar_epi64(order, _mm512_packus_epi16(first, second));
}

#elif defined(__AVX2__)
#define BYTES    32
typedef __m256i vector;
#define OP(name) _mm256_##name

INLINE vector load(const void *p)
{
    return _mm256_loadu_si256(p);
}

INLINE void store(void *p, vector v)
{
    _mm256_storeu_si256(p, v);
}

// Two vectors of 16-bit integers as one of bytes, in their order.
INLINE vector to_bytes(vector first, vector second)
{
    return _mm256_permute4x64_epi64(_mm256_packus_epi16(first, second), 0xd8);
}

#elif defined(__SSE2__)
#define BYTES    16
typedef __m128i vector;
#define OP(name) _mm_##name

INLINE vector load(const void *p)
{
    return _mm_loadu_si128(p);
}

INLINE void store(void *p, vector v)
{
    _mm_storeu_si128(p, v);
}

// Two vectors of 16-bit integers as one of bytes, in their order.
INLINE vector to_bytes(vector first, vector second)
{
    return _mm_packus_epi16(first, second);
}

#endif

#ifdef BYTES
// The bits of `set` in every four bytes.
INLINE vector or_set(vector v, uint32_t set)
{
#if BYTES == 64
    return _mm512_or_si512(v, _mm512_set1_epi32((int)set));
#elif BYTES == 32
    return _mm256_or_si256(v, _mm256_set1_epi32((int)set));
#else
    return _mm_or_si128(v, _mm_set1_epi32((int)set));
#endif
}

// Past the caches; `p` is aligned to a vector.
INLINE void store_past(void *p, vector v)
{
#if BYTES == 64
    _mm512_stream_si512(p, v);
#elif BYTES == 32
    _mm256_stream_si256(p, v);
#else
    _mm_stream_si128(p, v);
#endif
}
#endif

// Byte i of `set`, whose four bytes repeat.
INLINE uint8_t set_at(uint32_t set, size_t i)
{
    return (uint8_t)(set >> (8 * (i & 3)));
}

#endif

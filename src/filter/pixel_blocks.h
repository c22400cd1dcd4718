// Blocks of byte pixels as red, green and blue in floats and back, with the bits of loading to planes and
// storing. Compilers keep the floats of a block in registers, so that a loop of a cheap filter needs no
// planes. Alpha stays in the words.
#ifndef LG_PIXEL_BLOCKS_H
#define LG_PIXEL_BLOCKS_H

#include "kernel/pixel_rule.h"

#if defined(__SSE4_1__)
#include <immintrin.h>
#endif

#if defined(__AVX512BW__)
#define LG_BLOCK 16
typedef __m512i lg_block_words;
#define LG_BLOCK_OP(name) _mm512_##name
#define LG_BLOCK_ALL(op)  _mm512_##op##_si512
#define LG_BLOCK_ORDER(v) _mm512_broadcast_i32x4(v)
#elif defined(__AVX2__)
#define LG_BLOCK          8
typedef __m256i lg_block_words;
#define LG_BLOCK_OP(name) _mm256_##name
#define LG_BLOCK_ALL(op)  _mm256_##op##_si256
#define LG_BLOCK_ORDER(v) _mm256_broadcastsi128_si256(v)
#elif defined(__SSE4_1__)
#define LG_BLOCK          4
typedef __m128i lg_block_words;
#define LG_BLOCK_OP(name) _mm_##name
#define LG_BLOCK_ALL(op)  _mm_##op##_si128
#define LG_BLOCK_ORDER(v) (v)
#endif

#ifdef __SSE4_1__
#define LG_BLOCK_VECTORS 1

// The colours of a block, a plane each.
typedef struct lg_block {
    _Alignas(64) float r[LG_BLOCK];
    _Alignas(64) float g[LG_BLOCK];
    _Alignas(64) float b[LG_BLOCK];
    _Alignas(64) float a[LG_BLOCK];
} lg_block;

static inline lg_block_words lg_block_load(const uint32_t *from, uint32_t set)
{
    return LG_BLOCK_ALL(or)(LG_BLOCK_ALL(loadu)((const lg_block_words *)(const void *)from),
                            LG_BLOCK_OP(set1_epi32)((int)set));
}

static inline void lg_block_store(uint32_t *to, lg_block_words v)
{
    LG_BLOCK_ALL(storeu)((lg_block_words *)(void *)to, v);
}

// Byte k of every word times `unit`. The byte stays where it is, and the unit is that much less: both are
// powers of two.
#define LG_BLOCK_PART(v, k, unit)                                                                  \
    LG_BLOCK_OP(mul_ps)                                                                            \
    (LG_BLOCK_OP(cvtepi32_ps)(LG_BLOCK_ALL(and)(v, LG_BLOCK_OP(set1_epi32)(255 << 8 * (k)))),      \
     LG_BLOCK_OP(set1_ps)((unit) / (float)(1 << 8 * (k))))

static inline void lg_block_split(lg_block_words v, lg_block *to)
{
    LG_BLOCK_OP(store_ps)(to->r, LG_BLOCK_PART(v, 0, LG_UNIT_U8));
    LG_BLOCK_OP(store_ps)(to->g, LG_BLOCK_PART(v, 1, LG_UNIT_U8));
    LG_BLOCK_OP(store_ps)(to->b, LG_BLOCK_PART(v, 2, LG_UNIT_U8));
    LG_BLOCK_OP(store_ps)
    (to->a, LG_BLOCK_OP(mul_ps)(LG_BLOCK_OP(cvtepi32_ps)(LG_BLOCK_OP(srli_epi32)(v, 24)),
                                LG_BLOCK_OP(set1_ps)(LG_UNIT_U8)));
}

// As lg_to_unit, but for the lower clamp: NaN becomes a negative integer, and packing makes 0 of those.
static inline lg_block_words lg_block_bytes(const float *from)
{
    return LG_BLOCK_OP(cvtps_epi32)(LG_BLOCK_OP(mul_ps)(
        LG_BLOCK_OP(min_ps)(LG_BLOCK_OP(set1_ps)(1), LG_BLOCK_OP(load_ps)(from)),
        LG_BLOCK_OP(set1_ps)(255)));
}

static inline lg_block_words lg_block_join(const lg_block *from, lg_block_words w)
{
    const lg_block_words alpha = LG_BLOCK_ALL(and)(w, LG_BLOCK_OP(set1_epi32)((int)0xff000000u));
    const lg_block_words order =
        LG_BLOCK_ORDER(_mm_setr_epi8(0, 4, 8, -1, 1, 5, 9, -1, 2, 6, 10, -1, 3, 7, 11, -1));
    const lg_block_words b = lg_block_bytes(from->b);
    const lg_block_words rg =
        LG_BLOCK_OP(packus_epi32)(lg_block_bytes(from->r), lg_block_bytes(from->g));
    const lg_block_words rgb = LG_BLOCK_OP(packus_epi16)(rg, LG_BLOCK_OP(packus_epi32)(b, b));
    return LG_BLOCK_ALL(or)(LG_BLOCK_OP(shuffle_epi8)(rgb, order), alpha);
}
#endif

#endif

// The luminance of byte pixels as bytes, with the bits of lg_luminance() in floats and lg_to_unit().
//
// Ten thousand times the luminance of bytes is an integer. Floats are so close to it that they round to the
// same byte, unless it lies in the middle between two: 1688 of all 2^24 colours, which are computed as
// defined.
#ifndef LG_LUMA_BYTES_H
#define LG_LUMA_BYTES_H

#include "filter/pixel_blocks.h"

static inline uint32_t lg_luma_byte(uint32_t w)
{
    const color c = {(float)(int32_t)(w & 255) * LG_UNIT_U8,
                     (float)(int32_t)(w >> 8 & 255) * LG_UNIT_U8,
                     (float)(int32_t)(w >> 16 & 255) * LG_UNIT_U8, 1};
    return lg_to_unit(lg_luminance(c), 255.0f);
}

#if LG_BLOCK_VECTORS
#define LG_LUMA_AHEAD 512 // pixels that are asked for before they are needed

typedef __typeof__(LG_BLOCK_OP(setzero_ps)()) lg_block_floats;

// Of every pixel the byte nearest to its luminance, and to *middle the square of what is between them, if it
// is larger.
static inline lg_block_words lg_luma_near(lg_block_words w, lg_block_floats *middle)
{
    const lg_block_words even = LG_BLOCK_ALL(and)(w, LG_BLOCK_OP(set1_epi32)(0x00ff00ff));
    const lg_block_words odd = LG_BLOCK_OP(srli_epi16)(w, 8);
    const lg_block_words sum = LG_BLOCK_OP(add_epi32)(
        LG_BLOCK_OP(madd_epi16)(even, LG_BLOCK_OP(set1_epi32)(721 << 16 | 2125)),
        LG_BLOCK_OP(madd_epi16)(odd, LG_BLOCK_OP(set1_epi32)(7154)));
    const lg_block_floats exact =
        LG_BLOCK_OP(mul_ps)(LG_BLOCK_OP(cvtepi32_ps)(sum), LG_BLOCK_OP(set1_ps)(1e-4f));
    const lg_block_words near = LG_BLOCK_OP(cvtps_epi32)(exact);
    const lg_block_floats off = LG_BLOCK_OP(sub_ps)(exact, LG_BLOCK_OP(cvtepi32_ps)(near));
    *middle = LG_BLOCK_OP(max_ps)(*middle, LG_BLOCK_OP(mul_ps)(off, off));
    return near;
}

// Whether one is in the middle. The square is then 0.25, and at most 0.2499 where none is; floats are off by
// 0.00003.
static inline bool lg_luma_is_open(lg_block_floats middle)
{
#if LG_BLOCK == 16
    return _mm512_cmp_ps_mask(middle, _mm512_set1_ps(0.24995f), _CMP_GT_OQ) != 0;
#elif LG_BLOCK == 8
    return _mm256_movemask_ps(_mm256_cmp_ps(middle, _mm256_set1_ps(0.24995f), _CMP_GT_OQ)) != 0;
#else
    return _mm_movemask_ps(_mm_cmpgt_ps(middle, _mm_set1_ps(0.24995f))) != 0;
#endif
}

// Four vectors of integers below 256 as bytes.
static inline lg_block_words lg_luma_pack(const lg_block_words v[4])
{
    const lg_block_words bytes = LG_BLOCK_OP(packus_epi16)(LG_BLOCK_OP(packs_epi32)(v[0], v[1]),
                                                           LG_BLOCK_OP(packs_epi32)(v[2], v[3]));
#if LG_BLOCK == 16
    return _mm512_permutexvar_epi32(
        _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15), bytes);
#elif LG_BLOCK == 8
    return _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
#else
    return bytes;
#endif
}

static inline int lg_luma_vectors(const uint32_t *restrict from, int count, uint8_t *restrict to)
{
    const int step = 4 * LG_BLOCK;
    int i = 0;
    for (; i + step <= count; i += step) {
        lg_block_floats middle = LG_BLOCK_OP(setzero_ps)();
        lg_block_words v[4];
        __builtin_prefetch(from + i + LG_LUMA_AHEAD);
        __builtin_prefetch(from + i + LG_LUMA_AHEAD + 16);
        for (int k = 0; k < 4; k++)
            v[k] = lg_luma_near(lg_block_load(from + i + k * LG_BLOCK, 0), &middle);
        LG_BLOCK_ALL(storeu)((lg_block_words *)(void *)(to + i), lg_luma_pack(v));
        if (__builtin_expect(lg_luma_is_open(middle), 0))
            for (int k = i; k < i + step; k++)
                to[k] = (uint8_t)lg_luma_byte(from[k]);
    }
    return i;
}

// As grey pixels with their alpha.
static inline int lg_luma_grey_vectors(const uint32_t *restrict from, int count, uint32_t set,
                                       uint32_t *restrict to)
{
    const lg_block_words order =
        LG_BLOCK_ORDER(_mm_setr_epi8(0, 0, 0, -1, 4, 4, 4, -1, 8, 8, 8, -1, 12, 12, 12, -1));
    int i = 0;
    for (; i + LG_BLOCK <= count; i += LG_BLOCK) {
        lg_block_floats middle = LG_BLOCK_OP(setzero_ps)();
        __builtin_prefetch(from + i + LG_LUMA_AHEAD);
        const lg_block_words w = lg_block_load(from + i, set);
        const lg_block_words alpha =
            LG_BLOCK_ALL(and)(w, LG_BLOCK_OP(set1_epi32)((int)0xff000000u));
        const lg_block_words grey = LG_BLOCK_OP(shuffle_epi8)(lg_luma_near(w, &middle), order);
        lg_block_store(to + i, LG_BLOCK_ALL(or)(grey, alpha));
        if (__builtin_expect(lg_luma_is_open(middle), 0))
            for (int k = i; k < i + LG_BLOCK; k++)
                to[k] = lg_luma_byte(from[k]) * 0x010101u | ((from[k] | set) & 0xff000000u);
    }
    return i;
}
#else
static inline int lg_luma_vectors(const uint32_t *from, int count, uint8_t *to)
{
    return 0;
}

static inline int lg_luma_grey_vectors(const uint32_t *from, int count, uint32_t set, uint32_t *to)
{
    return 0;
}
#endif

static inline void lg_luma_bytes(const uint32_t *restrict from, int count, uint8_t *restrict to)
{
    for (int i = lg_luma_vectors(from, count, to); i < count; i++)
        to[i] = (uint8_t)lg_luma_byte(from[i]);
}

static inline void lg_luma_grey(const uint32_t *restrict from, int count, uint32_t set,
                                uint32_t *restrict to)
{
    for (int i = lg_luma_grey_vectors(from, count, set, to); i < count; i++)
        to[i] = lg_luma_byte(from[i]) * 0x010101u | ((from[i] | set) & 0xff000000u);
}

#endif

// Part of stage_cpu.c: rows of bytes through tables of 256 bytes, byte pixels to planes and back.
#ifndef LG_STAGE_BYTES_H
#define LG_STAGE_BYTES_H

#include "filter/ahead.h"
#include "filter/stage.h"
#include "kernel/pixel_rule.h"

#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#define LG_READ_U8(v)  ((float)(v)*LG_UNIT_U8)
#define LG_READ_U16(v) ((float)(v)*LG_UNIT_U16)
#define LG_READ_F32(v) (v)

// ---- tables of bytes ----------------------------------------------------------------------------

// Byte i through table i % 4: the rest of a row, or all of it without vectors.
static void lg_map_bytes(const lg_stage_lookup *t, const uint8_t *restrict from,
                         uint8_t *restrict to, size_t count)
{
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        uint32_t v;
        memcpy(&v, from + i, 4);
        v = t->bytes[0][v & 255] | (uint32_t)t->bytes[1][v >> 8 & 255] << 8 |
            (uint32_t)t->bytes[2][v >> 16 & 255] << 16 | (uint32_t)t->bytes[3][v >> 24] << 24;
        memcpy(to + i, &v, 4);
    }
    for (; i < count; i++)
        to[i] = t->bytes[i % 4][from[i]];
}

static inline void lg_map_pixels(const lg_stage_lookup *t, const char *restrict from,
                                 char *restrict to, size_t count)
{
    const uint8_t *bytes = (const uint8_t *)from;
    for (size_t i = 0; i < count; i++)
        memcpy(to + 4 * i, &t->words[bytes[i]], 4);
}

#if defined(__SSE4_1__)

// A table is 16 vectors, selected by the upper four bits of the index. The lower four bits select a
// byte in each; then each upper bit in turn selects between neighbours.
#if defined(__AVX2__)
typedef __m256i lg_bytes;
#define LG_BYTES(name)   _mm256_##name
#define LG_BYTES_ALL(op) _mm256_##op##_si256
#define LG_BYTES_PART(p)                                                                           \
    _mm256_broadcastsi128_si256(_mm_load_si128((const __m128i *)(const void *)(p)))
#else
typedef __m128i lg_bytes;
#define LG_BYTES(name)   _mm_##name
#define LG_BYTES_ALL(op) _mm_##op##_si128
#define LG_BYTES_PART(p) _mm_load_si128((const __m128i *)(const void *)(p))
#endif
enum { LG_BYTES_SIZE = sizeof(lg_bytes) };

static inline lg_bytes lg_bytes_load(const uint8_t *from)
{
    return LG_BYTES_ALL(loadu)((const lg_bytes *)(const void *)from);
}

static inline void lg_bytes_store(uint8_t *to, lg_bytes v, bool stream)
{
    if (stream)
        LG_BYTES_ALL(stream)((lg_bytes *)(void *)to, v);
    else
        LG_BYTES_ALL(storeu)((lg_bytes *)(void *)to, v);
}

static inline lg_bytes lg_bytes_look(const uint8_t *table, lg_bytes x)
{
    const lg_bytes low = LG_BYTES_ALL(and)(x, LG_BYTES(set1_epi8)(15));
    const lg_bytes bit6 = LG_BYTES(add_epi8)(x, x), bit5 = LG_BYTES(add_epi8)(bit6, bit6);
    const lg_bytes bit4 = LG_BYTES(add_epi8)(bit5, bit5);
    // The sign bit of `by` selects the values 16, 32, 64 or 128 further on.
#define LG_PART(k)          LG_BYTES(shuffle_epi8)(LG_BYTES_PART(table + 16 * (k)), low)
#define LG_EITHER(a, b, by) LG_BYTES(blendv_epi8)(a, b, by)
#define LG_TWO_PARTS(k)     LG_EITHER(LG_PART(k), LG_PART((k) + 1), bit4)
#define LG_FOUR_PARTS(k)    LG_EITHER(LG_TWO_PARTS(k), LG_TWO_PARTS((k) + 2), bit5)
#define LG_EIGHT_PARTS(k)   LG_EITHER(LG_FOUR_PARTS(k), LG_FOUR_PARTS((k) + 4), bit6)
    return LG_EITHER(LG_EIGHT_PARTS(0), LG_EIGHT_PARTS(8), x);
#undef LG_PART
#undef LG_EITHER
#undef LG_TWO_PARTS
#undef LG_FOUR_PARTS
#undef LG_EIGHT_PARTS
}

// Transposes four vectors of 4-byte pixels to one vector per channel, and back. It is its own
// inverse but for the order of bytes, which is corrected before (pixels) or after (channels).
static inline void lg_bytes_turn(lg_bytes v[4])
{
    const lg_bytes a = LG_BYTES(unpacklo_epi32)(v[0], v[1]);
    const lg_bytes b = LG_BYTES(unpackhi_epi32)(v[0], v[1]);
    const lg_bytes c = LG_BYTES(unpacklo_epi32)(v[2], v[3]);
    const lg_bytes d = LG_BYTES(unpackhi_epi32)(v[2], v[3]);
    v[0] = LG_BYTES(unpacklo_epi64)(a, c);
    v[1] = LG_BYTES(unpackhi_epi64)(a, c);
    v[2] = LG_BYTES(unpacklo_epi64)(b, d);
    v[3] = LG_BYTES(unpackhi_epi64)(b, d);
}

static inline lg_bytes lg_bytes_numbers(const uint16_t numbers[4])
{
    long long four;
    memcpy(&four, numbers, sizeof four);
    return LG_BYTES(set1_epi64x)(four);
}

static inline lg_bytes lg_bytes_channels(const uint8_t channels[4])
{
    int four;
    memcpy(&four, channels, sizeof four);
    return LG_BYTES(set1_epi32)(four);
}

// lg_byte_lines, with each byte in the upper half of 16 bits.
static inline size_t lg_line_vectors_as(const lg_byte_lines *l, const uint8_t *from, uint8_t *to,
                                        size_t count, bool stream, int odd_count)
{
    const lg_bytes zero = LG_BYTES_ALL(setzero)(), invert = lg_bytes_channels(l->invert);
    const lg_bytes slope = lg_bytes_numbers(l->slope), add = lg_bytes_numbers(l->add);
    const lg_bytes subtract = lg_bytes_numbers(l->subtract);
    const __m128i shift = _mm_cvtsi32_si128(l->shift);
    lg_bytes odd[LG_LINE_ODD], step[LG_LINE_ODD];
    for (int k = 0; k < odd_count; k++)
        odd[k] = lg_bytes_channels(l->odd[k]), step[k] = lg_bytes_channels(l->step[k]);
#define LG_ON_LINE(half)                                                                           \
    LG_BYTES(srl_epi16)                                                                            \
    (LG_BYTES(subs_epu16)(LG_BYTES(adds_epu16)(LG_BYTES(mulhi_epu16)(half, slope), add),           \
                          subtract),                                                               \
     shift)
    size_t i = 0;
    for (; i + LG_BYTES_SIZE <= count; i += LG_BYTES_SIZE) {
        __builtin_prefetch(from + i + LG_AHEAD);
        const lg_bytes x = lg_bytes_load(from + i), v = LG_BYTES_ALL(xor)(x, invert);
        const lg_bytes low = LG_ON_LINE(LG_BYTES(unpacklo_epi8)(zero, v));
        const lg_bytes high = LG_ON_LINE(LG_BYTES(unpackhi_epi8)(zero, v));
        lg_bytes y = LG_BYTES(packus_epi16)(low, high);
        for (int k = 0; k < odd_count; k++)
            y = LG_BYTES(add_epi8)(y, LG_BYTES_ALL(and)(LG_BYTES(cmpeq_epi8)(x, odd[k]), step[k]));
        lg_bytes_store(to + i, y, stream);
    }
#undef LG_ON_LINE
    return i;
}

static inline size_t lg_line_vectors(const lg_byte_lines *l, const uint8_t *from, uint8_t *to,
                                     size_t count, bool stream)
{
    return l->odd_count ? lg_line_vectors_as(l, from, to, count, stream, LG_LINE_ODD)
                        : lg_line_vectors_as(l, from, to, count, stream, 0);
}

#if defined(__AVX512BW__)
static inline void lg_store_64(uint8_t *to, __m512i v, bool stream)
{
    if (stream)
        _mm512_stream_si512((__m512i *)(void *)to, v);
    else
        _mm512_storeu_si512(to, v);
}

static inline size_t lg_step_lines(const lg_byte_steps *s, const uint8_t *from, uint8_t *to,
                                   size_t count, bool stream)
{
    int level, below, above;
    memcpy(&level, s->from, sizeof level);
    memcpy(&below, s->below, sizeof below);
    memcpy(&above, s->above, sizeof above);
    const __m512i least = _mm512_set1_epi32(level), low = _mm512_set1_epi32(below);
    const __m512i high = _mm512_set1_epi32(above);
    size_t i = 0;
    for (; i + 64 <= count; i += 64) {
        lg_ask_read(from + i);
        lg_ask_written(to + i, stream);
        const __mmask64 reached = _mm512_cmpge_epu8_mask(_mm512_loadu_si512(from + i), least);
        lg_store_64(to + i, _mm512_mask_mov_epi8(low, reached, high), stream);
    }
    return i;
}
#else
static inline size_t lg_step_lines(const lg_byte_steps *s, const uint8_t *from, uint8_t *to,
                                   size_t count, bool stream)
{
    return 0;
}
#endif

static inline size_t lg_step_vectors(const lg_byte_steps *s, const uint8_t *from, uint8_t *to,
                                     size_t count, bool stream)
{
    const lg_bytes level = lg_bytes_channels(s->from), below = lg_bytes_channels(s->below);
    const lg_bytes change = LG_BYTES_ALL(xor)(below, lg_bytes_channels(s->above));
    size_t i = lg_step_lines(s, from, to, count, stream);
    for (; i + LG_BYTES_SIZE <= count; i += LG_BYTES_SIZE) {
        lg_ask_read(from + i);
        lg_ask_written(to + i, stream);
        const lg_bytes x = lg_bytes_load(from + i);
        const lg_bytes reached = LG_BYTES(cmpeq_epi8)(LG_BYTES(max_epu8)(x, level), x);
        lg_bytes_store(to + i, LG_BYTES_ALL(xor)(below, LG_BYTES_ALL(and)(reached, change)),
                       stream);
    }
    return i;
}

static inline size_t lg_map_vectors_as(const lg_stage_lookup *t, const uint8_t *from, uint8_t *to,
                                       size_t count, bool stream)
{
    size_t i = 0;
    if (t->stepped)
        return lg_step_vectors(&t->steps, from, to, count, stream);
    if (t->straight)
        return lg_line_vectors(&t->lines, from, to, count, stream);
    if (t->different == 1 && t->takes[0] == 15) {
        const uint8_t *table = t->bytes[t->table[0]];
        for (; i + LG_BYTES_SIZE <= count; i += LG_BYTES_SIZE)
            lg_bytes_store(to + i, lg_bytes_look(table, lg_bytes_load(from + i)), stream);
        return i;
    }
    const __m128i order128 = _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
#if defined(__AVX2__)
    const lg_bytes order = _mm256_broadcastsi128_si256(order128);
#else
    const lg_bytes order = order128;
#endif
    for (; i + 4 * LG_BYTES_SIZE <= count; i += 4 * LG_BYTES_SIZE) {
        lg_bytes v[4];
        for (size_t k = 0; k < 4 * LG_BYTES_SIZE; k += 64)
            __builtin_prefetch(from + i + k + LG_AHEAD);
        for (size_t k = 0; k < 4; k++)
            v[k] = LG_BYTES(shuffle_epi8)(lg_bytes_load(from + i + k * LG_BYTES_SIZE), order);
        lg_bytes_turn(v);
        for (int k = 0; k < 4; k++)
            v[k] = t->same[k] ? v[k] : lg_bytes_look(t->bytes[k], v[k]);
        lg_bytes_turn(v);
        for (size_t k = 0; k < 4; k++)
            lg_bytes_store(to + i + k * LG_BYTES_SIZE, LG_BYTES(shuffle_epi8)(v[k], order), stream);
    }
    return i;
}

#if defined(__AVX512BW__)
// Half a table is two registers, and one instruction selects from both.
__attribute__((target("avx512vbmi"))) static inline __m512i lg_look_vbmi(const __m512i part[4],
                                                                         __m512i x)
{
    const __m512i a = _mm512_permutex2var_epi8(part[0], x, part[1]);
    const __m512i b = _mm512_permutex2var_epi8(part[2], x, part[3]);
    return _mm512_mask_mov_epi8(a, _mm512_movepi8_mask(x), b);
}

__attribute__((target("avx512vbmi"), always_inline)) static inline size_t
lg_map_tables(const lg_stage_lookup *t, const int tables, const uint8_t *from, uint8_t *to,
              size_t count, bool stream)
{
    __m512i part[4][4];
    __mmask64 takes[4];
    for (int k = 0; k < tables; k++) {
        takes[k] = t->takes[k] * UINT64_C(0x1111111111111111);
        for (int j = 0; j < 4; j++)
            part[k][j] = _mm512_load_si512(t->bytes[t->table[k]] + 64 * j);
    }
    size_t i = 0;
    for (; i + 64 <= count; i += 64) {
        lg_ask_read(from + i);
        lg_ask_written(to + i, stream);
        const __m512i x = _mm512_loadu_si512(from + i);
        __m512i y = x;
        for (int k = 0; k < tables; k++)
            y = _mm512_mask_mov_epi8(y, takes[k], lg_look_vbmi(part[k], x));
        lg_store_64(to + i, y, stream);
    }
    return i;
}

__attribute__((target("avx512vbmi"))) static size_t
lg_map_vbmi(const lg_stage_lookup *t, const uint8_t *from, uint8_t *to, size_t count, bool stream)
{
    switch (t->different) {
    case 0:
        return lg_map_tables(t, 0, from, to, count, stream);
    case 1:
        return lg_map_tables(t, 1, from, to, count, stream);
    case 2:
        return lg_map_tables(t, 2, from, to, count, stream);
    case 3:
        return lg_map_tables(t, 3, from, to, count, stream);
    default:
        return lg_map_tables(t, 4, from, to, count, stream);
    }
}
#endif

// Returns how many bytes of a row were processed. A streamed row begins at a whole vector.
static size_t lg_map_vectors(const lg_stage_lookup *t, const uint8_t *from, uint8_t *to,
                             size_t count, bool stream)
{
    stream = stream && (uintptr_t)to % 64 == 0;
#if defined(__AVX512BW__)
    if (!t->stepped && __builtin_cpu_supports("avx512vbmi"))
        return lg_map_vbmi(t, from, to, count, stream);
#endif
    return stream ? lg_map_vectors_as(t, from, to, count, true)
                  : lg_map_vectors_as(t, from, to, count, false);
}
#else
static size_t lg_map_vectors(const lg_stage_lookup *t, const uint8_t *from, uint8_t *to,
                             size_t count, bool stream)
{
    return 0;
}
#endif

static void lg_list_tables(lg_stage_lookup *t)
{
    t->different = 0;
    for (int k = 0; k < 4; k++) {
        if (t->same[k])
            continue;
        int at = 0;
        while (at < t->different && memcmp(t->bytes[k], t->bytes[t->table[at]], 256) != 0)
            at++;
        if (at == t->different) {
            t->table[t->different] = (uint8_t)k;
            t->takes[t->different++] = 0;
        }
        t->takes[at] |= (uint8_t)(1 << k);
    }
}

static void lg_map_row(const lg_stage_lookup *t, const void *from, void *to, size_t count,
                       bool stream)
{
    const size_t done = lg_map_vectors(t, from, to, count, stream);
    lg_map_bytes(t, (const uint8_t *)from + done, (uint8_t *)to + done, count - done);
}

// A thread calls this after its last streamed store, before others read.
static void lg_stream_end(void)
{
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

// ---- pixels of four bytes and planes ------------------------------------------------------------

#ifdef __AVX2__
static int lg_split_vectors(const char *from, int count, float *const to[4])
{
    const __m256i byte = _mm256_set1_epi32(255);
    const __m256 unit = _mm256_set1_ps(LG_UNIT_U8);
#define LG_PLANE(k, whole)                                                                         \
    _mm256_storeu_ps(to[k] + i, _mm256_mul_ps(_mm256_cvtepi32_ps(whole), unit))
    int i = 0;
    for (; i + 8 <= count; i += 8) {
        const __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(from + (size_t)i * 4));
        LG_PLANE(0, _mm256_and_si256(v, byte));
        LG_PLANE(1, _mm256_and_si256(_mm256_srli_epi32(v, 8), byte));
        LG_PLANE(2, _mm256_and_si256(_mm256_srli_epi32(v, 16), byte));
        LG_PLANE(3, _mm256_srli_epi32(v, 24));
    }
#undef LG_PLANE
    return i;
}

// Eight components to 0 .. 255, as lg_to_unit. The conversion rounds halves to even. NaN becomes a
// negative integer, which packing turns into 0, as lg_to_unit does.
static inline __m256i lg_to_bytes(const float *from)
{
    const __m256 v = _mm256_min_ps(_mm256_set1_ps(1), _mm256_load_ps(from)); // keeps NaN
    return _mm256_cvtps_epi32(_mm256_mul_ps(v, _mm256_set1_ps(255)));
}

// The planes are 64-byte aligned and whole vectors.
static inline int lg_join_vectors_as(char *to, int count, float *const from[4], bool stream)
{
    const __m256i order = _mm256_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15, 0,
                                           4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    int i = 0;
    for (; i + 8 <= count; i += 8) {
        const __m256i rg = _mm256_packus_epi32(lg_to_bytes(from[0] + i), lg_to_bytes(from[1] + i));
        const __m256i ba = _mm256_packus_epi32(lg_to_bytes(from[2] + i), lg_to_bytes(from[3] + i));
        const __m256i rgba = _mm256_shuffle_epi8(_mm256_packus_epi16(rg, ba), order);
        lg_bytes_store((uint8_t *)to + (size_t)i * 4, rgba, stream);
    }
    return i;
}

static int lg_join_vectors(char *to, int count, float *const from[4], bool stream)
{
    return stream && (uintptr_t)to % 32 == 0 ? lg_join_vectors_as(to, count, from, true)
                                             : lg_join_vectors_as(to, count, from, false);
}
#else
static int lg_split_vectors(const char *from, int count, float *const to[4])
{
    return 0;
}

static int lg_join_vectors(char *to, int count, float *const from[4], bool stream)
{
    return 0;
}
#endif

#endif

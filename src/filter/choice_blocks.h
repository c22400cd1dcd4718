// Windows of bytes in registers, for kernels that only choose among samples: the columns to the right are
// those that were sorted for the pixels before, moved.
#ifndef LG_CHOICE_BLOCKS_H
#define LG_CHOICE_BLOCKS_H

#include "core/core.h"
#include "filter/pixel_blocks.h"

#include <stdbool.h>

#if LG_BLOCK_VECTORS

enum { LG_BLOCK_SIZE = sizeof(lg_block_words) };

#define LG_LESSER_BYTES(a, b)  LG_BLOCK_OP(min_epu8)(a, b)
#define LG_GREATER_BYTES(a, b) LG_BLOCK_OP(max_epu8)(a, b)

// The bytes of two neighbouring blocks from number n of the first on, n below 16.
#if defined(__AVX512BW__)
#define LG_BLOCK_FROM(a, b, n)                                                                     \
    ((n) % 4 ? _mm512_alignr_epi8(_mm512_alignr_epi32(b, a, 4), a, n)                              \
             : _mm512_alignr_epi32(b, a, (n) / 4))
#elif defined(__AVX2__)
#define LG_BLOCK_FROM(a, b, n) _mm256_alignr_epi8(_mm256_permute2x128_si256(a, b, 0x21), a, n)
#else
#define LG_BLOCK_FROM(a, b, n) _mm_alignr_epi8(b, a, n)
#endif

#define LG_BLOCK_AT(p) LG_BLOCK_ALL(loadu)((const lg_block_words *)(const void *)(p))
#define LG_COLUMN_FROM(name, c, next, n)                                                           \
    (name##_bytes_column)                                                                          \
    {                                                                                              \
        LG_BLOCK_FROM((c).low, (next).low, n), LG_BLOCK_FROM((c).middle, (next).middle, n),        \
            LG_BLOCK_FROM((c).high, (next).high, n)                                                \
    }

static inline bool lg_block_is_above(lg_block_words v, uint8_t limit)
{
    const lg_block_words over = LG_BLOCK_OP(subs_epu8)(v, LG_BLOCK_OP(set1_epi8)((char)limit));
#if defined(__AVX512BW__)
    return _mm512_test_epi8_mask(over, over) != 0;
#else
    return !LG_BLOCK_ALL(testz)(over, over);
#endif
}

// The fourth byte of each pixel is that of `centre`.
static inline lg_block_words lg_block_alpha(lg_block_words v, const uint8_t *centre, uint32_t set)
{
    const lg_block_words alpha = LG_BLOCK_OP(set1_epi32)((int)0xff000000u);
    const lg_block_words from =
        LG_BLOCK_ALL(or)(LG_BLOCK_AT(centre), LG_BLOCK_OP(set1_epi32)((int)set));
    return LG_BLOCK_ALL(or)(LG_BLOCK_ALL(andnot)(alpha, v), LG_BLOCK_ALL(and)(alpha, from));
}

// Writes the results of a block of columns; of pixels where `step` is 4.
#define LG_CHOICE_STORE(name, step, line, i, left, here, right)                                    \
    do {                                                                                           \
        lg_block_words v = name##_bytes_of(left, here, right);                                     \
        if ((step) == 4)                                                                           \
            v = lg_block_alpha(v, rows[(line) + 1] + (i) + (step), set);                           \
        LG_BLOCK_ALL(storeu)((lg_block_words *)(void *)((uint8_t *)to[line] + (i)), v);            \
    } while (0)

// The columns of two lines share the rows between them. The second is not wanted where there is one line.
#define LG_COLUMNS_AT(name, first, second, at)                                                     \
    do {                                                                                           \
        const lg_block_words r1 = LG_BLOCK_AT(rows[1] + (at)), r2 = LG_BLOCK_AT(rows[2] + (at));   \
        first = name##_bytes_sort(r1, r2, LG_BLOCK_AT(rows[0] + (at)));                            \
        if (two)                                                                                   \
            second = name##_bytes_sort(r1, r2, LG_BLOCK_AT(rows[3] + (at)));                       \
    } while (0)

// One block apart from others.
#define LG_CHOICE_BLOCK(name, step)                                                                \
    static inline __attribute__((always_inline)) void name##_block_##step(                         \
        const uint8_t *const rows[4], bool two, int i, uint32_t set, void *const to[2])            \
    {                                                                                              \
        name##_bytes_column a[2], b[2], c[2];                                                      \
        LG_COLUMNS_AT(name, a[0], a[1], i);                                                        \
        LG_COLUMNS_AT(name, b[0], b[1], i + (step));                                               \
        LG_COLUMNS_AT(name, c[0], c[1], i + 2 * (step));                                           \
        LG_CHOICE_STORE(name, step, 0, i, a[0], b[0], c[0]);                                       \
        if (two)                                                                                   \
            LG_CHOICE_STORE(name, step, 1, i, a[1], b[1], c[1]);                                   \
    }

// `count` samples, at least a block, of one or two lines. The rows begin with the neighbours to the left.
#define LG_CHOICE_BLOCKS(name, step)                                                               \
    LG_CHOICE_BLOCK(name, step)                                                                    \
    static inline __attribute__((always_inline)) void name##_blocks_##step(                        \
        const uint8_t *const rows[4], bool two, int count, uint32_t set, void *const to[2])        \
    {                                                                                              \
        name##_bytes_column c, d, next_c, next_d;                                                  \
        LG_COLUMNS_AT(name, c, d, 0);                                                              \
        int i = 0;                                                                                 \
        for (; i + 2 * LG_BLOCK_SIZE <= count + 2 * (step); i += LG_BLOCK_SIZE) {                  \
            LG_COLUMNS_AT(name, next_c, next_d, i + LG_BLOCK_SIZE);                                \
            LG_CHOICE_STORE(name, step, 0, i, c, LG_COLUMN_FROM(name, c, next_c, step),            \
                            LG_COLUMN_FROM(name, c, next_c, 2 * (step)));                          \
            if (two)                                                                               \
                LG_CHOICE_STORE(name, step, 1, i, d, LG_COLUMN_FROM(name, d, next_d, step),        \
                                LG_COLUMN_FROM(name, d, next_d, 2 * (step)));                      \
            c = next_c, d = next_d;                                                                \
        }                                                                                          \
        for (; i < count; i += LG_BLOCK_SIZE)                                                      \
            name##_block_##step(rows, two, LG_MIN(i, count - LG_BLOCK_SIZE), set, to);             \
    }

// The loop on bytes: in blocks, or by `name`_u8_each.
#define LG_CHOICE_BYTES(name)                                                                      \
    LG_CHOICE_BLOCKS(name, 1)                                                                      \
    LG_CHOICE_BLOCKS(name, 4)                                                                      \
    static bool name##_u8(const void *const rows[4], int lines, int step, int count, uint32_t set, \
                          void *const to[2])                                                       \
    {                                                                                              \
        const uint8_t *from[4];                                                                    \
        for (int k = 0; k < 4; k++)                                                                \
            from[k] = k < lines + 2 ? (const uint8_t *)rows[k] - step : NULL;                      \
        if (count < LG_BLOCK_SIZE || (step != 1 && step != 4))                                     \
            return name##_u8_each(rows, lines, step, count, set, to);                              \
        if (step == 1 && lines == 1)                                                               \
            name##_blocks_1(from, false, count, set, to);                                          \
        else if (step == 1)                                                                        \
            name##_blocks_1(from, true, count, set, to);                                           \
        else if (lines == 1)                                                                       \
            name##_blocks_4(from, false, count, set, to);                                          \
        else                                                                                       \
            name##_blocks_4(from, true, count, set, to);                                           \
        return step == 4;                                                                          \
    }

#endif
#endif

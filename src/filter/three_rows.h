// 3 x 3 windows of bytes in registers, where the columns of weights are multiples of 1 1 1 or of 1 2 1: sums
// along each row serve three rows of results. A block of columns goes down a few rows. Compiled once per CPU
// level.
#ifndef LG_THREE_ROWS_H
#define LG_THREE_ROWS_H

#include "core/core.h"
#include "filter/choice_blocks.h"
#include "filter/stage.h"

#include <string.h>

#if LG_BLOCK_VECTORS

enum { LG_THREE_MOST = 16 }; // rows of results that are made together

typedef struct lg_three_rows {
    int step;     // samples of a pixel: 1 or 4
    size_t count; // samples of a row, at least LG_BLOCK_SIZE
    lg_border border;
    int8_t along[3];    // weights
    bool double_middle; // 1 2 1 down columns
    int shift;          // bits of a sum behind the point
    // Or-ed to pixels: to means of nine as they are, to sums with the alpha of the pixel in the middle.
    uint32_t set;
    bool stream; // past the caches: rows begin at whole blocks
} lg_three_rows;

enum { LG_THREE_EDGE = LG_BLOCK_SIZE + 4 }; // a block and a pixel

// The rows that a few rows of results need. One of zeros is as short as a block.
typedef struct lg_three_input {
    const uint8_t *row[LG_THREE_MOST + 2];
    size_t places[LG_THREE_MOST + 2]; // all bits, or none where the row is zeros
    // A pixel and the first block, the last block and a pixel.
    uint8_t left[LG_THREE_MOST + 2][LG_THREE_EDGE], right[LG_THREE_MOST + 2][LG_THREE_EDGE];
} lg_three_input;

static inline void lg_three_pixel(uint8_t *to, const uint8_t *from, const int step)
{
    if (step == 1)
        *to = *from;
    else
        memcpy(to, from, 4);
}

// Row y of `in` from column x on, as number k.
static inline void lg_three_row(const lg_three_rows *t, const lg_pixels *in, const int step,
                                int64_t x, int64_t y, int k, lg_three_input *rows)
{
    static const uint8_t zeros[LG_BLOCK_SIZE + 2 * 16];
    const int64_t end = x + (int64_t)(t->count / (size_t)step);
    const int64_t at = lg_border_index(y, in->height, t->border);
    const int64_t before = lg_border_index(x - 1, in->width, t->border);
    const int64_t after = lg_border_index(end, in->width, t->border);
    const uint8_t *first = zeros + 16, *row = first;
    if (at >= 0) {
        first = (const uint8_t *)in->data + (size_t)at * in->row_stride;
        row = first + (size_t)x * (size_t)step;
    }
    rows->row[k] = row;
    rows->places[k] = at >= 0 ? SIZE_MAX : 0;
    const uint8_t *last = at >= 0 ? row + t->count - LG_BLOCK_SIZE : row;
    LG_BLOCK_ALL(storeu)((lg_block_words *)(void *)(rows->left[k] + step), LG_BLOCK_AT(row));
    LG_BLOCK_ALL(storeu)((lg_block_words *)(void *)rows->right[k], LG_BLOCK_AT(last));
    lg_three_pixel(rows->left[k], at >= 0 && before >= 0 ? first + before * step : zeros, step);
    lg_three_pixel(rows->right[k] + LG_BLOCK_SIZE,
                   at >= 0 && after >= 0 ? first + after * step : zeros, step);
}

typedef struct lg_three_sums {
    lg_block_words low, high;
} lg_three_sums;

static inline lg_three_sums lg_three_add(lg_three_sums a, lg_three_sums b)
{
    return (lg_three_sums){LG_BLOCK_OP(add_epi16)(a.low, b.low),
                           LG_BLOCK_OP(add_epi16)(a.high, b.high)};
}

// The weights for lg_three_along.
typedef struct lg_three_weights {
    lg_block_words first, second, third, fourth;
} lg_three_weights;

static inline lg_block_words lg_three_pair(int8_t a, int8_t b)
{
    return LG_BLOCK_OP(set1_epi16)((int16_t)((a & 255) | b * 256));
}

static inline lg_three_weights lg_three_weights_of(const int8_t w[3], const int step)
{
    return (lg_three_weights){lg_three_pair(w[0], w[1]), lg_three_pair(w[2], 0),
                              lg_three_pair(0, w[0]), lg_three_pair(w[1], w[2])};
}

#define LG_THREE_MADD(a, w)      LG_BLOCK_OP(maddubs_epi16)(a, w)
#define LG_THREE_UNPACK(h, a, b) LG_BLOCK_OP(unpack##h##_epi8)(a, b)

// Sums along a row: of single samples those of even and of odd columns, of pixels those that unpacking leaves
// in the low and in the high part. `left` and `right` begin a pixel before and behind.
static inline __attribute__((always_inline)) lg_three_sums
lg_three_along(const uint8_t *left, const uint8_t *at, const uint8_t *right, const int step,
               const lg_three_weights *w)
{
    const lg_block_words l = LG_BLOCK_AT(left), r = LG_BLOCK_AT(right);
    if (step == 1) // each pair has two of the three samples
        return lg_three_add(
            (lg_three_sums){LG_THREE_MADD(l, w->first), LG_THREE_MADD(l, w->third)},
            (lg_three_sums){LG_THREE_MADD(r, w->second), LG_THREE_MADD(r, w->fourth)});
    const lg_block_words m = LG_BLOCK_AT(at), zero = LG_BLOCK_ALL(setzero)();
    return lg_three_add((lg_three_sums){LG_THREE_MADD(LG_THREE_UNPACK(lo, l, m), w->first),
                                        LG_THREE_MADD(LG_THREE_UNPACK(hi, l, m), w->first)},
                        (lg_three_sums){LG_THREE_MADD(LG_THREE_UNPACK(lo, r, zero), w->second),
                                        LG_THREE_MADD(LG_THREE_UNPACK(hi, r, zero), w->second)});
}

// Results to bytes, as near as these are.
static inline lg_block_words lg_three_pack(lg_three_sums v, const int step)
{
    const lg_block_words bytes = LG_BLOCK_OP(packus_epi16)(v.low, v.high);
    return step == 1 ? LG_BLOCK_OP(shuffle_epi8)(
                           bytes, LG_BLOCK_ORDER(_mm_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5,
                                                               13, 6, 14, 7, 15)))
                     : bytes;
}

static inline lg_block_words lg_three_shifted(lg_block_words v, int shift)
{
#if defined(__AVX512BW__)
    return _mm512_srav_epi16(v, _mm512_set1_epi16((short)shift));
#else
    return LG_BLOCK_OP(sra_epi16)(v, _mm_cvtsi32_si128(shift));
#endif
}

enum { LG_THREE_FIRST = 1, LG_THREE_LAST = 2 };

// The results of the columns of a block from number `at` on. A mean of nine bytes is no middle between two of
// them, so that it is (sum + 4) / 9, and floor((sum + 4) * 7282 / 2^16) is that for all sums.
static inline __attribute__((always_inline)) void
lg_three_block(const lg_three_rows *t, const lg_three_input *in, int rows, const int step,
               const bool mean, size_t at, const int sides, bool stream, uint8_t *const *to)
{
    const lg_block_words ninth = LG_BLOCK_OP(set1_epi16)(7282);
    const lg_block_words set = LG_BLOCK_OP(set1_epi32)((int)t->set);
    const lg_block_words half = LG_BLOCK_OP(set1_epi16)((int16_t)(mean ? 4 : 1 << t->shift >> 1));
    const bool double_middle = !mean && t->double_middle;
    const lg_three_weights weights = lg_three_weights_of(t->along, step);
    const lg_block_words zero = LG_BLOCK_ALL(setzero)();
    lg_three_sums one = {zero, zero}, two = one; // of the row before, and of both before
    for (int k = 0; k < rows + 2; k++) {
        const uint8_t *here = in->row[k] + (at & in->places[k]);
        const lg_three_sums row = lg_three_along(
            sides & LG_THREE_FIRST ? in->left[k] : here - step, here,
            sides & LG_THREE_LAST ? in->right[k] + step : here + step, step, &weights);
        const lg_three_sums both = lg_three_add(one, row);
        if (k > 1) {
            lg_three_sums v = lg_three_add(two, double_middle ? both : row);
            v = lg_three_add(v, (lg_three_sums){half, half});
            v.low =
                mean ? LG_BLOCK_OP(mulhi_epu16)(v.low, ninth) : lg_three_shifted(v.low, t->shift);
            v.high =
                mean ? LG_BLOCK_OP(mulhi_epu16)(v.high, ninth) : lg_three_shifted(v.high, t->shift);
            lg_block_words bytes = lg_three_pack(v, step);
            if (step == 4)
                bytes = mean ? LG_BLOCK_ALL(or)(bytes, set)
                             : lg_block_alpha(bytes, in->row[k - 1] + at, t->set);
            lg_block_words *const at_row = (lg_block_words *)(void *)(to[k - 2] + at);
            if (stream)
                LG_BLOCK_ALL(stream)(at_row, bytes);
            else
                LG_BLOCK_ALL(storeu)(at_row, bytes);
        }
        one = row, two = both;
    }
}

static inline __attribute__((always_inline)) void
lg_three_blocks(const lg_three_rows *t, const lg_three_input *in, int rows, const int step,
                const bool mean, const uint8_t *const *next, uint8_t *const *to)
{
    const size_t block = LG_BLOCK_SIZE, count = t->count;
    const bool stream = t->stream, last = stream && count % block == 0;
    for (size_t at = block; at + block + (size_t)step <= count; at += block) {
        for (int k = 0; k < rows; k++)
            __builtin_prefetch(next[k] + at);
        lg_three_block(t, in, rows, step, mean, at, 0, stream, to);
    }
    if (count == block) {
        lg_three_block(t, in, rows, step, mean, 0, LG_THREE_FIRST | LG_THREE_LAST, last, to);
        return;
    }
    lg_three_block(t, in, rows, step, mean, 0, LG_THREE_FIRST, stream, to);
    lg_three_block(t, in, rows, step, mean, count - block, LG_THREE_LAST, last, to);
}

// Rows y to y_end - 1 of columns from x on.
static inline __attribute__((always_inline)) void
lg_three_groups(const lg_three_rows *t, const lg_pixels *in, const lg_pixels *out, const int step,
                int64_t x, int32_t y, int32_t y_end, const bool mean)
{
    const size_t column = (size_t)x * (size_t)step;
    lg_three_input rows;
    for (int count; y < y_end; y += count) {
        uint8_t *to[LG_THREE_MOST];
        const uint8_t *next[LG_THREE_MOST];
        const int left = y_end - y, groups = (left + LG_THREE_MOST - 1) / LG_THREE_MOST;
        count = (left + groups - 1) / groups;
        for (int k = 0; k < count + 2; k++)
            lg_three_row(t, in, step, x, (int64_t)y + k - 1, k, &rows);
        for (int k = 0; k < count; k++) {
            const int32_t below = LG_MIN(y + count + 1 + k, in->height - 1);
            to[k] = (uint8_t *)out->data + (size_t)(y + k) * out->row_stride + column;
            next[k] = (const uint8_t *)in->data + (size_t)below * in->row_stride + column;
        }
        lg_three_blocks(t, &rows, count, step, mean, next, to);
    }
    if (t->stream)
        _mm_sfence();
}

static inline __attribute__((always_inline)) void
lg_three_run(const lg_three_rows *t, const lg_pixels *in, const lg_pixels *out, int64_t x,
             int32_t y, int32_t y_end, const bool mean)
{
    if (t->step == 1)
        lg_three_groups(t, in, out, 1, x, y, y_end, mean);
    else
        lg_three_groups(t, in, out, 4, x, y, y_end, mean);
}
#endif

#endif

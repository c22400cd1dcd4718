// Part of stage_cpu.c: 3 x 3 windows of bytes as sums of integers of 16 bits (filter/byte_sums.h). Columns of
// three rows are summed first: to one line where the columns of weights are multiples of one, else to three.
#ifndef LG_STAGE_BYTE_SUMS_H
#define LG_STAGE_BYTE_SUMS_H

#include "filter/alpha.h"
#include "filter/choice_blocks.h"
#include "filter/stage_row_sums.h"
#include "filter/three_rows.h"

#define LG_BYTE_SUMS_PART  1024 // samples of a row: their sums stay in the first cache
#define LG_BYTE_SUMS_PITCH 1056 // of lines of sums: a pixel more on either side

typedef struct lg_byte_columns {
    int lines;            // of sums: 1 or 3
    int16_t weight[3][3]; // of the rows, for each line
    int16_t factor[3];    // of the sums to the left, here and to the right
} lg_byte_columns;

static int lg_common_divisor(int a, int b)
{
    return b ? lg_common_divisor(b, a % b) : a < 0 ? -a : a;
}

static bool lg_find_byte_factor(const int16_t one[3], const int16_t column[3], int16_t *factor)
{
    const int k = one[0] ? 0 : one[1] ? 1 : 2;
    *factor = (int16_t)(column[k] / one[k]);
    bool same = true;
    for (int i = 0; i < 3; i++)
        same = same && one[i] * *factor == column[i];
    return same;
}

static lg_byte_columns lg_byte_columns_of(const lg_byte_sums *s)
{
    lg_byte_columns c = {.lines = 3, .factor = {1, 1, 1}}, one = {.lines = 1};
    int16_t *first = one.weight[0];
    for (int i = 0; i < 9; i++)
        c.weight[i % 3][i / 3] = s->weight[i];
    for (int k = 0; k < 3; k++) {
        const int16_t *column = c.weight[k];
        const int common = lg_common_divisor(column[0], lg_common_divisor(column[1], column[2]));
        for (int i = 0; i < 3 && common > 0; i++)
            first[i] = (int16_t)(column[i] / common);
    }
    bool same = first[0] || first[1] || first[2];
    for (int k = 0; k < 3 && same; k++)
        same = lg_find_byte_factor(first, c.weight[k], &one.factor[k]);
    return same ? one : c;
}

// ---- blocks of bytes ----------------------------------------------------------------------------

#if LG_BLOCK_VECTORS
// From memory the conversion costs a load and nothing else, which compilers do not make of a loop.
static inline lg_block_words lg_widened_bytes(const uint8_t *p)
{
#if defined(__AVX512BW__)
    return _mm512_cvtepu8_epi16(_mm256_loadu_si256((const void *)p));
#elif defined(__AVX2__)
    return _mm256_cvtepu8_epi16(_mm_loadu_si128((const void *)p));
#else
    return _mm_cvtepu8_epi16(_mm_loadl_epi64((const void *)p));
#endif
}

// 16 bits to bytes, as near as these are.
static inline lg_block_words lg_narrowed(lg_block_words low, lg_block_words high)
{
    const lg_block_words v = LG_BLOCK_OP(packus_epi16)(low, high);
#if defined(__AVX512BW__)
    return _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), v);
#elif defined(__AVX2__)
    return _mm256_permute4x64_epi64(v, 0xd8);
#else
    return v;
#endif
}

static inline lg_block_words lg_weigh_three(lg_block_words a, lg_block_words b, lg_block_words c,
                                            const lg_block_words weight[3])
{
    const lg_block_words first = LG_BLOCK_OP(mullo_epi16)(a, weight[0]);
    const lg_block_words second = LG_BLOCK_OP(mullo_epi16)(b, weight[1]);
    return LG_BLOCK_OP(add_epi16)(LG_BLOCK_OP(add_epi16)(first, second),
                                  LG_BLOCK_OP(mullo_epi16)(c, weight[2]));
}

// The sums of a block of columns from number i on.
static inline void lg_sum_byte_block(const lg_block_words weight[3], const uint8_t *above,
                                     const uint8_t *at, const uint8_t *below, int i, int16_t *to)
{
    for (int k = i; k < i + LG_BLOCK_SIZE; k += LG_BLOCK_SIZE / 2)
        LG_BLOCK_ALL(storeu)
    ((lg_block_words *)(void *)(to + k),
     lg_weigh_three(lg_widened_bytes(above + k), lg_widened_bytes(at + k),
                    lg_widened_bytes(below + k), weight));
}

// The results of a block.
static inline lg_block_words lg_join_byte_block(const lg_block_words factor[3], lg_block_words half,
                                                __m128i shift, const int16_t *const lines[3], int i)
{
    lg_block_words v[2];
    for (int k = 0; k < 2; k++, i += LG_BLOCK_SIZE / 2) {
        const lg_block_words sum =
            lg_weigh_three(LG_BLOCK_AT(lines[0] + i), LG_BLOCK_AT(lines[1] + i),
                           LG_BLOCK_AT(lines[2] + i), factor);
        v[k] = LG_BLOCK_OP(sra_epi16)(LG_BLOCK_OP(add_epi16)(sum, half), shift);
    }
    return lg_narrowed(v[0], v[1]);
}
#endif

// ---- rows ---------------------------------------------------------------------------------------

static void lg_sum_byte_columns(const int16_t weight[3], const uint8_t *restrict above,
                                const uint8_t *restrict at, const uint8_t *restrict below,
                                int count, int16_t *restrict to)
{
    const int16_t a = weight[0], b = weight[1], c = weight[2];
#if LG_BLOCK_VECTORS
    const lg_block_words all[3] = {LG_BLOCK_OP(set1_epi16)(a), LG_BLOCK_OP(set1_epi16)(b),
                                   LG_BLOCK_OP(set1_epi16)(c)};
    for (int i = 0; i + LG_BLOCK_SIZE <= count; i += LG_BLOCK_SIZE)
        lg_sum_byte_block(all, above, at, below, i, to);
    if (count >= LG_BLOCK_SIZE) {
        lg_sum_byte_block(all, above, at, below, count - LG_BLOCK_SIZE, to);
        return;
    }
#endif
    for (int i = 0; i < count; i++)
        to[i] = (int16_t)(above[i] * a + at[i] * b + below[i] * c);
}

// Sums of the columns x - 1 to x + count.
static void lg_byte_column_line(const lg_stage_job *job, const int16_t weight[3],
                                const uint8_t *const rows[3], int64_t x, int count, int16_t *to)
{
    const int64_t width = job->in.width, step = job->in.channels;
    const int64_t first = LG_MAX(x - 1, 0), end = LG_MIN(x + count + 1, width);
    lg_sum_byte_columns(weight, rows[0] + first * step, rows[1] + first * step,
                        rows[2] + first * step, (int)((end - first) * step),
                        to + (first - x) * step);
    for (int side = 0; side < 2; side++) {
        const int64_t at = side ? x + count : x - 1;
        const int64_t column = lg_border_index(at, width, job->border);
        if (column < 0)
            memset(to + (at - x) * step, 0, (size_t)step * sizeof *to);
        else if (column != at)
            lg_sum_byte_columns(weight, rows[0] + column * step, rows[1] + column * step,
                                rows[2] + column * step, (int)step, to + (at - x) * step);
    }
}

// `count` results. `centre`: those of four bytes take its alpha, with the bits of `set`; false where that is
// left to be done.
static bool lg_join_byte_sums(const lg_byte_columns *c, int shift, const int16_t *const lines[3],
                              int count, const char *centre, uint32_t set, uint8_t *restrict to)
{
    const int16_t a = c->factor[0], b = c->factor[1], d = c->factor[2];
    const int16_t half = (int16_t)((1 << shift) >> 1);
#if LG_BLOCK_VECTORS
    const lg_block_words all[3] = {LG_BLOCK_OP(set1_epi16)(a), LG_BLOCK_OP(set1_epi16)(b),
                                   LG_BLOCK_OP(set1_epi16)(d)};
    const lg_block_words more = LG_BLOCK_OP(set1_epi16)(half);
    const __m128i places = _mm_cvtsi32_si128(shift);
    for (int k = 0; k < count && count >= LG_BLOCK_SIZE; k += LG_BLOCK_SIZE) {
        const int i = LG_MIN(k, count - LG_BLOCK_SIZE);
        lg_block_words v = lg_join_byte_block(all, more, places, lines, i);
        if (centre)
            v = lg_block_alpha(v, (const uint8_t *)centre + i, set);
        LG_BLOCK_ALL(storeu)((lg_block_words *)(void *)(to + i), v);
    }
    if (count >= LG_BLOCK_SIZE)
        return centre != NULL;
#endif
    for (int i = 0; i < count; i++) {
        const int sum = lines[0][i] * a + lines[1][i] * b + lines[2][i] * d + half;
        to[i] = (uint8_t)LG_MIN(LG_MAX(sum >> shift, 0), 255);
    }
    return false;
}

// Packed RGB to pixels of four bytes.
static void lg_pad_byte_sums(const uint8_t *sums, int count, char *to)
{
    for (int i = 0; i < count; i++) {
        uint32_t v; // of the last one a byte lies behind the sums
        memcpy(&v, sums + (size_t)i * 3, sizeof v);
        v |= 0xff000000u;
        memcpy(to + (size_t)i * sizeof v, &v, sizeof v);
    }
}

// `count` pixels of a row from column x on.
static void lg_byte_sum_part(const lg_stage_job *job, const lg_byte_columns *c,
                             const uint8_t *const rows[3], const char *centre, int64_t x, int count,
                             char *to, int16_t *scratch)
{
    const lg_pixels *in = &job->in, *out = &job->out;
    const bool fits = in->channels == out->channels;
    const int step = in->channels;
    int16_t *lines[3];
    for (int k = 0; k < 3; k++)
        lines[k] = scratch + (k < c->lines ? k : 0) * LG_BYTE_SUMS_PITCH + step;
    for (int k = 0; k < c->lines; k++)
        lg_byte_column_line(job, c->weight[k], rows, x, count, lines[k]);
    uint8_t *result = fits ? (uint8_t *)to : (uint8_t *)(scratch + 3 * LG_BYTE_SUMS_PITCH);
    const int16_t *const beside[3] = {lines[0] - step, lines[1], lines[2] + step};
    const uint32_t set = out->alpha == LG_ALPHA_OPAQUE ? 0xff000000u : 0;
    const bool done = lg_join_byte_sums(c, job->sums.shift, beside, count * step,
                                        step == 4 ? centre : NULL, set, result);
    if (!fits)
        lg_pad_byte_sums(result, count, to);
    else if (!done)
        lg_samples_alpha(out, centre, count, to);
}

#if LG_BLOCK_VECTORS
// Whether lg_three_run computes all of that.
static bool lg_three_takes(const lg_stage_job *job, const lg_byte_columns *c, lg_three_rows *t)
{
    const lg_pixels *in = &job->in, *out = &job->out;
    const int sign = c->weight[0][0] < 0 ? -1 : 1;
    const int16_t middle = (int16_t)(sign * c->weight[0][1]);
    *t = (lg_three_rows){.step = in->channels,
                         .count = (size_t)in->width * (size_t)in->channels,
                         .border = job->border,
                         .double_middle = middle == 2,
                         .shift = job->sums.shift,
                         .set = out->alpha == LG_ALPHA_OPAQUE ? 0xff000000u : 0,
                         .stream = out->stream && out->row_stride % 64 == 0 &&
                                   (uintptr_t)out->data % 64 == 0};
    for (int k = 0; k < 3; k++)
        t->along[k] = (int8_t)(sign * c->factor[k]);
    return c->lines == 1 && c->weight[0][0] * sign == 1 && c->weight[0][2] * sign == 1 &&
           (middle == 1 || middle == 2) && (in->channels == 1 || in->channels == 4) &&
           out->channels == in->channels && t->count >= LG_BLOCK_SIZE;
}
#endif

static void lg_byte_sum_rows(const lg_stage_job *job, int32_t first, int32_t end, float *scratch)
{
    const lg_pixels *in = &job->in, *out = &job->out;
    const lg_byte_columns all = lg_byte_columns_of(&job->sums);
#if LG_BLOCK_VECTORS
    lg_three_rows three;
    if (lg_three_takes(job, &all, &three)) {
        lg_three_run(&three, in, out, 0, first, end, false);
        return;
    }
#endif
    const int part = LG_BYTE_SUMS_PART / in->channels;
    for (int32_t y = first; y < end; y++) {
        lg_byte_columns columns = all;
        const uint8_t *rows[3];
        for (int k = 0; k < 3; k++) {
            int64_t row = lg_border_index((int64_t)y + k - 1, in->height, job->border);
            for (int i = 0; i < 3 && row < 0; i++) // samples of 0
                columns.weight[i][k] = 0;
            row = row < 0 ? y : row;
            rows[k] = (const uint8_t *)in->data + (size_t)row * in->row_stride;
        }
        const char *centre = in->data + (size_t)y * in->row_stride;
        char *to = out->data + (size_t)y * out->row_stride;
        for (int32_t x = 0, count; x < out->width; x += count) {
            count = LG_MIN(part, out->width - x);
            if (out->stream)
                lg_sums_ask(in, (int64_t)y + 2, (size_t)(x * in->channels),
                            (size_t)(count * in->channels));
            lg_byte_sum_part(job, &columns, rows, centre, x, count, to, (int16_t *)(void *)scratch);
            centre += (size_t)count * (size_t)in->channels;
            to += (size_t)count * (size_t)out->channels;
        }
    }
}

#endif

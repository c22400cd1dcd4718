// Part of stage_cpu.c: 3 x 3 windows of bytes as sums of integers of 16 bits (filter/byte_sums.h). Columns of
// three rows are summed first: to one line where the columns of weights are multiples of one, else to three.
#ifndef LG_STAGE_BYTE_SUMS_H
#define LG_STAGE_BYTE_SUMS_H

#include "filter/alpha.h"

#define LG_BYTE_SUMS_PART  2048 // samples of a row: their sums stay in the first cache
#define LG_BYTE_SUMS_PITCH 2080 // of lines of sums: see LG_SUMS_PITCH
#define LG_BYTE_SUMS_LEAD  16   // before a line, for the pixel to the left

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

static void lg_sum_byte_columns(const int16_t weight[3], const uint8_t *restrict above,
                                const uint8_t *restrict at, const uint8_t *restrict below,
                                int count, int16_t *restrict to)
{
    const int16_t a = weight[0], b = weight[1], c = weight[2];
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
                        rows[2] + first * step, (int)((end - first) * step), to + (first - x) * step);
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

static inline __attribute__((always_inline)) void
lg_join_byte_lines(const lg_byte_columns *c, int shift, const int16_t *restrict left,
                   const int16_t *restrict here, const int16_t *restrict right, int count,
                   uint8_t *restrict to)
{
    const int16_t a = c->factor[0], b = c->factor[1], d = c->factor[2];
    const int16_t half = (int16_t)((1 << shift) >> 1);
    for (int i = 0; i < count; i++) {
        const int16_t sum = (int16_t)(left[i] * a + here[i] * b + right[i] * d + half);
        const int16_t v = (int16_t)(sum >> shift), above = (int16_t)LG_MAX(v, 0);
        to[i] = (uint8_t)LG_MIN(above, 255);
    }
}

// Compilers shift 16 bits by a constant, but 32 by a variable.
static void lg_join_byte_sums(const lg_byte_columns *c, int shift, const int16_t *const lines[3],
                              int count, uint8_t *to)
{
#define LG_JOIN_BYTES(n)                                                                           \
    case n:                                                                                        \
        lg_join_byte_lines(c, n, lines[0], lines[1], lines[2], count, to);                         \
        break
    _Static_assert(LG_BYTE_SUMS_SHIFT == 7, "all shifts are listed");
    switch (shift) {
        LG_JOIN_BYTES(0);
        LG_JOIN_BYTES(1);
        LG_JOIN_BYTES(2);
        LG_JOIN_BYTES(3);
        LG_JOIN_BYTES(4);
        LG_JOIN_BYTES(5);
        LG_JOIN_BYTES(6);
        LG_JOIN_BYTES(7);
    }
#undef LG_JOIN_BYTES
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
        lines[k] = scratch + (k < c->lines ? k : 0) * LG_BYTE_SUMS_PITCH + LG_BYTE_SUMS_LEAD;
    for (int k = 0; k < c->lines; k++)
        lg_byte_column_line(job, c->weight[k], rows, x, count, lines[k]);
    uint8_t *result = fits ? (uint8_t *)to : (uint8_t *)(scratch + 3 * LG_BYTE_SUMS_PITCH);
    lg_join_byte_sums(c, job->sums.shift,
                      (const int16_t *const[3]){lines[0] - step, lines[1], lines[2] + step},
                      count * step, result);
    if (fits)
        lg_samples_alpha(out, centre, count, to);
    else
        lg_pad_byte_sums(result, count, to);
}

static void lg_byte_sum_rows(const lg_stage_job *job, int32_t first, int32_t end, float *scratch)
{
    const lg_pixels *in = &job->in, *out = &job->out;
    const lg_byte_columns all = lg_byte_columns_of(&job->sums);
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
            lg_byte_sum_part(job, &columns, rows, centre, x, count, to,
                             (int16_t *)(void *)scratch);
            centre += (size_t)count * (size_t)in->channels;
            to += (size_t)count * (size_t)out->channels;
        }
    }
}

#endif

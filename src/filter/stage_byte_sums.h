// Part of stage_cpu.c: 3 x 3 windows of bytes as sums of integers of 16 bits (filter/byte_sums.h). A row of
// the image gives one line of sums where the rows of weights are multiples of one, and else one for each.
#ifndef LG_STAGE_BYTE_SUMS_H
#define LG_STAGE_BYTE_SUMS_H

#include "filter/alpha.h"

#define LG_BYTE_SUMS_STRIP 2048 // samples: lines of sums stay in the first cache
#define LG_BYTE_SUMS_PITCH 2080 // of them: see LG_SUMS_PITCH

typedef struct lg_byte_sum_rows {
    int lines;            // of sums that a row gives: 1 or 3
    int16_t weight[3][3]; // of each
    int16_t factor[3];    // of the sums for the row above, the row and the row below
} lg_byte_sum_rows;

static int lg_common_divisor(int a, int b)
{
    return b ? lg_common_divisor(b, a % b) : a < 0 ? -a : a;
}

static bool lg_find_byte_factor(const int16_t one[3], const int16_t row[3], int16_t *factor)
{
    const int k = one[0] ? 0 : one[1] ? 1 : 2;
    *factor = (int16_t)(row[k] / one[k]);
    bool same = true;
    for (int i = 0; i < 3; i++)
        same = same && one[i] * *factor == row[i];
    return same;
}

static lg_byte_sum_rows lg_byte_sum_rows_of(const lg_byte_sums *s)
{
    lg_byte_sum_rows r = {.lines = 1};
    for (int i = 0; i < 3; i++) {
        const int16_t *row = s->weight + 3 * i;
        const int common = lg_common_divisor(row[0], lg_common_divisor(row[1], row[2]));
        for (int k = 0; k < 3 && common > 0; k++)
            r.weight[0][k] = (int16_t)(row[k] / common);
    }
    const int16_t *one = r.weight[0];
    bool same = one[0] || one[1] || one[2];
    for (int i = 0; i < 3 && same; i++)
        same = lg_find_byte_factor(one, s->weight + 3 * i, &r.factor[i]);
    if (same)
        return r;
    r = (lg_byte_sum_rows){.lines = 3, .factor = {1, 1, 1}};
    memcpy(r.weight, s->weight, sizeof r.weight);
    return r;
}

static void lg_sum_bytes(const int16_t weight[3], const uint8_t *restrict line, int step, int count,
                         int16_t *restrict to)
{
    const int16_t a = weight[0], b = weight[1], c = weight[2];
    for (int i = 0; i < count; i++)
        to[i] = (int16_t)(line[i - step] * a + line[i] * b + line[i + step] * c);
}

// The sums of `count` pixels from column x of row y on. Those at the edges of the image are made of a copy.
static void lg_sum_byte_row(const lg_stage_job *job, const int16_t weight[3], int64_t x, int64_t y,
                            int count, int16_t *to)
{
    const lg_pixels *in = &job->in;
    const int step = in->channels;
    const int64_t row = lg_border_index(y, in->height, job->border);
    if (row < 0) {
        memset(to, 0, (size_t)(count * step) * sizeof *to);
        return;
    }
    const uint8_t *from = (const uint8_t *)in->data + (size_t)row * in->row_stride;
    const int64_t first = LG_MAX(x, 1), end = LG_MIN(x + count, (int64_t)in->width - 1);
    if (first < end)
        lg_sum_bytes(weight, from + first * step, step, (int)(end - first) * step,
                     to + (first - x) * step);
    for (int side = 0; side < 2; side++) {
        const int64_t at = side ? in->width - 1 : 0;
        if (at < x || at >= x + count)
            continue;
        uint8_t pixels[3 * 4] = {0};
        for (int k = 0; k < 3; k++) {
            const int64_t column = lg_border_index(at + k - 1, in->width, job->border);
            for (int c = 0; c < step && column >= 0; c++)
                pixels[k * step + c] = from[column * step + c];
        }
        lg_sum_bytes(weight, pixels + step, step, step, to + (at - x) * step);
    }
}

static void lg_join_byte_sums(const lg_byte_sum_rows *r, int shift, const int16_t *restrict above,
                              const int16_t *restrict at, const int16_t *restrict below, int count,
                              uint8_t *restrict to)
{
    const int16_t a = r->factor[0], b = r->factor[1], c = r->factor[2];
    const int16_t half = (int16_t)((1 << shift) >> 1);
    for (int i = 0; i < count; i++) {
        const int16_t sum = (int16_t)(above[i] * a + at[i] * b + below[i] * c + half);
        const int16_t v = (int16_t)(sum >> shift);
        to[i] = (uint8_t)LG_MIN(LG_MAX(v, 0), 255);
    }
}

// Whether results lie as the samples that they are of.
static bool lg_byte_sums_fit(const lg_pixels *in, const lg_pixels *out)
{
    return in->channels == out->channels && (in->channels == 1 || in->alpha == out->alpha);
}

// Pixels of sums to those of another layout. `centre`: the pixels of the image, which have the alpha.
static void lg_spread_byte_sums(const lg_pixels *in, const lg_pixels *out, const uint8_t *sums,
                                const char *centre, int count, uint8_t *to)
{
    const int n = in->channels;
    const bool two = n == 2 && in->alpha == LG_ALPHA_NONE;
    const bool has_alpha = n != 3 && !lg_reads_opaque(n, in->alpha);
    for (int i = 0; i < count && n == 3 && out->channels == 4; i++) {
        uint32_t v; // the last one ends behind the sums
        memcpy(&v, sums + (size_t)i * 3, 4);
        v |= 0xff000000u;
        memcpy(to + (size_t)i * 4, &v, 4);
    }
    for (int i = 0; i < count && (n != 3 || out->channels != 4); i++) {
        const uint8_t *s = sums + (size_t)i * (size_t)n;
        uint8_t p[4] = {s[0], s[0], s[0], 255};
        if (n > 2 || two) {
            p[1] = s[1];
            p[2] = two ? 0 : s[2];
        }
        if (has_alpha && out->alpha != LG_ALPHA_OPAQUE)
            p[3] = (uint8_t)centre[(size_t)i * (size_t)n + (size_t)n - 1];
        if (out->channels == 2 && out->alpha != LG_ALPHA_NONE)
            p[1] = p[3];
        memcpy(to + (size_t)i * (size_t)out->channels, p, (size_t)out->channels);
    }
}

static void lg_byte_sum_strip(const lg_stage_job *job, const lg_byte_sum_rows *r, int64_t x,
                              int count, int32_t first, int32_t end, int16_t *scratch)
{
    const lg_pixels *in = &job->in, *out = &job->out;
    const int samples = count * in->channels;
    const bool fits = lg_byte_sums_fit(in, out);
    uint8_t *result = (uint8_t *)(scratch + 9 * LG_BYTE_SUMS_PITCH);
    int16_t *sums[3][3]; // of three rows
    for (int k = 0; k < 9; k++)
        sums[k / 3][k % 3] = scratch + k * LG_BYTE_SUMS_PITCH;
    for (int64_t y = (int64_t)first - 1; y <= end; y++) {
        int16_t **next = sums[(y + 3) % 3];
        for (int k = 0; k < r->lines; k++)
            lg_sum_byte_row(job, r->weight[k], x, y, count, next[k]);
        if (y <= first)
            continue;
        const size_t row = (size_t)(y - 1);
        const char *centre = in->data + row * in->row_stride + (size_t)(x * in->channels);
        char *to = out->data + row * out->row_stride + (size_t)(x * out->channels);
        const int middle = r->lines / 2, last = r->lines - 1;
        lg_join_byte_sums(r, job->sums.shift, sums[(y + 1) % 3][0], sums[(y + 2) % 3][middle],
                          next[last], samples, fits ? (uint8_t *)to : result);
        if (fits)
            lg_samples_alpha(out, centre, count, to);
        else
            lg_spread_byte_sums(in, out, result, centre, count, (uint8_t *)to);
    }
}

static void lg_byte_sum_windows(const lg_stage_job *job, int32_t first, int32_t end, float *scratch)
{
    const lg_byte_sum_rows rows = lg_byte_sum_rows_of(&job->sums);
    const int strip = LG_BYTE_SUMS_STRIP / job->in.channels;
    for (int32_t x = 0; x < job->out.width; x += strip)
        lg_byte_sum_strip(job, &rows, x, LG_MIN(strip, job->out.width - x), first, end,
                          (int16_t *)(void *)scratch);
}

#endif

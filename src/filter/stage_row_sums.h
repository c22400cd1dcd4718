// Part of stage_cpu.c: 3 x 3 windows of bytes whose value is the sum of three rows' sums. Where the weights
// of all rows are those of one row times a power of two, or nothing, so are the sums: the one of a line is
// made once, though three rows of results take it. All of that is exact unless a float is very large or very
// small.
#ifndef LG_STAGE_ROW_SUMS_H
#define LG_STAGE_ROW_SUMS_H

#include "filter/stage_windows.h"

#define LG_SUMS_LEAST 0x1p-60f // of a weight that is not 0, and the inverse of the most
#define LG_SUMS_STRIP 2048     // samples: a line and three lines of sums stay in the first cache
// Floats from one of these lines to the next: no store is a multiple of 4096 bytes behind a load that comes
// soon, which would wait for it.
#define LG_SUMS_PITCH 2304

typedef struct lg_row_sums {
    float weight[3]; // of a row's sum
    float factor[3]; // of that sum for the row above, the row and the row below
    bool exact;      // the last two products are, so that they can be fused with the sums
} lg_row_sums;

static bool lg_is_power_of_two(float v)
{
    int exponent;
    const float part = frexpf(v, &exponent);
    return part == 0.5f || part == -0.5f;
}

// The factor from row `one` to row `of`; false where there is none.
static bool lg_find_factor(const float one[3], const float of[3], float *factor)
{
    const int k = one[0] != 0 ? 0 : one[1] != 0 ? 1 : 2;
    *factor = one[k] != 0 ? of[k] / one[k] : 0;
    bool same = *factor == 0 || lg_is_power_of_two(*factor);
    for (int i = 0; i < 3; i++)
        same = same && one[i] * *factor == of[i];
    return same;
}

static bool lg_find_row_sums(const lg_stage_job *job, lg_row_sums *s)
{
    const lg_span span = {.values = job->first.values, .tables = job->first.tables};
    float weights[3][3];
    int base = -1;
    for (int i = 0; i < 9; i++) {
        const float w = job->first.loops->weight(&span, i);
        if (w != 0 && !(fabsf(w) >= LG_SUMS_LEAST && fabsf(w) <= 1 / LG_SUMS_LEAST))
            return false;
        weights[i / 3][i % 3] = w;
        base = base < 0 && w != 0 ? i / 3 : base;
    }
    if (base < 0)
        return false;
    memcpy(s->weight, weights[base], sizeof s->weight);
    s->exact = true;
    for (int i = 1; i < 3; i++)
        s->exact = s->exact && (s->weight[i] == 0 || lg_is_power_of_two(s->weight[i]));
    for (int i = 0; i < 3; i++)
        if (!lg_find_factor(s->weight, weights[i], &s->factor[i]))
            return false;
    return true;
}

static bool lg_sums_rows(const lg_stage_job *job, lg_row_sums *s)
{
    return job->source == LG_FILTER_WINDOW && job->first.loops->sums_rows &&
           job->in.type == LG_U8 && job->in.channels != 3 && lg_find_row_sums(job, s);
}

// The rounded sum of the exact product a b and c.
static inline float lg_add_exact(float a, float b, float c)
{
#ifdef __FMA__
    return __builtin_fmaf(a, b, c);
#else
    return a * b + c;
#endif
}

static void lg_sum_line(const lg_row_sums *s, const float *restrict line, int step, int count,
                        float *restrict to)
{
    const float *before = line - step, *behind = line + step;
    const float a = s->weight[0], b = s->weight[1], c = s->weight[2];
    if (s->exact)
        for (int i = 0; i < count; i++)
            to[i] = lg_add_exact(behind[i], c, lg_add_exact(line[i], b, before[i] * a));
    else
        for (int i = 0; i < count; i++)
            to[i] = (before[i] * a + line[i] * b) + behind[i] * c;
}

static void lg_sum_lines(const float factor[3], const float *restrict above,
                         const float *restrict at, const float *restrict below, int count,
                         uint8_t *restrict to)
{
    const float a = factor[0], b = factor[1], c = factor[2];
    for (int i = 0; i < count; i++)
        to[i] = (uint8_t)lg_to_unit(lg_add_exact(below[i], c, lg_add_exact(at[i], b, above[i] * a)),
                                    255.0f);
}

// Asks for the bytes of a row that is needed soon.
static void lg_sums_ask(const lg_pixels *in, int64_t y, size_t at, size_t count)
{
    const char *from = in->data + (size_t)LG_MIN(y, in->height - 1) * in->row_stride + at;
    for (size_t i = 0; i < count; i += 64)
        __builtin_prefetch(from + i);
}

static void lg_sum_strip(const lg_sample_windows *w, const lg_row_sums *s, int64_t x, int count,
                         int32_t first, int32_t end, float *scratch)
{
    const lg_pixels *in = &w->job->in, *out = &w->job->out;
    float *line = scratch + LG_SAMPLES_LEAD, *sums[3];
    for (int k = 0; k < 3; k++)
        sums[k] = line + (k + 1) * LG_SUMS_PITCH;
    for (int64_t y = (int64_t)first - 1; y <= end; y++) {
        lg_samples_load(w, x, y, count, line);
        lg_sums_ask(in, y + 2, (size_t)x * w->pixel, (size_t)count * w->pixel);
        lg_sum_line(s, line, w->step, count * w->step, sums[2]);
        if (y > first) {
            const size_t at = (size_t)x * w->pixel;
            char *to = out->data + (size_t)(y - 1) * out->row_stride + at;
            lg_sum_lines(s->factor, sums[0], sums[1], sums[2], count * w->step, (uint8_t *)to);
            lg_samples_alpha(out, in->data + (size_t)(y - 1) * in->row_stride + at, count, to);
        }
        float *kept = sums[0];
        sums[0] = sums[1], sums[1] = sums[2], sums[2] = kept;
    }
}

// ---- rows ---------------------------------------------------------------------------------------

static void lg_sample_rows(const lg_sample_windows *w, int32_t first, int32_t end, float *scratch)
{
    const lg_chain_kernel *kernel = &w->job->first;
    const lg_pixels *out = &w->job->out;
    lg_row_sums sums;
    if (lg_chooses(w->job)) {
        for (int32_t y = first; y < end; y += 2)
            lg_choose_rows(w, kernel->loops->choices[out->type == LG_U16], y, LG_MIN(2, end - y));
        return;
    }
    if (lg_sums_rows(w->job, &sums)) {
        const int strip = LG_SUMS_STRIP / w->step;
        for (int32_t x = 0; x < out->width; x += strip)
            lg_sum_strip(w, &sums, x, LG_MIN(strip, out->width - x), first, end, scratch);
        return;
    }
    lg_span span = {.values = kernel->values, .tables = kernel->tables};
    const int pixels = LG_WINDOW_SAMPLES / w->step;
    for (int32_t x = 0; x < out->width; x += pixels)
        lg_sample_strip(w, &span, x, LG_MIN(pixels, out->width - x), first, end, scratch);
}

#endif

// Part of stage_cpu.c: the mean of points along a line, point after point.
#ifndef LG_STAGE_LINE_H
#define LG_STAGE_LINE_H

#include "kernel/pixel_rule.h"

// Adds a point of `count` pixels to their sums; `first` begins these.
static void lg_line_sum(float *const from[4], bool first, float weight, int count,
                        float *const sums[4])
{
    const float *restrict r = from[0], *restrict g = from[1];
    const float *restrict b = from[2], *restrict a = from[3];
    float *restrict sum_r = sums[0], *restrict sum_g = sums[1];
    float *restrict sum_b = sums[2], *restrict sum_a = sums[3];
    if (first)
        for (int k = 0; k < 4; k++)
            memset(sums[k], 0, (size_t)count * sizeof *sums[k]);
    for (int i = 0; i < count; i++) {
        const lg_line sum = {sum_r[i], sum_g[i], sum_b[i], sum_a[i], 0};
        const lg_line y = lg_line_add(sum, rgba(r[i], g[i], b[i], a[i]), weight);
        sum_r[i] = y.r, sum_g[i] = y.g, sum_b[i] = y.b, sum_a[i] = y.a;
    }
}

static void lg_line_means(float *const sums[4], float weight, int count, float *const to[4])
{
    const float *restrict sum_r = sums[0], *restrict sum_g = sums[1];
    const float *restrict sum_b = sums[2], *restrict sum_a = sums[3];
    float *restrict r = to[0], *restrict g = to[1], *restrict b = to[2], *restrict a = to[3];
    for (int i = 0; i < count; i++) {
        const lg_line sum = {sum_r[i], sum_g[i], sum_b[i], sum_a[i], weight};
        const color y = lg_line_mean(sum);
        r[i] = y.r, g[i] = y.g, b[i] = y.b, a[i] = y.a;
    }
}

#endif

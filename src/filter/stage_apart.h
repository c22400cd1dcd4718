// Part of stage_cpu.c: neighbours of a window at any distance. Where they lie between pixels they are mixed
// of these, first down the columns and then along rows, multiplied by alpha.
#ifndef LG_STAGE_APART_H
#define LG_STAGE_APART_H

#include "filter/stage.h"
#include "kernel/color_math.h"
#include "kernel/pixel_rule.h"

typedef void lg_bordered_fn(const lg_pixels *in, int64_t x, int64_t y, int count, lg_border border,
                            float *const to[4]);

static void lg_multiply_alpha(int count, float *const to[4])
{
    float *restrict r = to[0], *restrict g = to[1], *restrict b = to[2];
    const float *restrict a = to[3];
    for (int i = 0; i < count; i++)
        r[i] = r[i] * a[i], g[i] = g[i] * a[i], b[i] = b[i] * a[i];
}

static void lg_mix_planes(float *const to[4], float *const next[4], int count, float part)
{
    for (int c = 0; c < 4; c++) {
        float *restrict v = to[c];
        const float *restrict other = next[c];
        for (int i = 0; i < count; i++)
            v[i] = lg_between(v[i], other[i], part);
    }
}

// Premultiplied colours of the columns from x on, at a distance down from row y.
static void lg_load_down(const lg_stage_job *job, lg_bordered_fn *load, int64_t x, int64_t y,
                         lg_beside down, int count, float *const to[4], float *const spare[4])
{
    load(&job->in, x, y + down.near, count, job->border, to);
    lg_multiply_alpha(count, to);
    if (!(down.part > 0))
        return;
    load(&job->in, x, y + down.next, count, job->border, spare);
    lg_multiply_alpha(count, spare);
    lg_mix_planes(to, spare, count, down.part);
}

// Colours of the neighbours of `count` pixels, for which `more` has two spare sets of planes.
static void lg_load_neighbours(const lg_stage_job *job, lg_bordered_fn *load, int64_t x, int64_t y,
                               lg_beside across, lg_beside down, int count, float *const to[4],
                               float *const more[8])
{
    if (!(across.part > 0) && !(down.part > 0)) {
        load(&job->in, x + across.near, y + down.near, count, job->border, to);
        return;
    }
    lg_load_down(job, load, x + across.near, y, down, count, to, more);
    if (across.part > 0) {
        lg_load_down(job, load, x + across.next, y, down, count, more + 4, more);
        lg_mix_planes(to, more + 4, count, across.part);
    }
    for (int i = 0; i < count; i++) {
        const color c = lg_straight(rgba(to[0][i], to[1][i], to[2][i], to[3][i]));
        to[0][i] = c.r, to[1][i] = c.g, to[2][i] = c.b;
    }
}

#endif

// One of the two passes of GPUImage's bilateral filter, for one CPU level.
#include "filter/native/bilateral_pass/bilateral_pass.h"

#include "cpu/cpu.h"
#include "filter/native/bilateral_pass/bilateral_pass_math.h"
#include "filter/native/color_rows.h"
#include "kernel/pixel_rule.h"

#define STRIDE (LG_PASS_STRIP + 8 * LG_PASS_SPACING)

// Planes of colour, STRIDE floats each.
typedef float planes[4][STRIDE];

typedef struct scratch {
    planes rows[9];
    planes sums;
    float weights[STRIDE];
} pass_scratch;

static void premultiply(planes p, int count)
{
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            p[k][i] *= p[3][i];
}

static void load(const lg_bilateral_pass *pass, const lg_pixels *in, int64_t first, int64_t end,
                 int64_t y, planes to)
{
    lg_color_row(lg_stage_get(LG_CPU_LEVEL_ID), in, pass->border, first, end, y,
                 (float *const[4]){to[0], to[1], to[2], to[3]});
    if (pass->alpha)
        premultiply(to, (int)(end - first));
}

// Adds a tap to the sums of `count` pixels. `at`: the pixels, `from`: the taps.
static __attribute__((noinline)) void add_tap(const float *const at[4], const float *const from[4],
                                              float tap, float factor, int count,
                                              pass_scratch *restrict s)
{
    for (int i = 0; i < count; i++) {
        const color c = {at[0][i], at[1][i], at[2][i], at[3][i]};
        const color o = {from[0][i], from[1][i], from[2][i], from[3][i]};
        const float weight = bilateral_pass_weight(c, o, tap, factor);
        s->sums[0][i] += weight * o.r;
        s->sums[1][i] += weight * o.g;
        s->sums[2][i] += weight * o.b;
        s->sums[3][i] += weight * o.a;
        s->weights[i] += weight;
    }
}

static void finish(const lg_bilateral_pass *pass, int count, pass_scratch *s)
{
    for (int i = 0; i < count; i++) {
        color y = bilateral_pass_mean(
            (color){s->sums[0][i], s->sums[1][i], s->sums[2][i], s->sums[3][i]}, s->weights[i]);
        y = pass->alpha ? lg_straight(y) : y;
        s->sums[0][i] = y.r, s->sums[1][i] = y.g, s->sums[2][i] = y.b, s->sums[3][i] = y.a;
    }
}

static void sum_row(const lg_bilateral_pass *pass, const lg_pixel_tile *t, int32_t y,
                    pass_scratch *s)
{
    const int count = t->x_end - t->x, beside = pass->down ? 0 : 4 * pass->spacing;
    for (int k = -4; k <= 4; k++)
        if (pass->down || k == 0)
            load(pass, &t->in, (int64_t)t->x - beside, (int64_t)t->x_end + beside,
                 (int64_t)y + (int64_t)k * pass->spacing, s->rows[k + 4]);
    memset(s->sums, 0, sizeof s->sums);
    memset(s->weights, 0, sizeof s->weights);
    float(*middle)[STRIDE] = s->rows[4];
    const float *const at[4] = {middle[0] + beside, middle[1] + beside, middle[2] + beside,
                                middle[3] + beside};
    for (int k = -4; k <= 4; k++) {
        float(*row)[STRIDE] = pass->down ? s->rows[k + 4] : middle;
        const int off = pass->down ? 0 : beside + k * pass->spacing;
        const float *const from[4] = {row[0] + off, row[1] + off, row[2] + off, row[3] + off};
        add_tap(at, from, bilateral_pass_tap(k), pass->factor, count, s);
    }
    finish(pass, count, s);
}

static void run(const void *job, const lg_pixel_tile *t, char *memory)
{
    pass_scratch *s = (pass_scratch *)(void *)memory;
    const lg_stage_table *stage = lg_stage_get(LG_CPU_LEVEL_ID);
    for (int32_t y = t->y; y < t->y_end; y++) {
        sum_row(job, t, y, s);
        for (int32_t x = t->x; x < t->x_end; x += LG_SPAN) {
            const int at = x - t->x;
            stage->store(&t->out, x, y, LG_MIN(LG_SPAN, t->x_end - x),
                         (float *const[4]){s->sums[0] + at, s->sums[1] + at, s->sums[2] + at,
                                           s->sums[3] + at});
        }
    }
}

extern const lg_pixel_tiles LG_CPU_TABLE(bilateral_pass);
const lg_pixel_tiles LG_CPU_TABLE(bilateral_pass) = {.run = run};

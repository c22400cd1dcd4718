// Levels of bytes: 16-bit samples with 6 bits behind the point, and results in 256ths.
#include "filter/alpha.h"
#include "filter/native/planes.h"
#include "filter/native/reach.h"

#define SAMPLE int16_t
// Of sums below 2^16.
#define ROUND(sum, bits, up)       ((int16_t)((uint16_t)((sum) + (1 << ((bits)-1)) - !(up)) >> (bits)))
#define SMOOTH(a, b, c, up)        ROUND((a) + (c) + 2 * (b), 2, up)
#define BETWEEN(b, c, up)          ROUND((b) + (c), 1, up)
#define NEAR(a, b, c, up)          ROUND(NEAR_256(a, b, c, up), 2, up)
#define NEAR_256(a, b, c, up)      ((((a) + (c) + (up)) >> 1) + 3 * (b))
#define BETWEEN_256(b, c)          (2 * ((b) + (c)))
#define WEIGH(g, rows, count, out) LG_CPU_TABLE(gaussian_bytes).weigh(g, rows, count, out)

#include "cpu/cpu.h"
#include "filter/native/gaussian_blur/gaussian_blur.h"

extern const lg_gaussian_bytes_table LG_CPU_TABLE(gaussian_bytes);

#include "filter/native/gaussian_blur/gaussian_pyramid_rows.h"

// ---- from the image -----------------------------------------------------------------------------

// Nothing needs to be rounded: the weights are 16ths, samples are 64ths.
static void smooth_bytes(const uint8_t *const rows[5], size_t count, SAMPLE *restrict out)
{
    const uint8_t *a = rows[0], *b = rows[1], *c = rows[2], *d = rows[3], *e = rows[4];
    for (size_t i = 0; i < count; i++)
        out[i] = (SAMPLE)(4 * ((a[i] + e[i]) + 4 * (b[i] + d[i]) + 6 * c[i]));
}

static void halve_image(const lg_gaussian_pyramid *p, int64_t y, int64_t end, char *scratch)
{
    const lg_gaussian_range x = p->halved[0].x;
    const size_t step = (size_t)p->step, line = line_samples(p, x);
    SAMPLE *smooth = take_samples(&scratch, line), *spare = take_samples(&scratch, line);
    const void *zeros = take_samples(&scratch, line);
    memset(smooth, 0, line * sizeof *smooth);
    memset((void *)(uintptr_t)zeros, 0, line * sizeof *smooth);
    const lg_reach reach = {&p->in, p->border, x.first, x.end, 0, p->in.width, zeros};
    for (; y < end; y++) {
        const uint8_t *rows[5];
        for (int k = 0; k < 5; k++)
            rows[k] = lg_reach_row(&reach, 2 * y - 2 + k);
        smooth_bytes(rows, (size_t)p->in.width * step, smooth + (size_t)-x.first * step);
        lg_reach_fill(&reach, smooth, step * sizeof *smooth);
        halve_line(smooth, p->step, (size_t)lg_gaussian_count(p->halved[1].x), spare,
                   row_of(&p->halved[1], y));
    }
}

// ---- to the image -------------------------------------------------------------------------------

static void put_bytes(const lg_gaussian_pyramid *p, const SAMPLE *const *rows, int count,
                      size_t samples, char *to_)
{
    const SAMPLE *a = rows[0], *b = rows[1], *c = rows[count - 1];
    uint8_t *restrict to = (uint8_t *)to_;
    if (count == 2)
        for (size_t i = 0; i < samples; i++)
            to[i] = (uint8_t)ROUND(BETWEEN_256(a[i], b[i]), 8, 1);
    else
        for (size_t i = 0; i < samples; i++)
            to[i] = (uint8_t)ROUND(NEAR_256(a[i], b[i], c[i], 1), 8, 1);
    if (p->out.alpha == LG_ALPHA_OPAQUE && p->out.channels > 1)
        lg_set_alpha(LG_U8, p->out.channels, NULL, (size_t)p->out.width, to_);
}

// In 256ths of a byte's step.
static void sum_rows(const SAMPLE *const *rows, int count, size_t at, size_t samples,
                     uint16_t *restrict out)
{
    const SAMPLE *a = rows[0] + at, *b = rows[1] + at, *c = rows[count - 1] + at;
    if (count == 2)
        for (size_t i = 0; i < samples; i++)
            out[i] = (uint16_t)BETWEEN_256(a[i], b[i]);
    else
        for (size_t i = 0; i < samples; i++)
            out[i] = (uint16_t)NEAR_256(a[i], b[i], c[i], 1);
}

static void put_32nds(const SAMPLE *const *rows, int count, size_t samples, char *to_)
{
    uint16_t *to = (uint16_t *)(void *)to_;
    sum_rows(rows, count, 0, samples, to);
    for (size_t i = 0; i < samples; i++)
        to[i] = (uint16_t)((to[i] + 4) >> 3);
}

static void put_floats(const lg_gaussian_pyramid *p, const SAMPLE *const *rows, int count,
                       int32_t y)
{
    uint16_t sums[4 * LG_SPAN];
    float values[4 * LG_SPAN];
    for (int32_t x = 0; x < p->in.width; x += LG_SPAN) {
        const int pixels = LG_MIN(p->in.width - x, LG_SPAN);
        const size_t samples = (size_t)(pixels * p->step);
        sum_rows(rows, count, (size_t)x * (size_t)p->step, samples, sums);
        for (size_t i = 0; i < samples; i++)
            values[i] = (float)sums[i] * p->scale;
        lg_samples_store(lg_stage_get(LG_CPU_LEVEL_ID), &p->in, &p->out, x, y, pixels, values);
    }
}

static void expand_image(const lg_gaussian_pyramid *p, int64_t y, int64_t end, char *scratch)
{
    const size_t samples = line_samples(p, p->blurred[0].x);
    doubled d = make_doubled(p, 0, &scratch);
    for (; y < end; y++) {
        const SAMPLE *rows[3];
        const int count = rows_around(&d, y, rows);
        char *to = p->out.data + (size_t)y * p->out.row_stride;
        if (p->result == LG_GAUSSIAN_PLANE)
            put_32nds(rows, count, samples, to);
        else if (p->rounded)
            put_bytes(p, rows, count, samples, to);
        else
            put_floats(p, rows, count, (int32_t)y);
    }
}

static void halve(const void *arg, int64_t y, int64_t end, char *scratch)
{
    const lg_gaussian_pyramid *p = arg;
    if (p->level == 1)
        halve_image(p, y, end, scratch);
    else
        halve_level(p, y, end, scratch);
}

static void expand(const void *arg, int64_t y, int64_t end, char *scratch)
{
    const lg_gaussian_pyramid *p = arg;
    if (p->level == 0)
        expand_image(p, y, end, scratch);
    else
        expand_level(p, y, end, scratch);
}

extern const lg_gaussian_pyramid_table LG_CPU_TABLE(gaussian_pyramid_bytes);
const lg_gaussian_pyramid_table LG_CPU_TABLE(gaussian_pyramid_bytes) = {halve, weigh_level, expand};

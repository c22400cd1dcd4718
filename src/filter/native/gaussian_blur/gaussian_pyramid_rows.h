// Rows of the levels of a Gaussian blur: for files that are compiled once per CPU level and define before:
//   SAMPLE
//   SMOOTH(a, b, c, up)   1/4 a + 1/2 b + 1/4 c
//   BETWEEN(b, c, up)     1/2 b + 1/2 c
//   NEAR(a, b, c, up)     1/8 a + 3/4 b + 1/8 c
//   WEIGH(g, rows, count, out)   the weighted sums of 2 taps + 1 rows
// With `up` halves are rounded up, else down: in turns, so that errors cancel.
#ifndef LG_GAUSSIAN_PYRAMID_ROWS_H
#define LG_GAUSSIAN_PYRAMID_ROWS_H

#include "filter/native/gaussian_blur/gaussian_pyramid.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

static SAMPLE *take_samples(char **scratch, size_t count)
{
    SAMPLE *taken = (SAMPLE *)(void *)*scratch;
    *scratch += lg_align_up((count + LG_GAUSSIAN_SLACK) * sizeof(SAMPLE), 64);
    return taken;
}

static SAMPLE *row_of(const lg_gaussian_level *level, int64_t y)
{
    return (SAMPLE *)(void *)(level->data + (size_t)(y - level->y.first) * level->pitch);
}

// Samples of one line.
static size_t line_samples(const lg_gaussian_pyramid *p, lg_gaussian_range x)
{
    return (size_t)lg_gaussian_count(x) * (size_t)p->step;
}

// ---- halving ------------------------------------------------------------------------------------

// Five rows, smoothed twice.
static void smooth_columns(const SAMPLE *const rows[5], size_t count, SAMPLE *restrict out)
{
    const SAMPLE *a = rows[0], *b = rows[1], *c = rows[2], *d = rows[3], *e = rows[4];
    for (size_t i = 0; i < count; i++)
        out[i] = SMOOTH(SMOOTH(a[i], b[i], c[i], 1), SMOOTH(b[i], c[i], d[i], 1),
                        SMOOTH(c[i], d[i], e[i], 1), 0);
}

INLINE void halve_pixels(const SAMPLE *restrict line, const size_t step, size_t count,
                         SAMPLE *restrict spare, SAMPLE *restrict out)
{
    for (size_t i = 0; i < (2 * count + 1) * step; i++)
        spare[i] = SMOOTH(line[i], line[i + step], line[i + 2 * step], 1);
    for (size_t x = 0; x < count; x++)
        for (size_t c = 0; c < step; c++) {
            const SAMPLE *from = spare + 2 * x * step + c;
            out[x * step + c] = SMOOTH(from[0], from[step], from[2 * step], 0);
        }
}

// A line smoothed twice, and every second pixel of it: `line` begins two pixels before the first.
static void halve_line(const SAMPLE *line, int step, size_t count, SAMPLE *spare, SAMPLE *out)
{
    switch (step) {
    case 1:
        halve_pixels(line, 1, count, spare, out);
        break;
    case 2:
        halve_pixels(line, 2, count, spare, out);
        break;
    default:
        halve_pixels(line, 4, count, spare, out);
    }
}

// Rows of a level that comes from another one.
static void halve_level(const lg_gaussian_pyramid *p, int64_t y, int64_t end, char *scratch)
{
    const int level = p->level;
    const lg_gaussian_level *from = &p->halved[level - 1], *to = &p->halved[level];
    const size_t line = line_samples(p, from->x), into = line_samples(p, to->x);
    SAMPLE *smooth = take_samples(&scratch, line * (size_t)p->lines);
    SAMPLE *spare = take_samples(&scratch, line);
    for (; y < end; y++) {
        const SAMPLE *rows[5];
        for (int k = 0; k < 5; k++)
            rows[k] = row_of(from, 2 * y - 2 + k);
        smooth_columns(rows, line * (size_t)p->lines, smooth);
        for (int l = 0; l < p->lines; l++)
            halve_line(smooth + (size_t)l * line, p->step, (size_t)lg_gaussian_count(to->x), spare,
                       row_of(to, y) + (size_t)l * into);
    }
}

// ---- weights ------------------------------------------------------------------------------------

#define WEIGHED_TOGETHER 512 // samples of a row: those of a window's rows stay in the first cache

// Down the columns of rows y .. end - 1, some columns after the other.
static void weigh_columns(const lg_gaussian_pyramid *p, int64_t y, int64_t end, size_t count,
                          size_t pitch, SAMPLE *to)
{
    const int taps = p->g->taps;
    const SAMPLE *rows[2 * LG_GAUSSIAN_LEVEL_TAPS + 1];
    for (size_t at = 0; at < count; at += WEIGHED_TOGETHER)
        for (int64_t k = 0; k < end - y; k++) {
            for (int i = 0; i <= 2 * taps; i++)
                rows[i] = row_of(&p->halved[p->g->levels], y + k - taps + i) + at;
            WEIGH(p->g, rows, LG_MIN(count - at, WEIGHED_TOGETHER), to + (size_t)k * pitch + at);
        }
}

static void weigh_level(const void *arg, int64_t y, int64_t end, char *scratch)
{
    const lg_gaussian_pyramid *p = arg;
    const lg_gaussian *g = p->g;
    const lg_gaussian_level *from = &p->halved[g->levels], *to = &p->blurred[g->levels];
    const size_t line = line_samples(p, from->x), into = line_samples(p, to->x);
    const size_t pitch = from->pitch / sizeof(SAMPLE), count = line * (size_t)p->lines;
    const SAMPLE *rows[2 * LG_GAUSSIAN_LEVEL_TAPS + 1];
    SAMPLE *sums = take_samples(&scratch, pitch * (size_t)(end - y));
    weigh_columns(p, y, end, count, pitch, sums);
    for (; y < end; y++, sums += pitch)
        for (int l = 0; l < p->lines; l++) {
            for (int k = 0; k <= 2 * g->taps; k++)
                rows[k] = sums + (size_t)l * line + k * p->step;
            // What is written behind a line belongs to the next one, or to nobody.
            WEIGH(g, rows, into, row_of(to, y) + (size_t)l * into);
        }
}

// ---- doubling -----------------------------------------------------------------------------------

// Twice as many pixels, the first of them at position -1, half a pixel behind the first of `line`.
INLINE void expand_pixels(const SAMPLE *restrict line, const size_t step, size_t pairs,
                          SAMPLE *restrict out)
{
    for (size_t x = 0; x < pairs; x++)
        for (size_t c = 0; c < step; c++) {
            const SAMPLE *at = line + x * step + c;
            out[2 * x * step + c] = BETWEEN(at[0], at[step], 0);
            out[(2 * x + 1) * step + c] = NEAR(at[0], at[step], at[2 * step], 0);
        }
}

static void expand_line(const SAMPLE *line, int step, size_t pairs, SAMPLE *out)
{
    switch (step) {
    case 1:
        expand_pixels(line, 1, pairs, out);
        break;
    case 2:
        expand_pixels(line, 2, pairs, out);
        break;
    default:
        expand_pixels(line, 4, pairs, out);
    }
}

// The last rows of a level, each twice as long.
typedef struct doubled {
    const lg_gaussian_pyramid *p;
    int level; // of the longer rows
    size_t line;
    size_t pitch; // samples of a row
    SAMPLE *rows[4];
    int64_t held[4];
} doubled;

static doubled make_doubled(const lg_gaussian_pyramid *p, int level, char **scratch)
{
    const size_t pixels = (size_t)lg_gaussian_count(p->blurred[level].x) + 3;
    doubled d = {.p = p, .level = level, .line = pixels * (size_t)p->step};
    for (int k = 0; k < 4; k++) {
        d.rows[k] = take_samples(scratch, d.line * (size_t)p->lines);
        d.held[k] = INT64_MIN;
    }
    return d;
}

// Row y of the smaller level, from the first pixel of the larger one on; lines are `line` samples apart.
static const SAMPLE *doubled_row(doubled *d, int64_t y)
{
    const lg_gaussian_pyramid *p = d->p;
    const lg_gaussian_level *from = &p->blurred[d->level + 1], *to = &p->blurred[d->level];
    const size_t into = line_samples(p, from->x);
    const int slot = (int)(y & 3);
    SAMPLE *row = d->rows[slot];
    for (int l = 0; l < p->lines && d->held[slot] != y; l++)
        expand_line(row_of(from, y) + (size_t)l * into, p->step, (size_t)(to->x.end + 2) / 2,
                    row + (size_t)l * d->line);
    d->held[slot] = y;
    return row + (size_t)(to->x.first + 1) * (size_t)p->step;
}

// The two or three rows that row y lies between; the number of them.
static int rows_around(doubled *d, int64_t y, const SAMPLE *rows[3])
{
    const int64_t middle = y >> 1;
    const int count = y & 1 ? 2 : 3;
    for (int k = 0; k < count; k++)
        rows[k] = doubled_row(d, middle + k - (count == 3));
    return count;
}

static void expand_level(const lg_gaussian_pyramid *p, int64_t y, int64_t end, char *scratch)
{
    const int level = p->level;
    const size_t line = line_samples(p, p->blurred[level].x);
    doubled d = make_doubled(p, level, &scratch);
    for (; y < end; y++) {
        const SAMPLE *rows[3];
        const int count = rows_around(&d, y, rows);
        for (int l = 0; l < p->lines; l++) {
            const SAMPLE *a = rows[0] + (size_t)l * d.line, *b = rows[1] + (size_t)l * d.line;
            const SAMPLE *c = rows[count - 1] + (size_t)l * d.line;
            SAMPLE *restrict out = row_of(&p->blurred[level], y) + (size_t)l * line;
            if (count == 2)
                for (size_t i = 0; i < line; i++)
                    out[i] = BETWEEN(a[i], b[i], 1);
            else
                for (size_t i = 0; i < line; i++)
                    out[i] = NEAR(a[i], b[i], c[i], 1);
        }
    }
}

#endif

// Jump flooding for one CPU level.
#include "filter/native/jfa_voronoi/jfa_voronoi.h"

#include "cpu/cpu.h"
#include "filter/native/jfa_voronoi/jfa_voronoi_rule.h"

#include <string.h>

static void begin_row(const lg_voronoi_job *job, int32_t y)
{
    float rgb_a[4][LG_SPAN] __attribute__((aligned(64)));
    float *const planes[4] = {rgb_a[0], rgb_a[1], rgb_a[2], rgb_a[3]};
    const int32_t width = job->in.width;
    for (int32_t x = 0; x < width; x += LG_SPAN) {
        const int count = LG_MIN(LG_SPAN, width - x);
        uint32_t *restrict to = job->sites[0] + (size_t)y * (size_t)width + (size_t)x;
        job->stage->load(&job->in, x, y, count, planes);
        for (int i = 0; i < count; i++)
            to[i] =
                voronoi_seed((color){rgb_a[0][i], rgb_a[1][i], rgb_a[2][i], rgb_a[3][i]}, x + i, y);
    }
}

// Pixels first .. end - 1 of row y take the sites at `from` where these are nearer.
static void take(const uint32_t *restrict from, int32_t first, int32_t end, int32_t y,
                 uint32_t *restrict site, uint32_t *restrict square)
{
    for (int32_t x = first; x < end; x++) {
        const uint32_t other = from[x], distance = voronoi_square(other, x, y);
        const bool nearer = distance < square[x];
        site[x] = nearer ? other : site[x];
        square[x] = nearer ? distance : square[x];
    }
}

// A part of a row at a time, with the squares of its distances.
static void flood_row(const lg_voronoi_job *job, int32_t y)
{
    const int from = job->from;
    const int32_t step = job->step, width = job->in.width, height = job->in.height;
    const uint32_t *sites = job->sites[from];
    uint32_t *to = job->sites[1 - from] + (size_t)y * (size_t)width;
    uint32_t squares[LG_SPAN];
    for (int32_t at = 0; at < width; at += LG_SPAN) {
        const int32_t end = LG_MIN(at + LG_SPAN, width);
        const uint32_t *row = sites + (size_t)y * (size_t)width;
        memcpy(to + at, row + at, (size_t)(end - at) * sizeof *to);
        for (int32_t x = at; x < end; x++)
            squares[x - at] = voronoi_square(row[x], x, y);
        for (int k = 0; k < 9; k++) {
            const int64_t line = (int64_t)y + (k / 3 - 1) * (int64_t)step;
            const int64_t right = (k % 3 - 1) * (int64_t)step;
            const int64_t first = LG_MAX(-right, at), last = LG_MIN(width - right, end);
            if (k != 4 && line >= 0 && line < height && first < last)
                take(sites + line * width + right, (int32_t)first, (int32_t)last, y, to,
                     squares - at);
        }
    }
}

static void finish_row(const lg_voronoi_job *job, int32_t y)
{
    float rgb_a[4][LG_SPAN] __attribute__((aligned(64)));
    float *const planes[4] = {rgb_a[0], rgb_a[1], rgb_a[2], rgb_a[3]};
    const int32_t width = job->in.width;
    for (int32_t x = 0; x < width; x += LG_SPAN) {
        const int count = LG_MIN(LG_SPAN, width - x);
        const uint32_t *restrict site =
            job->sites[job->from] + (size_t)y * (size_t)width + (size_t)x;
        for (int i = 0; i < count; i++) {
            const color c = voronoi_color(site[i], x + i, y, width, job->in.height);
            rgb_a[0][i] = c.r, rgb_a[1][i] = c.g, rgb_a[2][i] = c.b, rgb_a[3][i] = c.a;
        }
        job->stage->store(&job->out, x, y, count, planes);
    }
}

#define ROWS(name, row)                                                                            \
    static void name(const void *job, int64_t y, int64_t y_end, char *scratch)                     \
    {                                                                                              \
        for (; y < y_end; y++)                                                                     \
            row(job, (int32_t)y);                                                                  \
    }

ROWS(begin, begin_row)
ROWS(flood, flood_row)
ROWS(finish, finish_row)

extern const lg_voronoi_table LG_CPU_TABLE(jfa_voronoi);
const lg_voronoi_table LG_CPU_TABLE(jfa_voronoi) = {begin, flood, finish};

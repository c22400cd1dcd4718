// Kuwahara's smoothing for one CPU level: sums of windows as kuwahara_rule.h says.
#include "filter/native/kuwahara/kuwahara.h"

#include "cpu/cpu.h"
#include "filter/native/color_rows.h"
#include "filter/native/kuwahara/kuwahara_rule.h"
#include "filter/native/planes.h"

#define MOST 5 // planes, and their squares

// Pixel i of the arrays is column first - radius + i, window i begins there.
typedef struct strip {
    const lg_kuwahara_job *job;
    const lg_pixel_tile *tile;
    int32_t first, windows; // first: a multiple of radius + 1
    int planes;             // without that of the squares
    bool alpha, whole;      // whole: kuwahara_whole
    size_t stride, row;     // floats of a plane, of all planes
    float *pixels;          // four planes of colour, and squares
    float *above;           // a block's rows, each with those below it
    float *below;           // the rows of the next block
    float *sum;             // of the latter's first rows
    float *means;           // of the last radius + 1 rows: planes, and variances
} strip;

static size_t lay_out(strip *s, const lg_kuwahara_job *job, char *base)
{
    const size_t size = (size_t)job->radius + 1;
    s->stride = lg_align_up((size_t)job->strip + 4 * size, 16);
    s->row = (size_t)(s->planes + 1) * s->stride;
    float *next = (float *)(void *)base;
    s->pixels = next;
    const size_t rows = 3 * size + 1;
    if (base) {
        s->sum = s->pixels + MOST * s->stride;
        s->above = s->sum + s->row;
        s->below = s->above + size * s->row;
        s->means = s->below + size * s->row;
    }
    return (rows * s->row + MOST * s->stride) * sizeof(float);
}

// Colour times alpha, alpha, and the squares behind them.
static void to_planes(const strip *s, int32_t count)
{
    float *restrict r = s->pixels, *restrict g = r + s->stride, *restrict b = g + s->stride;
    float *restrict a = b + s->stride, *restrict q = a + s->stride;
    if (s->alpha)
        for (int32_t i = 0; i < count; i++)
            r[i] *= a[i], g[i] *= a[i], b[i] *= a[i];
    for (int k = 0; k < s->planes && s->whole; k++)
        for (int32_t i = 0; i < count; i++)
            r[(size_t)k * s->stride + (size_t)i] =
                kuwahara_whole(r[(size_t)k * s->stride + (size_t)i]);
    if (s->planes == 2 && s->alpha)
        memcpy(g, a, (size_t)count * sizeof *g);
    for (int k = s->planes; k < 4; k++)
        memset(s->pixels + (size_t)k * s->stride, 0, (size_t)count * sizeof *r);
    if (s->planes == 2 && s->alpha)
        for (int32_t i = 0; i < count; i++)
            q[i] = kuwahara_square(r[i], r[i], r[i], g[i]);
    else
        for (int32_t i = 0; i < count; i++)
            q[i] = kuwahara_square(r[i], g[i], b[i], a[i]);
    if (s->planes < 4) // the squares follow the planes
        memcpy(s->pixels + (size_t)s->planes * s->stride, q, (size_t)count * sizeof *q);
}

// Windows along a row, all planes at once: their sums do not wait for each other.
static inline __attribute__((always_inline)) void add_along(const strip *s, float *to, int planes)
{
    const int32_t size = s->job->radius + 1;
    const size_t stride = s->stride;
    for (int32_t at = 0; at < s->windows; at += size) {
        const float *from = s->pixels + at;
        float *out = to + at, sums[MOST] = {0};
        const int32_t count = LG_MIN(size, s->windows - at);
        for (int32_t j = size - 1; j >= 0; j--)
            for (int k = 0; k < planes; k++) {
                sums[k] += from[(size_t)k * stride + (size_t)j];
                out[(size_t)k * stride + (size_t)j] = sums[k];
            }
        for (int k = 0; k < planes; k++)
            sums[k] = 0;
        for (int32_t j = 1; j < count; j++)
            for (int k = 0; k < planes; k++) {
                sums[k] += from[(size_t)k * stride + (size_t)(size + j - 1)];
                out[(size_t)k * stride + (size_t)j] += sums[k];
            }
    }
}

static void read_row(const strip *s, int64_t y, float *to)
{
    const int64_t left = (int64_t)s->first - s->job->radius;
    const int32_t count = s->windows + 2 * (s->job->radius + 1);
    float *const planes[4] = {s->pixels, s->pixels + s->stride, s->pixels + 2 * s->stride,
                              s->pixels + 3 * s->stride};
    lg_color_row(s->job->stage, &s->tile->in, s->job->border, left, left + count, y, planes);
    to_planes(s, count);
    switch (s->planes) {
    case 1:
        add_along(s, to, 2);
        break;
    case 2:
        add_along(s, to, 3);
        break;
    case 3:
        add_along(s, to, 4);
        break;
    default:
        add_along(s, to, 5);
    }
}

static void add_row(const strip *s, const float *from, float *to)
{
    for (int k = 0; k <= s->planes; k++) {
        const float *restrict p = from + (size_t)k * s->stride;
        float *restrict q = to + (size_t)k * s->stride;
        for (int32_t i = 0; i < s->windows; i++)
            q[i] += p[i];
    }
}

// Means and variance of windows from their two parts, the second of which may be missing.
static void finish_row(const strip *s, const float *first, const float *second, float *to)
{
    const float inverse = kuwahara_inverse(s->job->radius);
    const size_t stride = s->stride;
    for (int k = 0; k <= s->planes; k++) {
        const float *restrict p = first + (size_t)k * stride, *restrict q = second;
        float *restrict out = to + (size_t)k * stride;
        if (second)
            for (int32_t i = 0; i < s->windows; i++)
                out[i] = p[i] + q[(size_t)k * stride + (size_t)i];
        else
            memcpy(out, p, (size_t)s->windows * sizeof *out);
        for (int32_t i = 0; k < s->planes && i < s->windows; i++)
            out[i] *= inverse;
    }
    const int planes = s->planes;
    const float *restrict a = to, *restrict b = to + stride, *restrict c = b + stride;
    const float *restrict d = c + stride;
    float *restrict v = to + (size_t)planes * stride;
    for (int32_t i = 0; i < s->windows; i++)
        v[i] = kuwahara_variance(v[i], inverse,
                                 planes == 1   ? kuwahara_square(a[i], 0, 0, 0)
                                 : planes == 2 ? s->alpha ? kuwahara_square(a[i], a[i], a[i], b[i])
                                                          : kuwahara_square(a[i], b[i], 0, 0)
                                 : planes == 3 ? kuwahara_square(a[i], b[i], c[i], 0)
                                               : kuwahara_square(a[i], b[i], c[i], d[i]));
    for (int k = 0; k < planes && s->whole; k++)
        for (int32_t i = 0; i < s->windows; i++)
            to[(size_t)k * stride + (size_t)i] = kuwahara_unit(to[(size_t)k * stride + (size_t)i]);
}

// The mean of the window of least variance; `upper` and `lower` are rows of windows.
static void choose_row(const strip *s, const float *upper, const float *lower, int32_t y)
{
    float result[4][LG_SPAN];
    const size_t variance = (size_t)s->planes * s->stride;
    for (int32_t x = s->tile->x; x < s->tile->x_end; x += LG_SPAN) {
        const int32_t count = LG_MIN(LG_SPAN, s->tile->x_end - x);
        const size_t left = (size_t)(x - s->first), right = left + (size_t)s->job->radius;
        const float *restrict ul = upper + left, *restrict ur = upper + right;
        const float *restrict lr = lower + right, *restrict ll = lower + left;
        for (int k = 0; k < s->planes; k++) {
            const size_t at = (size_t)k * s->stride;
            float *restrict to = result[k];
            for (int32_t i = 0; i < count; i++) {
                float v = ul[variance + (size_t)i], m = ul[at + (size_t)i];
                const float v1 = ur[variance + (size_t)i], v2 = lr[variance + (size_t)i];
                const float v3 = ll[variance + (size_t)i];
                m = v1 < v ? ur[at + (size_t)i] : m;
                v = v1 < v ? v1 : v;
                m = v2 < v ? lr[at + (size_t)i] : m;
                v = v2 < v ? v2 : v;
                to[i] = v3 < v ? ll[at + (size_t)i] : m;
            }
        }
        lg_planes_store(s->job->stage, &s->tile->in, &s->tile->out, x, y, count, result[0],
                        LG_SPAN);
    }
}

static void run(const void *job_pointer, const lg_pixel_tile *t, char *scratch)
{
    const lg_kuwahara_job *job = job_pointer;
    const int32_t radius = job->radius, size = radius + 1;
    strip s = {.job = job,
               .tile = t,
               .first = t->x / size * size,
               .planes = lg_plane_count(&t->in),
               .alpha = lg_pixels_have_alpha(&t->in)};
    s.whole = t->in.type == LG_U8 && !s.alpha;
    s.windows = t->x_end + radius - s.first;
    lay_out(&s, job, scratch);
    int64_t top = (int64_t)t->y / size * size - radius; // of the block `below`
    for (int32_t j = 0; j < size; j++)
        read_row(&s, top + j, s.below + (size_t)j * s.row);
    for (int32_t y = (int32_t)top; y < t->y_end; top += size) {
        float *const block = s.below;
        s.below = s.above;
        s.above = block;
        for (int32_t j = radius - 1; j >= 0; j--)
            add_row(&s, s.above + (size_t)(j + 1) * s.row, s.above + (size_t)j * s.row);
        memset(s.sum, 0, s.row * sizeof *s.sum);
        for (int32_t j = 0; j < size && y < t->y_end; j++, y++) {
            float *lower = s.means + (size_t)((y + radius) % size) * s.row;
            finish_row(&s, s.above + (size_t)j * s.row, j ? s.sum : NULL, lower);
            const float *upper = s.means + (size_t)(y % size + size) % (size_t)size * s.row;
            if (y >= t->y)
                choose_row(&s, upper, lower, y);
            float *next = s.below + (size_t)j * s.row;
            read_row(&s, top + size + j, next);
            add_row(&s, next, s.sum);
        }
    }
}

static size_t scratch_size(const lg_kuwahara_job *job)
{
    strip s = {.planes = MOST - 1};
    return lay_out(&s, job, NULL);
}

extern const lg_kuwahara_table LG_CPU_TABLE(kuwahara);
const lg_kuwahara_table LG_CPU_TABLE(kuwahara) = {run, scratch_size};

// How much of a corner each pixel is, for one CPU level: tiles that go down the image. The products of the
// last rows stay in the caches; their means and the measure are made of them at once.
#include "cpu/cpu.h"
#include "filter/native/corner_measure/corner_measure.h"
#include "filter/native/gaussian_blur/gaussian_blur_columns.h"
#include "kernel/corner_math.h"

#include <string.h>

LG_GAUSSIAN_COLUMNS(columns, float)

// Buffers of a row begin `taps` columns to the left of the tile.
typedef struct strip {
    const lg_corner_job *job;
    const lg_pixel_tile *t;
    int32_t from, to; // columns of the image whose products the tile needs
    size_t pitch;     // floats of a plane
    float *light[3];  // luminance of three rows
    int64_t have[3];  // which rows
    float *ring, *means, *made;
} strip;

static int64_t index_of(const strip *s, int64_t column)
{
    return column - s->t->x + s->job->g->taps;
}

// ---- luminance ----------------------------------------------------------------------------------

static void luminances(float *const rgb[4], int count, float *restrict to)
{
    const float *restrict r = rgb[0], *restrict g = rgb[1], *restrict b = rgb[2];
    for (int i = 0; i < count; i++)
        to[i] = lg_luminance(rgba(r[i], g[i], b[i], 1));
}

// A column outside is one inside, by the border, or 0.
static void put_outside(const strip *s, int64_t column, float *row)
{
    const int64_t inside = lg_border_index(column, s->t->in.width, s->job->border);
    row[index_of(s, column)] = inside < 0 ? 0 : row[index_of(s, inside)];
}

// With a column more than the products on either side.
static void make_light(const strip *s, int64_t y, float *to)
{
    const lg_pixels *in = &s->t->in;
    const int64_t row = lg_border_index(y, in->height, s->job->border);
    const int32_t end = LG_MIN(s->to + 1, in->width);
    float rgb_a[4][LG_SPAN] __attribute__((aligned(64)));
    float *const planes[4] = {rgb_a[0], rgb_a[1], rgb_a[2], rgb_a[3]};
    if (row < 0) {
        memset(to - LG_CORNER_LEAD, 0, (s->pitch + 2 * LG_CORNER_LEAD) * sizeof *to);
        return;
    }
    for (int32_t x = LG_MAX(s->from - 1, 0); x < end; x += LG_SPAN) {
        const int count = LG_MIN(LG_SPAN, end - x);
        s->job->stage->load(in, x, row, count, planes);
        luminances(planes, count, to + index_of(s, x));
    }
    if (s->from == 0)
        put_outside(s, -1, to);
    if (s->to == in->width)
        put_outside(s, in->width, to);
}

static const float *light_of(strip *s, int64_t y)
{
    const int k = (int)((y + 3) % 3);
    if (s->have[k] != y)
        make_light(s, y, s->light[k]);
    s->have[k] = y;
    return s->light[k];
}

// ---- products -----------------------------------------------------------------------------------

static void multiply(const float *restrict above, const float *restrict at,
                     const float *restrict below, int64_t from, int64_t to, size_t pitch,
                     float *restrict products)
{
    for (int64_t i = from; i < to; i++) {
        const neighborhood n = {above[i - 1], above[i],     above[i + 1], at[i - 1],   0,
                                at[i + 1],    below[i - 1], below[i],     below[i + 1]};
        const color p = lg_corner_products(lg_across(n, 1.0f), lg_down(n, 1.0f), 1.0f);
        products[i] = p.r;
        products[pitch + (size_t)i] = p.g;
        products[2 * pitch + (size_t)i] = p.b;
    }
}

// Rows outside the image are products from inside, by the border.
static void make_products(strip *s, int64_t y, float *to)
{
    const int64_t row = lg_border_index(y, s->t->in.height, s->job->border);
    if (row < 0)
        memset(to, 0, 3 * s->pitch * sizeof *to);
    else
        multiply(light_of(s, row - 1), light_of(s, row), light_of(s, row + 1), index_of(s, s->from),
                 index_of(s, s->to), s->pitch, to);
}

// ---- the measure --------------------------------------------------------------------------------

static void measures(const lg_corner_job *job, const float *restrict a, const float *restrict b,
                     const float *restrict c, int32_t count, float *restrict to)
{
    const float method = job->method, k = job->k, sensitivity = job->sensitivity;
    for (int32_t i = 0; i < count; i++)
        to[i] = lg_corner_measure(rgba(a[i], b[i], c[i], 1), method, k, sensitivity);
}

// The means along a row of the means down columns, and their measure.
static void make_row(strip *s, int32_t y, const float **rows)
{
    const lg_gaussian *g = s->job->g;
    const lg_pixel_tile *t = s->t;
    const int32_t count = t->x_end - t->x;
    for (int k = 0; k < 3; k++) {
        float *means = s->means + (size_t)k * s->pitch;
        for (int64_t x = (int64_t)t->x - g->taps; x < 0; x++)
            put_outside(s, x, means);
        for (int64_t x = t->in.width; x < (int64_t)t->x_end + g->taps; x++)
            put_outside(s, x, means);
        for (int i = 0; i <= 2 * g->taps; i++)
            rows[i] = means + i;
        s->job->weigh(g, rows, count, s->made + (size_t)k * s->pitch);
    }
    float *to = s->means;
    measures(s->job, s->made, s->made + s->pitch, s->made + 2 * s->pitch, count, to);
    for (int32_t i = 0; i < count; i += LG_SPAN)
        s->job->stage->store(&t->out, t->x + i, y, LG_MIN(LG_SPAN, count - i),
                             (float *const[4]){to + i, to + i, to + i, to + i});
}

static void run(const void *arg, const lg_pixel_tile *t, char *scratch)
{
    const lg_corner_job *job = arg;
    const lg_gaussian *g = job->g;
    const float *rows[2 * LG_GAUSSIAN_TAPS + 1];
    strip s = {.job = job,
               .t = t,
               .from = LG_MAX(t->x - g->taps, 0),
               .to = LG_MIN(t->x_end + g->taps, t->in.width),
               .pitch = lg_corner_pitch(g, job->strip),
               .have = {INT64_MIN, INT64_MIN, INT64_MIN}};
    float *next = (float *)(void *)scratch;
    memset(scratch, 0, lg_corner_scratch(g, job->strip));
    for (int k = 0; k < 3; k++, next += s.pitch + 2 * LG_CORNER_LEAD)
        s.light[k] = next + LG_CORNER_LEAD;
    s.means = next, next += 3 * s.pitch;
    s.made = next, next += 3 * s.pitch;
    s.ring = next;
    for (int64_t y = (int64_t)t->y - g->taps, i = 0; y < (int64_t)t->y_end + g->taps; y++, i++) {
        make_products(&s, y, columns_place(g, s.ring, 3 * s.pitch, i));
        if (!columns_advance(g, s.ring, 3 * s.pitch, i, rows))
            continue;
        job->weigh(g, rows, (int64_t)(3 * s.pitch), s.means);
        make_row(&s, (int32_t)(y - g->taps), rows);
    }
}

extern const lg_pixel_tiles LG_CPU_TABLE(corner_measure);
const lg_pixel_tiles LG_CPU_TABLE(corner_measure) = {.run = run};
